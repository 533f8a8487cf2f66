//===- Recording.cpp - what one process records ---------------------------===//

#include "Recording.h"

#include "Clock.h"
#include "Deadline.h"
#include "FrameworkWatch.h"
#include "ProbeCost.h"
#include "torchprof/format/Atomics.h"

#include <cerrno>
#include <cstdlib>
#include <new>
#include <optional>
#include <utility>

namespace torchprof {

using namespace format;

//===----------------------------------------------------------------------===//
// The process's recording
//===----------------------------------------------------------------------===//

/// Leads to every recording of this process and its parents: they are never
/// deleted, and a leak checker must not take them for lost.
static const Recording *Newest = nullptr;

Recording::Recording(Lineage &Shared, PageSource &Pages)
    : Shared(Shared), Older(std::exchange(Newest, this)), File(Pages),
      Threads(File, Pages, Shared.Program),
      Folding(Threads, Shared.Program.Opts.Fold == "thread"),
      Extra(File, Pages, Shared.Program), Shapes(File, Pages, Shared.Program),
      Held(File, Shared.Program),
      CpuBooks(*this, File, Pages, Shared.Program, MemoryPlace::Cpu),
      DeviceBooks(*this, File, Pages, Shared.Program, MemoryPlace::Devices),
      Gate(Shared.Program), Sites(File, Shared),
      Snapshots(File, Shared.Program),
      Loads(std::exchange(Shared.Loads.own(), {})),
      ProbeTicksX16(measureProbeTicksX16()),
      IsForked(Shared.Program.HasRecorded),
      ForkedBefore(IsForked ? clock::ticks() : 0) {
  if (IsForked)
    torchprof::count(Counter::Forks);
  if (const FrameworkWatch *Watch = frameworkWatch())
    Watch->Begin(Shared.Program.Opts);
  for (MemoryPlace Place : MemoryPlaces)
    if (books(Place).exist())
      Process.Ledgers[unsigned(Place)].store(&books(Place),
                                             std::memory_order_release);
  Gate.begin();
}

static void closeAtExit() {
  // A child that was forked and recorded nothing has none.
  if (Recording *R = Recording::existing())
    R->close();
}

/// Of spans that nobody else will look at any more.
static void harvestAtExit() {
  if (Recording *R = Recording::existing())
    R->harvestDevicesAtExit();
}

Recording *Recording::currentLocked() {
  if (Recording *R = existing())
    return R;
  Line.Program.readEnvironment();
  static bool IsPrepared = false; // children inherit both
  if (!IsPrepared) {
    IsPrepared = true;
    atexit(closeAtExit);
    DeviceTime::harvestAtExitWith(harvestAtExit);
  }
  // Threads may be in a probe until the process has ended: never deleted.
  auto *R = new (std::nothrow) Recording(Line);
  Process.Current.store(R, std::memory_order_release);
  return R;
}

Recording *Recording::current() {
  if (Recording *R = existing()) [[likely]]
    return R;
  ProcessLock Lock;
  return currentLocked();
}

void Recording::countUnreadDevices() {
  if (const DeviceTime *Device = Extra.device())
    if (uint64_t Unread = Device->pending(Threads.first()))
      torchprof::count(Counter::UnreadDeviceSpans, Unread);
}

/// How long the exit waits for who holds the process lock, or copies the
/// profile: it may have interrupted them.
static constexpr uint64_t ExitWaitsMs = 1000;

void Recording::close() {
  countUnreadDevices();
  Deadline End(ExitWaitsMs);
  if (!End.lock(Process.Mutex))
    return;
  // Else the exit leaves a part of the copy.
  while (CopyTurn::isTaken() &&
         End.wait(Process.CopyTurnEnded, Process.Mutex)) {
  }
  if (File.exists()) {
    Clock.addAnchor();
    if (Record)
      storeRelaxed(Record->EndTicks, clock::ticks());
    File.close(FileState::Closed);
    torchprof::count(Counter::LostNoRoom, spansOutside(File));
    // Nobody misses a profile that only says what could have been recorded.
    if (Shared.Program.OpenedEarly && Threads.count() == 0)
      File.remove();
  }
  pthread_mutex_unlock(&Process.Mutex);
}

//===----------------------------------------------------------------------===//
// For the cold paths of spans
//===----------------------------------------------------------------------===//

SlotEntry *Recording::touchSlot(Lane &L, Slot Site) {
  if (SlotEntry *Known = knownEntry(L, Site)) [[likely]]
    return Known;
  FoldLock Lock(L);
  return touchSlotLocked(L, Site);
}

SlotEntry *Recording::touchSlotLocked(Lane &L, Slot Site) {
  if (SlotEntry *Known = knownEntry(L, Site))
    return Known;
  if (Site == NoSlot)
    return nullptr;
  ProcessLock Lock;
  SlotEntry *Entry = nullptr;
  try {
    createProfile();
    uint32_t Slots = Shared.Models.slotCount();
    if (number(Site) < Slots && (L.Attached || Threads.attach(L)) &&
        Threads.growEntries(L, Slots)) {
      Sites.write(Site);
      Entry = &L.Slots[number(Site)];
      Entry->Data = Threads.newCell(L, Site, L.Log->Folded);
      if (!Entry->Data)
        Entry = nullptr;
    }
  } catch (const std::bad_alloc &) {
    Entry = nullptr;
  }
  noteFileError();
  return Entry;
}

void Recording::touchRuns(Lane &L, SlotEntry &Entry) {
  if (Entry.Runs || !Entry.Data)
    return;
  ProcessLock Lock;
  Entry.Runs = Threads.newRuns(L, Entry.Data->Site);
  noteFileError();
}

void Recording::continueCell(Lane &L, SlotEntry &Entry) {
  ProcessLock Lock;
  const Cell &Full = *Entry.Data;
  if (Cell *Next = Threads.newCell(L, Full.Site, Full.Folded))
    Entry.Data = Next;
  noteFileError();
}

void Recording::step(bool ByHost, uint64_t Open) {
  if (!ByHost && Process.StepsAreOver.load(std::memory_order_relaxed))
    return torchprof::count(Counter::Steps);
  if (Process.Open.load(std::memory_order_relaxed))
    harvestDevices();
  std::string Path;
  ReadyCallback Callback = nullptr;
  void *Context = nullptr;
  {
    ProcessLock Lock;
    if (ByHost)
      Gate.leaveStepsToHost();
    auto IsStep = [&] { return ByHost || Gate.isStepOfRun(Open); };
    while (IsStep() && Gate.needsTurn() && CopyTurn::isTaken())
      CopyTurn::awaitEnd();
    if (!IsStep())
      return;
    torchprof::count(Counter::Steps);
    Window::StepEnd End = Gate.endStep();
    std::optional<CopyTurn> Turn;
    if (End.EndsCycle || End.StartsEmpty)
      Turn.emplace();
    if (End.EndsCycle) {
      copyCycle(Path);
      Callback = Shared.Program.Callback;
      Context = Shared.Program.CallbackContext;
    }
    if (End.StartsEmpty)
      resetLocked();
    updateGate();
  }
  if (Callback)
    Callback(Path.c_str(), Context);
}

void Recording::copyCycle(std::string &Path) {
  Window::Pause WhileItIsCopied(Gate);
  Threads.gateChanged();
  Clock.addAnchor();
  countUnreadDevices(); // the next cycle has a new epoch
  if (File.exists())
    Snapshots.writeNumbered(/*IsAsked=*/false, Path);
}

//===----------------------------------------------------------------------===//
// For the host
//===----------------------------------------------------------------------===//

void Recording::harvestDevicesAtExit() {
  DeviceTime *Device = Extra.device();
  // A time that is the first of its site takes the lock.
  if (!Device || !Deadline(ExitWaitsMs).lock(Process.Mutex))
    return;
  pthread_mutex_unlock(&Process.Mutex);
  Device->harvestIfFree(Threads.first());
}

void Recording::harvestDevices() {
  if (DeviceTime *Device = Extra.device())
    Device->harvest(Threads.first());
}

/// Not without need: lanes then forget where their last fold was, and all
/// threads take the cold path once.
void Recording::updateGate() {
  if (Gate.update())
    Threads.gateChanged();
}

void Recording::followWindow(bool Open) {
  if (!Open)
    harvestDevices();
  ProcessLock Lock;
  updateGate();
  if (!Open)
    Clock.addAnchor();
}

void Recording::resetLocked() {
  EpochStart Started = Gate.reset();
  Threads.gateChanged();
  if (File.exists()) {
    storeRelease(File.header()->ResetTicks, Started.Ticks);
    storeRelease(File.header()->Epoch, Started.Number);
  }
  resetEpochCounters();
  torchprof::count(Counter::Resets);
}

void Recording::reset() {
  ProcessLock Lock;
  CopyTurn Turn;
  resetLocked();
}

int Recording::flush() {
  harvestDevices();
  size_t Count;
  {
    ProcessLock Lock;
    if (!File.exists())
      return 0;
    Clock.addAnchor();
    Count = File.segments().size();
  }
  auto SegmentAt = [this](size_t I) {
    ProcessLock Lock;
    return File.segments()[I];
  };
  // Without the lock: no thread that records waits for the disk.
  int Error = File.syncHeader();
  for (size_t I = 0; I < Count; ++I)
    if (int Why = ProfileFile::syncSegment(SegmentAt(I)))
      Error = Why;
  return Error;
}

int Recording::snapshot(const std::string &Name) {
  harvestDevices();
  ProcessLock Lock;
  if (!File.exists())
    return ENODATA;
  CopyTurn Turn;
  Clock.addAnchor();
  std::string Path;
  return Name.empty() ? Snapshots.writeNumbered(/*IsAsked=*/true, Path)
                      : Snapshots.write(Name);
}

uint64_t Recording::waitForSnapshot(uint64_t Above, uint64_t TimeoutMs) {
  ProcessLock Lock;
  return Snapshots.waitFor(Above, TimeoutMs);
}

Totals Recording::totals() {
  harvestDevices();
  Totals T{};
  {
    ProcessLock Lock;
    T.Lanes = Threads.count();
    if (File.exists() && !File.path().empty())
      T.FileBytes = File.header()->FileBytes;
  }
  auto Add = [&](Lane &L) {
    ProcessLock Lock;
    return addLane(File, L, T);
  };
  for (Lane *L = Threads.first(); L; L = L->NextLane)
    while (!Add(*L))
      FoldLock Wait(*L);
  return T;
}

} // namespace torchprof
