//===- Collector.cpp - models, windows and options ------------------------===//

#include "Collector.h"
#include "Probe.h"
#include "Warn.h"
#include "torchprof/format/Manifest.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace torchprof {

using namespace format;

Collector State;

static pthread_cond_t SnapshotMade = PTHREAD_COND_INITIALIZER;

//===----------------------------------------------------------------------===//
// Getting ready
//===----------------------------------------------------------------------===//

void readOptions() {
  if (State.EnvironmentRead)
    return;
  State.EnvironmentRead = true;
  State.Opts.readEnvironment(environ);
  clock::choose(State.Opts.Clock);
}

/// Cost of opening and closing a span in a cell of its own, in 1/16 tick: the
/// least of a few batches, so that interrupts do not count.
static uint64_t measureProbe() {
  constexpr unsigned Batches = 16, Spans = 64;
  Cell Scratch{};
  LaneRecord Record{};
  SlotEntry Entry{&Scratch, 0, NoSlot, 0, nullptr};
  Lane L{};
  L.Record = &Record;
  L.Slots = &Entry;
  L.SlotCount = 1;
  Scratch.Epoch = Process.Epoch.load(std::memory_order_relaxed);
  uint64_t Best = UINT64_MAX;
  for (unsigned Batch = 0; Batch < Batches; ++Batch) {
    uint64_t Start = clock::ticks();
    for (unsigned I = 0; I < Spans; ++I) {
      uint64_t Begin = openSpan(L, Entry, 0);
      uint64_t Ticks = clock::ticks() - Begin;
      restoreOuter(L, Entry, Begin, 0);
      recordSpan(Scratch, Ticks);
    }
    uint64_t Ticks = clock::ticks() - Start;
    Best = Ticks < Best ? Ticks : Best;
  }
  return Best * 16 / Spans;
}

/// Opens or shuts the gate as window and schedule say.
static void setGate() {
  Schedule::Phase Phase = State.Opts.Plan.exists()
                              ? State.Opts.Plan.phase(State.Step)
                              : Schedule::Phase::Active;
  bool Open =
      State.Opts.Enabled && State.WindowOpen && Phase != Schedule::Phase::Off;
  bool IsOpen = Process.Open.load(std::memory_order_relaxed) != 0;
  if (Open == IsOpen)
    return;
  uint64_t Now = clock::ticks();
  Process.Open.store(Open ? (Now ? Now : 1) : 0, std::memory_order_release);
}

static void closeAtExit() {
  if (!Process.Ready.load(std::memory_order_acquire))
    return; // forked, and nothing recorded since
  // exit() may have interrupted the lock's owner.
  timespec Deadline;
  clock_gettime(CLOCK_REALTIME, &Deadline);
  Deadline.tv_sec += 1;
  if (pthread_mutex_timedlock(&Process.Mutex, &Deadline) != 0)
    return;
  if (State.File.exists()) {
    addAnchor();
    storeRelaxed(State.Record->EndTicks, clock::ticks());
    State.File.close(FileState::Closed);
  }
  pthread_mutex_unlock(&Process.Mutex);
}

void makeReady() {
  if (Process.Ready.load(std::memory_order_relaxed))
    return;
  readOptions();
  bool Forked = State.Initialized;
  if (Forked) {
    bool Recorded = State.File.exists();
    State.File.abandon();
    State.Record = nullptr;
    State.Clock = nullptr;
    State.Regions = nullptr;
    State.Groups = nullptr;
    State.Snapshots = 0;
    ++State.Generation;
    abandonLanes();
    memset(earlyCounters(), 0, CounterCapacity * sizeof(uint64_t));
    if (Recorded)
      count(Counter::Forks);
  } else {
    State.Initialized = true;
    wipeInChildren();
    State.ProbeCost = measureProbe();
    atexit(closeAtExit);
  }
  Process.Epoch.store(1, std::memory_order_relaxed);
  Process.CountsSteps.store(State.Opts.Enabled && State.Opts.Plan.exists() &&
                                !State.HostSteps,
                            std::memory_order_relaxed);
  setGate();
  Process.Ready.store(1, std::memory_order_release);
}

//===----------------------------------------------------------------------===//
// Models, options
//===----------------------------------------------------------------------===//

Registration addModel(std::string_view Text) {
  ManifestHead Head;
  std::string Error;
  bool Readable = parseManifestHead(Text, Head, Error);
  ProcessLock Lock;
  readOptions();
  // Where nothing is recorded, what cannot be recorded is no news: a tool that
  // rewrites models meets several versions of one manifest.
  bool Speaks = State.Opts.Enabled;
  if (!Readable) {
    if (Speaks)
      warn("model not recorded: its manifest cannot be read: %s",
           Error.c_str());
    return Registration::Full;
  }
  Registration Result = registerModel(Head.ModelId, Head.SiteCount, Text);
  if (Result == Registration::Conflict) {
    if (!Process.HasConflicts.exchange(1) && Speaks)
      warn("model not recorded: another model with id %llx but other sites "
           "was loaded before",
           static_cast<unsigned long long>(Head.ModelId));
  } else if (Result == Registration::Full && Speaks) {
    warn("model not recorded: out of memory or slots");
  }
  return Result;
}

