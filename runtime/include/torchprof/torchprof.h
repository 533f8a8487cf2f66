/*===- torchprof.h - controlling a profile from C -----------------*- C -*-===*\
|*                                                                            *|
|* The C interface of libtorchprof_runtime.so. A process needs none of it to  *|
|* be profiled: loading the library and an instrumented model is enough, and  *|
|* the environment controls it (docs/runtime-options.md).                     *|
|*                                                                            *|
|* Every function is safe from any thread, also while others record. No       *|
|* function throws or exits. flush and snapshot block on I/O; wait_snapshot   *|
|* blocks as long as it is told; the others never block.                      *|
|* Functions that return int return 0 or an errno value.                      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TORCHPROF_TORCHPROF_H
#define TORCHPROF_TORCHPROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TORCHPROF_API __attribute__((visibility("default")))
#else
#define TORCHPROF_API
#endif

/* Sets an option by its name in docs/runtime-options.md ("file", "mode", ...);
   it wins over the environment. ENOENT: no such option; EINVAL: value not
   allowed; EBUSY: too late, the process records already ("file" may be set
   until the profile's file exists). */
TORCHPROF_API int torchprof_set_option(const char *name, const char *value);

/* Recording is on from the first probe unless stop was called. Spans that are
   open when recording starts or stops count as cut. */
TORCHPROF_API void torchprof_start(void);
TORCHPROF_API void torchprof_stop(void);

/* Empties the profile: what is recorded from here on is all it holds. */
TORCHPROF_API void torchprof_reset(void);

/* One step of the schedule. Without it, each run of a model is a step. */
TORCHPROF_API void torchprof_step(void);

/* Asks the kernel to write the profile to the disk. A killed process loses
   nothing without it; a crashed machine may. */
TORCHPROF_API int torchprof_flush(void);

/* Writes a copy of the profile to `path`; null: to the file pattern with the
   next snapshot number. A number is added to a name that is taken. ENODATA:
   nothing was recorded yet. */
TORCHPROF_API int torchprof_snapshot(const char *path);

/* Number of snapshots written so far. The second form waits until it is above
   `above`, at most `timeout_ms`. */
TORCHPROF_API uint64_t torchprof_snapshots(void);
TORCHPROF_API uint64_t torchprof_wait_snapshot(uint64_t above,
                                               uint64_t timeout_ms);

/* Path of the profile's file; null while there is none. The string belongs to
   the calling thread and is valid until its next call. */
TORCHPROF_API const char *torchprof_file(void);

/* The clock that probes read, and why that one: "TSC: ..." or
   "CLOCK_MONOTONIC: ...". The option "clock" decides if it is set. A static
   string. */
TORCHPROF_API const char *torchprof_clock(void);

/* Called after the last active step of each cycle of the schedule, on the
   thread that made the step, with the path of the cycle's snapshot ("" if it
   could not be written). Null removes the callback. */
typedef void (*torchprof_ready_callback)(const char *path, void *context);
TORCHPROF_API void torchprof_on_ready(torchprof_ready_callback callback,
                                      void *context);

/* User regions: named spans of the host's own code, nestable, per thread. A
   region's number is the same for the same name; 0 stands for none. A region
   is a child of the span in which it begins. end() takes what begin() returned
   and runs on the same thread. */
TORCHPROF_API uint32_t torchprof_region(const char *name);
TORCHPROF_API uint64_t torchprof_region_begin(uint32_t region);
TORCHPROF_API void torchprof_region_end(uint32_t region, uint64_t begin);

/* What has been recorded, and what was lost. `size` is sizeof(struct
   torchprof_stats) of the caller; newer libraries fill older structs. */
struct torchprof_stats {
  uint64_t begins;     /* spans begun */
  uint64_t count;      /* spans recorded */
  uint64_t cut;        /* spans closed across a window's edge */
  uint64_t lanes;      /* threads that recorded at the same time */
  uint64_t cells;      /* nodes with data, counted per lane */
  uint64_t file_bytes; /* size of the profile's file, 0 without one */
#define TORCHPROF_COUNTER(ENUMERATOR, NAME, SHOWN, MEANING, TEXT)              \
  uint64_t NAME; /* MEANING */
#include "torchprof/format/Counters.def"
};
TORCHPROF_API void torchprof_get_stats(struct torchprof_stats *stats,
                                       size_t size);

#ifdef __cplusplus
}
#endif

#endif /* TORCHPROF_TORCHPROF_H */
