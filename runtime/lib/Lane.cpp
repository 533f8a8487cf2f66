//===- Lane.cpp - what one thread writes ----------------------------------===//

#include "Lane.h"
#include "Collector.h"
#include "Probe.h"

#include <cstring>
#include <new>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace torchprof {

using namespace format;

__thread Lane *ThisLane = nullptr;

static Lane *FreeLanes = nullptr;
static pthread_key_t EndOfThread;
static pthread_once_t EndOfThreadOnce = PTHREAD_ONCE_INIT;

/// The record of a lane without a segment; in the lane's own pages.
namespace {
struct LanePages {
  Lane Main;
  LaneRecord PrivateRecord;
};
} // namespace

static void releaseLane(void *Argument) {
  auto *L = static_cast<Lane *>(Argument);
  ThisLane = nullptr;
  if (L->Magic != LaneMagic)
    return; // the thread was forked and never probed again
  ProcessLock Lock;
  if (L->Hidden) {
    L->SlotCount = L->HiddenSlotCount;
    L->Hidden = false;
  }
  L->Depth = 0;
  storeRelease(L->Record->CurrentSlot, NoSlot);
  storeRelease(L->Record->State, LaneState::Free);
  L->NextFree = FreeLanes;
  FreeLanes = L;
}

static void nameOwner(LaneRecord &R) {
  storeRelaxed(R.Thread, uint64_t(syscall(SYS_gettid)));
  storeRelaxed(R.Threads, R.Threads + 1);
  char Name[16] = "";
  pthread_getname_np(pthread_self(), Name, sizeof(Name));
  uint64_t Words[2];
  memcpy(Words, Name, sizeof(Words));
  auto *Target = reinterpret_cast<uint64_t *>(R.Name);
  storeRelaxed(Target[0], Words[0]);
  storeRelaxed(Target[1], Words[1]);
  storeRelease(R.State, LaneState::Live);
}

Lane *ownLane() {
  Lane *L = ThisLane;
  if (L && L->Magic == LaneMagic) [[likely]]
    return L;
  pthread_once(&EndOfThreadOnce,
               [] { pthread_key_create(&EndOfThread, releaseLane); });
  ProcessLock Lock;
  if (FreeLanes) {
    L = FreeLanes;
    FreeLanes = L->NextFree;
    L->NextFree = nullptr;
  } else {
    constexpr uint64_t Bytes =
        (sizeof(LanePages) + PageBytes - 1) / PageBytes * PageBytes;
    auto *Pages = static_cast<LanePages *>(wipedPages(Bytes));
    if (!Pages)
      return nullptr;
    L = &Pages->Main;
    L->Record = &Pages->PrivateRecord;
    L->Record->CurrentSlot = NoSlot;
    L->Magic = LaneMagic;
  }
  nameOwner(*L->Record);
  ThisLane = L;
  pthread_setspecific(EndOfThread, L);
  return L;
}

/// Gives the lane its segment, and its ring of events in trace mode.
static bool attach(Lane &L) {
  SegmentHeader *Head =
      State.File.add(SegmentType::Lane, sizeof(LaneRecord), State.LaneCount);
  if (!Head)
    return false;
  auto *Record = reinterpret_cast<LaneRecord *>(Head + 1);
  *Record = *L.Record;
  Record->Lane = State.LaneCount;
  State.File.publish();
  L.Number = State.LaneCount++;
  L.Record = Record;
  L.Attached = true;
  if (!State.Opts.Trace)
    return true;
  uint64_t Capacity = State.Opts.TraceEvents;
  Head = State.File.add(SegmentType::Trace,
                        TraceOffset - sizeof(SegmentHeader) +
                            Capacity * sizeof(TraceEvent),
                        L.Number);
  if (!Head)
    return true; // the aggregates are kept
  auto *Trace = reinterpret_cast<TraceRecord *>(Head + 1);
  Trace->Keep = State.Opts.KeepFirst ? TraceKeep::First : TraceKeep::Last;
  Trace->Epoch = Process.Epoch.load(std::memory_order_relaxed);
  Trace->Capacity = Capacity;
  State.File.publish();
  L.Events = reinterpret_cast<TraceEvent *>(reinterpret_cast<char *>(Head) +
                                            TraceOffset);
  L.Trace = Trace;
  return true;
}

