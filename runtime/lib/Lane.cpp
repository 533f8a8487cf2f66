//===- Lane.cpp - a thread's row of cells ---------------------------------===//

#include "Lane.h"

#include "FunctionRings.h"
#include "Host.h"
#include "Measures.h"
#include "Memory.h"
#include "Pages.h"
#include "Process.h"
#include "ProfileFile.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/Segments.h"

#include <algorithm>
#include <cstring>
#include <sys/syscall.h>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace torchprof {

using namespace format;

__thread Lane *ThisLane = nullptr;

static pthread_key_t EndOfThread;
static pthread_once_t EndOfThreadOnce = PTHREAD_ONCE_INIT;

/// The records of a lane without segments are in the lane's own pages.
namespace {
struct LanePages {
  Lane Main;
  LaneRecord PrivateRecord;
  LogRecord PrivateLog;
};
} // namespace

/// An owner that waits for the folding thread lends it its real-time priority,
/// where the system can do that.
static void initFoldMutex(Lane &L) {
  pthread_mutexattr_t Attributes;
  pthread_mutexattr_init(&Attributes);
  pthread_mutexattr_setprotocol(&Attributes, PTHREAD_PRIO_INHERIT);
  if (pthread_mutex_init(&L.FoldMutex, &Attributes) != 0)
    pthread_mutex_init(&L.FoldMutex, nullptr);
  pthread_mutexattr_destroy(&Attributes);
}

void Lanes::endOfThread(void *Argument) {
  auto *L = static_cast<Lane *>(Argument);
  ThisLane = nullptr;
  // A thread that was forked and never probed again has a wiped lane.
  if (L->Owner)
    L->Owner->release(*L);
}

void Lanes::release(Lane &L) {
  ProcessLock Lock;
  L.Functions = nullptr;
  L.RefusedFunctions = 0;
  if (FunctionRing *Made = std::exchange(L.OwnFunctions, nullptr))
    Made->release();
  L.Depth = 0;
  L.LastEnd = 0;
  for (unsigned Place = 0; Place < MemoryPlaceCount; ++Place) {
    L.HeldElsewhere[Place] += ThisMemory[Place].held();
    L.HeldOutside[Place] -= ThisMemory[Place].HeldOutside;
  }
  setCurrent(L, 0, packCurrent(NoSlot, false));
  storeRelease(L.Record->State, LaneState::Free);
  L.NextFree = Free;
  Free = &L;
}

/// What the kernel calls the calling thread, in the form of a lane's record.
struct ThreadName {
  ThreadName() {
    char Name[sizeof(Words)] = "";
    pthread_getname_np(pthread_self(), Name, sizeof(Name));
    memcpy(Words, Name, sizeof(Words));
  }

  uint64_t Words[2];
};

static_assert(sizeof(ThreadName) == sizeof(LaneRecord::Name));

static void nameOwner(LaneRecord &R, const ThreadName &Name) {
  storeRelaxed(R.Thread, uint64_t(syscall(SYS_gettid)));
  storeRelaxed(R.Threads, R.Threads + 1);
  auto *Target = reinterpret_cast<uint64_t *>(R.Name);
  storeRelaxed(Target[0], Name.Words[0]);
  storeRelaxed(Target[1], Name.Words[1]);
  storeRelease(R.State, LaneState::Live);
}

/// A lane has one name, so threads that are called otherwise do not share it
/// unless so many lanes are free.
static constexpr unsigned MostFreeLanes = 64;

Lane *Lanes::takeFree(const ThreadName &Name, unsigned MostLeft) {
  Lane **Link = &Free;
  unsigned Others = 0;
  while (*Link &&
         memcmp((*Link)->Record->Name, Name.Words, sizeof(Name.Words)) != 0) {
    ++Others;
    Link = &(*Link)->NextFree;
  }
  if (!*Link) {
    if (Others <= MostLeft)
      return nullptr;
    Link = &Free;
  }
  Lane *L = *Link;
  *Link = L->NextFree;
  L->NextFree = nullptr;
  return L;
}

Lane *Lanes::make() {
  constexpr uint64_t Bytes = roundUp(sizeof(LanePages), PageBytes);
  auto *Memory = static_cast<LanePages *>(Pages.wiped(Bytes));
  if (!Memory)
    return nullptr;
  Lane *L = &Memory->Main;
  L->Record = &Memory->PrivateRecord;
  L->Log = &Memory->PrivateLog;
  setCurrent(*L, 0, packCurrent(NoSlot, false));
  L->Owner = this;
  initFoldMutex(*L);
  L->NextLane = All.load(std::memory_order_relaxed);
  All.store(L, std::memory_order_release);
  return L;
}

