/*===- torchprof.h - controlling a profile from C -----------------*- C -*-===*\
|*                                                                            *|
|* The C interface of libtorchprof_runtime.so. A process needs none of it to  *|
|* be profiled: it is enough to load the library and an instrumented model,   *|
|* and the environment controls the recording (docs/runtime-options.md).      *|
|*                                                                            *|
|* Every function may be called from any thread, also while others record.    *|
|* No function throws or exits. flush, snapshot and a step that ends a cycle  *|
|* block on I/O. While a snapshot is being written, another one, reset,       *|
|* reset_thread and steps that begin or end a cycle wait for it; runs that    *|
|* are no such steps do not. wait_snapshot blocks at most until its timeout.  *|
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

/* Sets an option by its name in docs/runtime-options.md ("file", "mode", ...)
   and overrides the environment. ENOENT: no such option; EINVAL: value not
   allowed; EBUSY: too late. Too late is after the first probe or region, the
   first plan of an attached model, and the first call of start, stop,
   scope_begin, reset, reset_thread, lane, step or wait_snapshot; for "file"
   when the file exists. "open" set to "early" makes the file now. */
TORCHPROF_API int torchprof_set_option(const char *name, const char *value);

/* Recording is on from the first probe unless stop was called. Spans that are
   open when recording starts or stops count as cut. */
TORCHPROF_API void torchprof_start(void);
TORCHPROF_API void torchprof_stop(void);

/* The same for scopes, which may be nested and on many threads at once: each
   begin starts, and the end of the last one stops. Each begin has its end, on
   whatever thread. A child of fork begins without scopes: the end of one of its
   parent's does nothing there. */
TORCHPROF_API void torchprof_scope_begin(void);
TORCHPROF_API void torchprof_scope_end(void);

/* Empties the profile: it then holds only what is recorded after the call, and
   what it says of losses begins anew. */
TORCHPROF_API void torchprof_reset(void);

/* The same for what the calling thread has recorded. Spans of it that are open
   count as cut; other threads and what belongs to the whole process, such as
   blocks of memory and loads of models, keep what they have. */
TORCHPROF_API void torchprof_reset_thread(void);

/* Number of the lane that the calling thread records into, which it gets by
   this call if it has none: a new one, or that of a thread that has ended,
   whose spans stay in it. -1 while the lane is not in the profile. */
TORCHPROF_API int64_t torchprof_lane(void);

/* Ends a step of the schedule. If the host never calls it, each run of a model
   is a step. */
TORCHPROF_API void torchprof_step(void);

/* Writes the profile to disk and waits until it is there. A killed process
   loses nothing without it; a crashed machine may. EIO: the file could not be
   made or grown, so that only memory holds the profile or a part of it. 0 if
   nothing has been recorded yet. */
TORCHPROF_API int torchprof_flush(void);

/* Writes a copy of the profile to `path`. If that is null, the option "file"
   and the next snapshot number make the name. If a name is taken, a number is
   added to it. "fd:4" is the empty file of descriptor 4. ENODATA: nothing has
   been recorded yet; ENOTSUP: no path, and the profile is in a descriptor. */
TORCHPROF_API int torchprof_snapshot(const char *path);

/* Number of snapshots written so far. wait_snapshot first waits until it is
   greater than `above`, for at most `timeout_ms`. */
TORCHPROF_API uint64_t torchprof_snapshots(void);
TORCHPROF_API uint64_t torchprof_wait_snapshot(uint64_t above,
                                               uint64_t timeout_ms);

/* Path of the profile, or "fd:3"; null while there is none. The string belongs
   to the calling thread and is valid until its next call. */
TORCHPROF_API const char *torchprof_file(void);

/* The clock that the probes read, the reason, and how fine it is: "TSC: ...",
   "CNTVCT: ..." (Arm) or "CLOCK_MONOTONIC: ...". The option "clock" overrides
   the choice. Takes about a millisecond. The string belongs to the calling
   thread and is valid until its next call. */
TORCHPROF_API const char *torchprof_clock(void);

/* Sets a function that is called after the last active step of each cycle of
   the schedule, on the thread that ended the step, with the path of the cycle's
   snapshot ("" if it could not be written). Null removes it. */
typedef void (*torchprof_ready_callback)(const char *path, void *context);
TORCHPROF_API void torchprof_on_ready(torchprof_ready_callback callback,
                                      void *context);

/* User regions: named spans of the host's own code, nestable, per thread. A
   region's number is the same for the same name; 0 means no region and is
   ignored. A region is a child of the span in which it begins. Pass to end()
   what begin() returned, on the same thread, and end those that began inside
   first: one that ends otherwise is not recorded. */
TORCHPROF_API uint32_t torchprof_region(const char *name);
TORCHPROF_API uint64_t torchprof_region_begin(uint32_t region);
TORCHPROF_API void torchprof_region_end(uint32_t region, uint64_t begin);

/* Measures what this machine does at most with the threads that LibTorch uses
   for an operator now: a product of matrices or a convolution, and a copy, in
   operations and bytes per second. The profile has both from then on, for
   torchprof-report roofline. Takes `seconds` or a little more, and 136 MB of
   memory meanwhile. Returns 0 or ENOMEM. Any thread; not while models run that
   are to be measured. */
TORCHPROF_API int torchprof_calibrate(double seconds);

/* How much has been recorded and lost. Pass sizeof(struct torchprof_stats) as
   `size`: a newer library then fills the caller's older struct. */
struct torchprof_stats {
  uint64_t begins;     /* spans begun */
  uint64_t count;      /* spans recorded */
  uint64_t cut;        /* spans across a window's edge */
  uint64_t lanes;      /* lanes in the profile: at most as many as threads have
                          recorded at once, and 64 of ended threads with other
                          names */
  uint64_t cells;      /* cells in use: one per site and lane */
  uint64_t file_bytes; /* size of the file, 0 without one */
#define TORCHPROF_COUNTER(ENUMERATOR, NAME, SHOWN, OF, MEANING, TEXT)          \
  uint64_t NAME; /* MEANING */
#include "torchprof/format/Counters.def"
};
TORCHPROF_API void torchprof_get_stats(struct torchprof_stats *stats,
                                       size_t size);

#ifdef __cplusplus
}
#endif

#endif /* TORCHPROF_TORCHPROF_H */