/// Makes room for entries up to \p Slot. Mapped, not allocated: the host's
/// allocator may be what is being profiled.
static bool growSlots(Lane &L, uint32_t Slot) {
  if (Slot < L.SlotCount)
    return true;
  uint32_t Count = slotCount();
  if (Slot >= Count)
    return false;
  void *Memory =
      mmap(nullptr, Count * sizeof(SlotEntry), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Memory == MAP_FAILED)
    return false;
  auto *Slots = static_cast<SlotEntry *>(Memory);
  for (uint32_t I = 0; I < Count; ++I)
    new (&Slots[I]) SlotEntry(I < L.SlotCount ? L.Slots[I] : SlotEntry());
  if (L.Slots)
    munmap(L.Slots, L.SlotCount * sizeof(SlotEntry));
  L.Slots = Slots;
  L.SlotCount = Count;
  return true;
}

/// Cells per segment: small at first, then a quarter of what is there, so
/// that at most a fifth of a busy lane lies unused. 3 modulo 4 fills pages.
static uint32_t nextCapacity(const Lane &L) {
  uint32_t Capacity = L.CellCount / 4;
  Capacity = Capacity < 31 ? 31 : Capacity > 255 ? 255 : Capacity;
  return Capacity | 3;
}

static Cell *newCell(Lane &L, uint32_t Slot) {
  if (!L.Cells || L.Cells->Used == L.Cells->Capacity) {
    uint32_t Capacity = nextCapacity(L);
    SegmentHeader *Head = State.File.add(SegmentType::Cells,
                                         CellsOffset - sizeof(SegmentHeader) +
                                             Capacity * sizeof(Cell),
                                         L.Number);
    if (!Head)
      return nullptr;
    L.Cells = reinterpret_cast<CellsRecord *>(Head + 1);
    L.Cells->Capacity = Capacity;
    State.File.publish();
  }
  auto *Cells = reinterpret_cast<Cell *>(reinterpret_cast<char *>(L.Cells) -
                                         sizeof(SegmentHeader) + CellsOffset);
  Cell *New = &Cells[L.Cells->Used];
  New->Slot = Slot;
  New->Epoch = Process.Epoch.load(std::memory_order_relaxed);
  New->Min = UINT64_MAX;
  storeRelease(L.Cells->Used, L.Cells->Used + 1);
  ++L.CellCount;
  return New;
}

SlotEntry *touchSlot(Lane &L, uint32_t Slot) {
  if (SlotEntry *Ready = readyEntry(&L, Slot))
    return Ready;
  if (Slot == NoSlot || L.Hidden)
    return nullptr;
  ProcessLock Lock;
  createProfile();
  SlotEntry *Entry = nullptr;
  if ((L.Attached || attach(L)) && growSlots(L, Slot)) {
    writeEntry(Slot);
    Entry = &L.Slots[Slot];
    Entry->Data = newCell(L, Slot);
    if (!Entry->Data)
      Entry = nullptr;
  }
  noteFileError();
  return Entry;
}

void touchRuns(Lane &L, SlotEntry &Entry) {
  if (Entry.Runs || !Entry.Data)
    return;
  ProcessLock Lock;
  SegmentHeader *Head = State.File.add(
      SegmentType::Runs, sizeof(RunsRecord) + RunsCapacity * sizeof(RunSample),
      L.Number);
  if (Head) {
    auto *Runs = reinterpret_cast<RunsRecord *>(Head + 1);
    Runs->Slot = Entry.Data->Slot;
    Runs->Capacity = RunsCapacity;
    State.File.publish();
    Entry.Runs = Runs;
  }
  noteFileError();
}

void resetCell(SlotEntry &Entry, uint32_t Epoch) {
  Cell &C = *Entry.Data;
  storeRelaxed(C.Word, C.Word | 1);
  storeRelease(C.Begins, uint64_t(0));
  storeRelease(C.Cut, uint64_t(0));
  storeRelease(C.Sum, uint64_t(0));
  storeRelease(C.SquaresLow, uint64_t(0));
  storeRelease(C.SquaresHigh, uint64_t(0));
  storeRelease(C.Min, UINT64_MAX);
  storeRelease(C.Max, uint64_t(0));
  storeRelease(C.Nested, uint64_t(0));
  for (uint64_t &First : C.First)
    storeRelease(First, uint64_t(0));
  for (uint32_t &Low : C.HistogramLow)
    storeRelease(Low, uint32_t(0));
  for (uint16_t &High : C.HistogramHigh)
    storeRelease(High, uint16_t(0));
  if (Entry.Runs)
    storeRelease(Entry.Runs->Count, uint64_t(0));
  storeRelease(C.Epoch, Epoch);
  storeRelease(C.Word, uint64_t(0));
}

void abandonLanes() {
  FreeLanes = nullptr;
  State.LaneCount = 0;
}

} // namespace torchprof