Lane *Lanes::own() {
  Lane *L = ThisLane;
  if (L && L->Owner == this) [[likely]] {
    L->Clock.followChoice();
    return L;
  }
  pthread_once(&EndOfThreadOnce,
               [] { pthread_key_create(&EndOfThread, endOfThread); });
  ProcessLock Lock;
  ThreadName Name;
  L = takeFree(Name, MostFreeLanes);
  if (!L)
    L = make();
  if (!L)
    L = takeFree(Name, 0);
  if (!L)
    return nullptr;
  if (!Process.Open.load(std::memory_order_relaxed))
    L->Since.store(GateShut, std::memory_order_relaxed);
  L->Clock.followChoice();
  nameOwner(*L->Record, Name);
  // In a child of fork the thread has what it held in the parent process.
  if (ThisLane && !ThisLane->Owner)
    for (unsigned Place = 0; Place < MemoryPlaceCount; ++Place) {
      L->HeldElsewhere[Place] -= ThisMemory[Place].held();
      L->HeldOutside[Place] += ThisMemory[Place].HeldOutside;
    }
  ThisLane = L;
  pthread_setspecific(EndOfThread, L);
  return L;
}

/// Sets up the record of a log that keeps so many spans in trace mode. Returns
/// its number of entries.
static uint64_t planLog(LogRecord &Log, LogKeep Keep, uint64_t Events) {
  Log.Keep = Keep;
  Log.Capacity = Keep == LogKeep::None ? 0 : Events;
  Log.Ring = LogRing;
  // A span may have two records.
  if (Keep == LogKeep::First)
    Log.Kept = roundUp(2 * Events, LogPageEntries);
  while (Keep == LogKeep::Last && Log.Ring < 2 * Events)
    Log.Ring *= 2;
  return Log.Kept + Log.Ring;
}

LogKeep keepOf(const Options &Opts) {
  if (Opts.Mode != "trace")
    return LogKeep::None;
  return Opts.TraceKeep == "first" ? LogKeep::First : LogKeep::Last;
}

bool Lanes::attach(Lane &L) {
  LogRecord Plan = *L.Log;
  uint64_t Entries =
      planLog(Plan, keepOf(Program.Opts), Program.Opts.TraceEvents);
  if (!L.HasRecord) {
    SegmentHeader *Head = File.add(
        SegmentType::Lane, SegmentOf<SegmentType::Lane>::payloadBytes(), Count);
    if (!Head)
      return false;
    LaneRecord &Record = SegmentOf<SegmentType::Lane>(Head).record();
    Record = *L.Record;
    Record.Lane = Count;
    File.publish();
    L.Number = Count++;
    L.Record = &Record;
    L.HasRecord = true;
  }
  using LogSegment = SegmentOf<SegmentType::Log>;
  SegmentHeader *Head =
      File.add(SegmentType::Log, LogSegment::payloadBytes(Entries), L.Number);
  if (!Head)
    return false;
  Plan.Epoch = Process.Epoch.load(std::memory_order_relaxed);
  LogSegment(Head).record() = Plan;
  File.publish();
  L.Log = &LogSegment(Head).record();
  L.Entries = L.Page = LogSegment(Head).entries();
  L.Attached = true;
  return true;
}

void Lanes::gateChanged() {
  bool IsOpen = Process.Open.load(std::memory_order_relaxed) != 0;
  // Release: an owner that finds its gate at 0 finds what the window is now,
  // and does not open the gate for the window before (readyLane).
  for (Lane *L = first(); L; L = L->NextLane) {
    L->MeasuredSince.store(0, std::memory_order_release);
    L->Since.store(IsOpen ? 0 : GateShut, std::memory_order_release);
  }
}

/// A longer copy of an array, in place of the old one; null without memory. New
/// elements are zero, and take memory once they are used.
template <typename T>
static T *grown(PageSource &Pages, T *Old, uint64_t OldCount, uint64_t Count) {
  auto *New = static_cast<T *>(Pages.plain(Count * sizeof(T)));
  if (!New)
    return nullptr;
  static_assert(std::is_trivially_copyable_v<T>);
  std::copy_n(Old, OldCount, New);
  if (Old)
    Pages.free(Old, OldCount * sizeof(T));
  return New;
}