void addGroup(uint64_t Site, std::string_view Members) {
  ProcessLock Lock;
  uint32_t Slot = slotOf(Site);
  if (Slot != NoSlot && registerGroup(Slot, Members))
    writeGroups();
}

int setOption(std::string_view Name, std::string_view Value) {
  if (!allowedValues(Name))
    return ENOENT;
  ProcessLock Lock;
  readOptions();
  bool TooLate = Name == "file"
                     ? State.File.exists()
                     : Process.Ready.load(std::memory_order_relaxed) != 0;
  if (TooLate)
    return EBUSY;
  if (!State.Opts.set(Name, Value))
    return EINVAL;
  if (Name == "clock")
    clock::choose(Value);
  return 0;
}

Options currentOptions() {
  ProcessLock Lock;
  readOptions();
  return State.Opts;
}

void setFramework(std::string_view Name) {
  ProcessLock Lock;
  State.Framework = Name;
}

void setDispatchCost(uint64_t Sixteenths) {
  ProcessLock Lock;
  State.DispatchCost = Sixteenths;
}

void setReadyCallback(ReadyCallback Callback, void *Context) {
  ProcessLock Lock;
  State.Callback = Callback;
  State.CallbackContext = Context;
}

std::string profilePath() {
  ProcessLock Lock;
  return State.File.path();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

void start() {
  ProcessLock Lock;
  State.WindowOpen = true;
  makeReady();
  setGate();
}

void stop() {
  ProcessLock Lock;
  State.WindowOpen = false;
  makeReady();
  setGate();
  addAnchor();
}

/// Empties all cells: each owner clears its own at its next touch. The gate
/// is opened anew, so that spans that are open now count as cut.
static void resetLocked() {
  bool WasOpen = Process.Open.exchange(0) != 0;
  uint32_t Epoch = Process.Epoch.load(std::memory_order_relaxed) + 1;
  // In this order: a begin that is counted in the new generation is not
  // before ResetTicks.
  Process.ResetTicks.store(clock::ticks(), std::memory_order_release);
  Process.Epoch.store(Epoch, std::memory_order_release);
  if (State.File.exists())
    storeRelease(State.File.header()->Generation, uint64_t(Epoch));
  count(Counter::Resets);
  if (WasOpen)
    setGate();
}

void reset() {
  ProcessLock Lock;
  makeReady();
  resetLocked();
}

void advanceStep(bool ByHost) {
  std::string Path;
  ReadyCallback Callback = nullptr;
  void *Context = nullptr;
  {
    ProcessLock Lock;
    makeReady();
    if (ByHost) {
      State.HostSteps = true;
      Process.CountsSteps.store(0, std::memory_order_relaxed);
    } else if (State.HostSteps) {
      return;
    }
    count(Counter::Steps);
    const Schedule &Plan = State.Opts.Plan;
    if (!Plan.exists() || !State.Opts.Enabled)
      return;
    bool EndsCycle = Plan.endsCycle(State.Step);
    Schedule::Phase Before = Plan.phase(State.Step);
    ++State.Step;
    Schedule::Phase After = Plan.phase(State.Step);
    if (EndsCycle) {
      Process.Open.store(0, std::memory_order_release);
      addAnchor();
      if (State.File.exists()) {
        writeSnapshot(nextSnapshotName(), Path);
      }
      Callback = State.Callback;
      Context = State.CallbackContext;
    }
    if (After == Schedule::Phase::Active &&
        (EndsCycle || Before != Schedule::Phase::Active))
      resetLocked();
    setGate();
  }
  if (Callback)
    Callback(Path.c_str(), Context);
}

void step() { advanceStep(true); }

int flush() {
  ProcessLock Lock;
  if (!State.File.exists())
    return 0;
  addAnchor();
  int Failure = 0;
  if (msync(State.File.header(), PageBytes, MS_SYNC) != 0)
    Failure = errno;
  for (const ProfileFile::Segment &S : State.File.segments())
    if (S.InFile && msync(S.Head, S.Head->Bytes, MS_SYNC) != 0)
      Failure = errno;
  return Failure;
}

void announceSnapshot() {
  ++State.Snapshots;
  pthread_cond_broadcast(&SnapshotMade);
}

uint64_t waitForSnapshot(uint64_t Above, uint64_t TimeoutMs) {
  timespec Deadline;
  clock_gettime(CLOCK_REALTIME, &Deadline);
  constexpr uint64_t Longest = 1'000'000'000;
  TimeoutMs = TimeoutMs < Longest ? TimeoutMs : Longest;
  uint64_t Ns = uint64_t(Deadline.tv_nsec) + TimeoutMs % 1000 * 1'000'000;
  Deadline.tv_sec += time_t(TimeoutMs / 1000 + Ns / 1'000'000'000);
  Deadline.tv_nsec = long(Ns % 1'000'000'000);
  ProcessLock Lock;
  while (TimeoutMs && State.Snapshots <= Above)
    if (pthread_cond_timedwait(&SnapshotMade, &Process.Mutex, &Deadline) != 0)
      break;
  return State.Snapshots;
}

} // namespace torchprof
