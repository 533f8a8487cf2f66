//===- CInterface.cpp - torchprof.h ---------------------------------------===//

#include "ClockText.h"
#include "Control.h"
#include "DynamicSpans.h"
#include "torchprof/torchprof.h"

#include <cerrno>
#include <cstring>
#include <exception>

using namespace torchprof;

int torchprof_set_option(const char *Name, const char *Value) try {
  return Name && Value ? setOption(Name, Value) : EINVAL;
} catch (const std::exception &) {
  return ENOMEM;
}

void torchprof_start() { start(); }
void torchprof_stop() { stop(); }
void torchprof_scope_begin() { beginScope(); }
void torchprof_scope_end() { endScope(); }
void torchprof_reset() { reset(); }
void torchprof_reset_thread() { resetThread(); }
int64_t torchprof_lane() { return laneOfThread(); }

void torchprof_step() try { step(); } catch (const std::exception &) {
  // Out of memory for a name: the cycle has no snapshot.
}

int torchprof_flush() { return flush(); }

int torchprof_snapshot(const char *Path) try {
  return snapshot(Path ? Path : "");
} catch (const std::exception &) {
  return ENOMEM;
}

uint64_t torchprof_snapshots() { return snapshots(); }

uint64_t torchprof_wait_snapshot(uint64_t Above, uint64_t TimeoutMs) {
  return waitForSnapshot(Above, TimeoutMs);
}

const char *torchprof_file() try {
  thread_local std::string Path;
  Path = profilePath();
  return Path.empty() ? nullptr : Path.c_str();
} catch (const std::exception &) {
  return nullptr;
}

const char *torchprof_clock() try {
  thread_local std::string Text;
  Text = describeClock(currentOptions().Clock);
  return Text.c_str();
} catch (const std::exception &) {
  return "unknown: out of memory";
}

void torchprof_on_ready(torchprof_ready_callback Callback, void *Context) {
  setReadyCallback(Callback, Context);
}

uint32_t torchprof_region(const char *Name) try {
  return Name ? regionNumber(Name) : 0;
} catch (const std::exception &) {
  return 0;
}

uint64_t torchprof_region_begin(uint32_t Region) { return beginRegion(Region); }

void torchprof_region_end(uint32_t Region, uint64_t Begin) {
  endRegion(Begin, Region);
}

void torchprof_get_stats(torchprof_stats *Stats, size_t Size) {
  if (!Stats)
    return;
  Totals T = totals();
  torchprof_stats Full{};
  Full.begins = T.Begins;
  Full.count = T.Count;
  Full.cut = T.Cut;
  Full.lanes = T.Lanes;
  Full.cells = T.Cells;
  Full.file_bytes = T.FileBytes;
  const uint64_t *Counts = counters();
#define TORCHPROF_COUNTER(ENUMERATOR, NAME, SHOWN, OF, MEANING, TEXT)          \
  Full.NAME = __atomic_load_n(&Counts[unsigned(format::Counter::ENUMERATOR)],  \
                              __ATOMIC_RELAXED);
#include "torchprof/format/Counters.def"
  memset(Stats, 0, Size);
  memcpy(Stats, &Full, Size < sizeof(Full) ? Size : sizeof(Full));
}