bool Lanes::growEntries(Lane &L, uint32_t Wanted) {
  if (Wanted <= L.SlotCount)
    return true;
  // Sites that come to be one after the other do not copy all each time.
  Wanted = std::max(Wanted, L.SlotCount + L.SlotCount / 2);
  SlotEntry *Slots = grown(Pages, L.Slots, L.SlotCount, Wanted);
  if (!Slots)
    return false;
  L.Slots = Slots;
  if (L.Measured) {
    auto *Longer =
        grown(Pages, L.Measured, uint64_t(L.SlotCount) * MeasureSourceCount,
              uint64_t(Wanted) * MeasureSourceCount);
    if (!Longer) // goes on without: none is open beyond the old entries
      Pages.free(L.Measured, uint64_t(L.SlotCount) * MeasureSourceCount *
                                 sizeof(MeasureCell *));
    L.Measured = Longer;
  }
  if (L.VariantCount) {
    auto *Longer = grown(Pages, L.Variants, L.VariantCount, Wanted);
    if (!Longer)
      Pages.free(L.Variants, uint64_t(L.VariantCount) * sizeof(Variant *));
    L.Variants = Longer;
    L.VariantCount = Longer ? Wanted : 0;
  }
  L.SlotCount = Wanted;
  return true;
}

/// Cells per segment: few at first, then a quarter of what is there, so that
/// at most a fifth of a busy lane lies unused. An odd number fills pages.
static uint32_t nextCapacity(const Lane &L) {
  uint32_t Capacity = L.CellCount / 4;
  Capacity = Capacity < 15 ? 15 : Capacity > 255 ? 255 : Capacity;
  return Capacity | 1;
}

Cell *Lanes::newCell(Lane &L, Slot Site, uint64_t Folded) {
  using CellsSegment = SegmentOf<SegmentType::Cells>;
  if (!L.Cells || CellsSegment(L.Cells).record().Used ==
                      CellsSegment(L.Cells).record().Capacity) {
    uint32_t Capacity = nextCapacity(L);
    SegmentHeader *Head = File.add(
        SegmentType::Cells, CellsSegment::payloadBytes(Capacity), L.Number);
    if (!Head)
      return nullptr;
    CellsSegment(Head).record().Capacity = Capacity;
    File.publish();
    L.CellChain = File.chain(L.CellChain);
    L.Cells = Head;
  }
  CellsRecord &Record = CellsSegment(L.Cells).record();
  Cell &New = CellsSegment(L.Cells).entries()[Record.Used];
  storeRelaxed(New.Site, Site);
  storeRelaxed(New.Epoch, Process.Epoch.load(std::memory_order_relaxed));
  storeRelaxed(New.Folded, Folded);
#define TORCHPROF_CELL_FIELD(NAME, JSON, INITIAL, COMBINE, MEANING)            \
  storeRelaxed(New.NAME, INITIAL);
#include "torchprof/format/CellFields.def"
  storeRelease(Record.Used, Record.Used + 1);
  ++L.CellCount;
  return &New;
}

SegmentHeader *Lanes::newRuns(Lane &L, Slot Site) {
  using RunsSegment = SegmentOf<SegmentType::Runs>;
  SegmentHeader *Head = File.add(
      SegmentType::Runs, RunsSegment::payloadBytes(RunsCapacity), L.Number);
  if (!Head)
    return nullptr;
  RunsRecord &Record = RunsSegment(Head).record();
  Record.Site = Site;
  Record.Capacity = RunsCapacity;
  File.publish();
  return Head;
}

void resetCell(SlotEntry &Entry, uint32_t Epoch) {
  Cell &C = *Entry.Data;
  storeRelaxed(C.Word, C.Word | 1);
#define TORCHPROF_CELL_FIELD(NAME, JSON, INITIAL, COMBINE, MEANING)            \
  storeRelease(C.NAME, INITIAL);
#include "torchprof/format/CellFields.def"
  for (uint64_t &First : C.First)
    storeRelease(First, 0);
  for (uint32_t &Count : C.Histogram)
    storeRelease(Count, 0);
  if (Entry.Runs)
    storeRelease(SegmentOf<SegmentType::Runs>(Entry.Runs).record().Count, 0);
  // In this order: killed between the two, it is an empty cell of its old
  // epoch.
  storeRelease(C.Word, 0);
  storeRelease(C.Epoch, Epoch);
}

} // namespace torchprof
