//===- Books.cpp - which node allocated what is alive ---------------------===//

#include "Books.h"

#include "Clock.h"
#include "Host.h"
#include "Memory.h"
#include "Process.h"
#include "ProfileFile.h"
#include "Recording.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/Segments.h"

#include <algorithm>
#include <bit>
#include <new>

namespace torchprof {

using namespace format;

namespace {
class BooksLock {
public:
  explicit BooksLock(pthread_mutex_t &Mutex) : Mutex(Mutex) {
    pthread_mutex_lock(&Mutex);
  }
  ~BooksLock() { pthread_mutex_unlock(&Mutex); }
  BooksLock(const BooksLock &) = delete;
  BooksLock &operator=(const BooksLock &) = delete;

private:
  pthread_mutex_t &Mutex;
};
} // namespace

Books::Books(Recording &Owner, ProfileFile &File, PageSource &Pages,
             const Host &Program, MemoryPlace Place)
    : Owner(Owner), File(File), Place(Place), Map(Pages),
      Kept(hasWord(Program.Opts.Record, "blocks")) {}

BlockAccount *Books::makeAccount(Slot Site, bool IsShut) {
  using BlocksSegment = SegmentOf<SegmentType::Blocks>;
  if (Site != NoSlot)
    Owner.writeNote(Site);
  ProcessLock Lock;
  if (!File.exists())
    return nullptr;
  if (!Newest || BlocksSegment(Newest).record().Used ==
                     BlocksSegment(Newest).record().Capacity) {
    constexpr uint32_t Capacity = (2 * PageBytes - sizeof(SegmentHeader) -
                                   BlocksSegment::payloadBytes()) /
                                  sizeof(BlockAccount);
    SegmentHeader *Head =
        File.add(SegmentType::Blocks, BlocksSegment::payloadBytes(Capacity));
    if (!Head)
      return nullptr;
    BlocksSegment(Head).record().Capacity = Capacity;
    BlocksSegment(Head).record().PeakSite = NoSlot;
    BlocksSegment(Head).record().Place = Place;
    BlocksSegment(Head).record().Epoch =
        Process.Epoch.load(std::memory_order_relaxed);
    File.publish();
    Newest = Head;
    if (!Totals)
      Totals = &BlocksSegment(Head).record();
  }
  BlocksRecord &R = BlocksSegment(Newest).record();
  BlockAccount &New = BlocksSegment(Newest).entries()[R.Used];
  storeRelaxed(New.Site, Site);
  storeRelaxed(New.IsShut, uint32_t(IsShut));
  storeRelease(R.Used, R.Used + 1);
  return &New;
}

uint32_t Books::accountOf(Slot Site, bool IsShut) {
  try {
    if (Site != NoSlot && number(Site) >= NumberOf.size())
      NumberOf.resize(number(Site) + 1);
    uint32_t &Number = IsShut           ? ShutNumber
                       : Site == NoSlot ? OutsideNumber
                                        : NumberOf[number(Site)];
    if (Number)
      return Number;
    // First: the account that comes to be has a place.
    if (Accounts.size() == Accounts.capacity())
      Accounts.reserve(std::max<size_t>(2 * Accounts.size(), 64));
    BlockAccount *New = makeAccount(Site, IsShut);
    if (!New)
      return 0;
    Accounts.push_back(New);
    return Number = uint32_t(Accounts.size());
  } catch (const std::bad_alloc &) {
    return 0;
  }
}

/// Begins the numbers of a new epoch; what is alive stays.
void Books::followReset() {
  uint32_t Epoch = Process.Epoch.load(std::memory_order_relaxed);
  if (Totals->Epoch == Epoch)
    return;
  storeRelaxed(Totals->Peak, Totals->Live);
  storeRelaxed(Totals->PeakTicks, clock::ticks());
  storeRelaxed(Totals->PeakSite, NoSlot);
  storeRelaxed(Totals->Peaks, Totals->Peaks + 1);
  storeRelaxed(Totals->Runs, uint64_t(0));
  for (uint64_t &Runs : Totals->MarkRuns)
    storeRelaxed(Runs, uint64_t(0));
  storeRelease(Totals->Epoch, Epoch);
}

static void keep(HeldThen &Then, uint64_t Number, int64_t Live) {
  if (Then.Number == Number)
    return;
  storeRelaxed(Then.Bytes, Live);
  storeRelease(Then.Number, Number);
}

/// Writes down what an account held at the last events, before it changes.
void Books::noteEvents(BlockAccount &A) {
  keep(A.AtPeak, Totals->Peaks, A.Live);
  if (A.MarkNumber != Totals->Marks) {
    BlockAccount Then = A;
    followMarks(Then, *Totals);
    storeRelaxed(A.AtMarks[0], Then.AtMarks[0]);
    storeRelaxed(A.AtMarks[1], Then.AtMarks[1]);
    storeRelease(A.MarkNumber, Then.MarkNumber);
  }
  keep(A.AtRunEnd, Totals->RunEnds, A.Live); // which the marks were made of
}

void Books::change(BlockAccount &A, int64_t Bytes, int64_t Blocks) {
  followReset();
  noteEvents(A);
  storeRelease(A.Live, A.Live + Bytes); // after what noteEvents() wrote down
  storeRelaxed(A.Blocks, A.Blocks + Blocks);
  storeRelease(Totals->Live, Totals->Live + Bytes);
  if (Totals->Live <= Totals->Peak ||
      !Process.Open.load(std::memory_order_relaxed))
    return;
  storeRelaxed(Totals->Peak, Totals->Live);
  storeRelaxed(Totals->PeakTicks, clock::ticks());
  storeRelaxed(Totals->PeakSite, A.Site);
  storeRelease(Totals->Peaks, Totals->Peaks + 1);
}

void Books::allocated(const void *Block, uint64_t Bytes) {
  Slot Site = innermostRunningSite();
  // Nodes may run, of which nobody knows.
  bool IsShut = Site == NoSlot && !Process.Open.load(std::memory_order_relaxed);
  BooksLock Lock(Mutex);
  uint32_t Number = accountOf(Site, IsShut);
  if (Number && Map.set(Block, Number))
    change(*Accounts[Number - 1], int64_t(Bytes), 1);
}

void Books::freed(const void *Block, uint64_t Bytes) {
  BooksLock Lock(Mutex);
  if (uint32_t Number = Map.take(Block))
    change(*Accounts[Number - 1], -int64_t(Bytes), -1);
}

void Books::runEnded() {
  BooksLock Lock(Mutex);
  if (!Totals)
    return;
  followReset();
  // A mark is of the run before this one: so the last run and the two marks are
  // always three.
  uint64_t Runs = Totals->Runs;
  if (std::has_single_bit(Runs)) {
    storeRelaxed(Totals->MarkRuns[0], Totals->MarkRuns[1]);
    storeRelaxed(Totals->MarkRuns[1], Runs);
    storeRelease(Totals->Marks, Totals->Marks + 1);
  }
  storeRelaxed(Totals->Runs, Runs + 1);
  storeRelease(Totals->RunEnds, Totals->RunEnds + 1);
}

} // namespace torchprof
