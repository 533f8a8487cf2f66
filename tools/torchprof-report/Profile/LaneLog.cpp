//===- LaneLog.cpp - logs of lanes ----------------------------------------===//

#include "LaneLog.h"
#include "Aggregate.h"
#include "torchprof/format/Fold.h"
#include "torchprof/format/LiveReader.h"

#include "llvm/Support/MathExtras.h"

#include <deque>
#include <map>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;
using format::LogKeep;
using format::LogKind;

namespace {

/// A record with its true duration.
struct Record {
  uint64_t Number;
  format::LogEntry Entry;
  uint64_t Ticks;
};

class Folder {
public:
  Folder(Profile &P, const LaneLog &Log, uint64_t ResetTicks)
      : P(P), L(P.Lanes[Log.Lane]), Log(Log), ResetTicks(ResetTicks),
        Epoch(static_cast<uint32_t>(P.Epoch)),
        IsLive(P.State == format::FileState::Open && Log.Source) {}

  void run();

private:
  bool counts(const Record &R) const {
    return fateOf(R.Entry, R.Ticks, ResetTicks) == format::LogFate::Counts;
  }
  void readTrace();
  bool hasTornCell() const;
  void copyCells();
  void copyCell(format::Cell &To, const format::Cell &From) const;
  bool copyTornCell(format::Cell &To, const format::Cell &From) const;
  bool mend(format::Cell &C, const format::LogRecord &Head,
            const format::LogEntry *Entries) const;
  bool mendGroup(format::Cell &C, const format::LogRecord &Head,
                 const format::LogEntry *Entries) const;
  format::Cell &cellOf(format::Slot Site);
  void fold(const Record &R);

  Profile &P;
  Lane &L;
  const LaneLog &Log;
  uint64_t ResetTicks;
  uint32_t Epoch;
  bool IsLive; ///< a process may be writing to the cells and the log
  std::map<format::Slot, format::Cell *> Newest; ///< cell of a slot
  std::deque<format::Cell> Added;
};

} // namespace

/// Visits records that lie in \p Entries where \p Head says.
template <typename Function>
static void forEach(const format::LogRecord &Head,
                    const format::LogEntry *Entries, format::LogRange Range,
                    Function Visit) {
  uint64_t LongTicks = 0;
  for (uint64_t I = Range.Begin; I < Range.End; ++I) {
    format::LogEntry E;
    format::copyWords(&E, &Entries[placeOf(Head, I)], sizeof(E));
    if (kindOf(E) == LogKind::Long) {
      LongTicks = E.BeginTicks;
      continue;
    }
    Visit(Record{I, E, LongTicks ? LongTicks : durationOf(E)});
    LongTicks = 0;
  }
}

/// Undoes the update in whose middle the one who folds was stopped. False if
/// that was another one.
bool Folder::mend(format::Cell &C, const format::LogRecord &Head,
                  const format::LogEntry *Entries) const {
  if (C.Epoch != Epoch) { // it was being emptied
    C = emptyCell(C.Site, C.Epoch);
    return true;
  }
  if (Head.UndoNumber <= Head.Folded ||
      Head.UndoNumber - Head.Folded > Head.Ring)
    return false;
  if (Head.UndoCount)
    return mendGroup(C, Head, Entries);
  if (Head.UndoNumber < C.Folded)
    return false;
  bool IsMended = false;
  forEach(Head, Entries, {Head.Folded, Head.UndoNumber}, [&](const Record &R) {
    if (R.Number + 1 != Head.UndoNumber || siteOf(R.Entry) != C.Site)
      return;
    undoFold(C, Head, R.Number, kindOf(R.Entry), R.Ticks,
             fateOf(R.Entry, R.Ticks, ResetTicks));
    IsMended = true;
  });
  return IsMended;
}

/// The same for several records that were added at once.
bool Folder::mendGroup(format::Cell &C, const format::LogRecord &Head,
                       const format::LogEntry *Entries) const {
  uint64_t First = Head.UndoNumber - 1, Left = Head.UndoCount;
  bool BeginsWithIt = false;
  std::vector<uint64_t> Ticks;
  // A damaged file may claim any number of records.
  uint64_t End = std::min(Head.Written, Head.Folded + Head.Ring);
  forEach(Head, Entries, {First, End}, [&](const Record &R) {
    if (!Left || siteOf(R.Entry) != C.Site)
      return;
    --Left;
    BeginsWithIt |= R.Number == First;
    if (isSpan(R.Entry))
      Ticks.push_back(R.Ticks);
  });
  if (BeginsWithIt)
    undoGroup(C, Head, First, Ticks);
  return BeginsWithIt;
}

/// Copies a cell that is in the middle of an update and stays there: the one
/// who folds got no processor since. False if it got one meanwhile.
bool Folder::copyTornCell(format::Cell &To, const format::Cell &From) const {
  format::LogRecord Head;
  format::copyWords(&Head, Log.Source, sizeof(Head));
  format::copyWords(&To, &From, sizeof(To));
  // What it keeps for the undoing was of this record all the time.
  uint64_t UndoNumber = format::loadAcquire(Log.Source->UndoNumber);
  if (To.Word % 2 == 0 || UndoNumber != Head.UndoNumber ||
      Head.Base != Log.Head.Base)
    return false;
  Head.Ring = Log.Head.Ring;
  Head.Kept = Log.Head.Kept;
  return mend(To, Head, Log.SourceEntries);
}

void Folder::copyCell(format::Cell &To, const format::Cell &From) const {
  if (!IsLive) {
    To = From;
    if (To.Word % 2)
      mend(To, Log.Head, Log.Entries.data());
    return;
  }
  for (unsigned Tries = 100; Tries; --Tries)
    if (readCell(From, To, IsLive) || copyTornCell(To, From))
      return;
  To.Word |= 1;
}

/// Copies the lane's cells, which then are the profile's own.
void Folder::copyCells() {
  for (ArrayRef<format::Cell> &Cells : L.Cells) {
    auto Copy = P.allocate<format::Cell>(Cells.size());
    for (size_t I = 0; I < Cells.size(); ++I) {
      copyCell(Copy[I], Cells[I]);
      Newest[Copy[I].Site] = &Copy[I];
    }
    Cells = Copy;
  }
}

format::Cell &Folder::cellOf(format::Slot Site) {
  format::Cell *&C = Newest[Site];
  if (!C)
    C = &Added.emplace_back(emptyCell(Site, Epoch));
  if (C->Epoch != Epoch) {
    uint64_t Folded = C->Folded;
    *C = emptyCell(Site, Epoch);
    C->Folded = Folded;
  }
  return *C;
}

void Folder::fold(const Record &R) {
  format::LogFate Fate = fateOf(R.Entry, R.Ticks, ResetTicks);
  if (Fate == format::LogFate::IsPast)
    return;
  format::Slot Site = siteOf(R.Entry);
  format::Cell &C = cellOf(Site);
  if (C.Folded > R.Number || C.Word % 2)
    return;
  format::LogRecord Scratch;
  if (Fate == format::LogFate::IsCut)
    return foldCut(C, Scratch, R.Number);
  if (!foldRecord(C, Scratch, R.Number, kindOf(R.Entry), R.Ticks))
    return;
  Newest[Site] = &Added.emplace_back(emptyCell(Site, Epoch));
  Newest[Site]->Folded = C.Folded;
}

void Folder::readTrace() {
  const format::LogRecord &Head = Log.Head;
  if (Head.Keep == LogKeep::None)
    return;
  std::vector<TraceEvent> Events;
  forEach(Head, Log.Entries.data(), keptRecords(Head), [&](const Record &R) {
    if (isSpan(R.Entry) && counts(R))
      Events.push_back({R.Entry.BeginTicks, R.Ticks, siteOf(R.Entry)});
  });
  ArrayRef<TraceEvent> Shown = Events;
  if (Shown.size() > Head.Capacity)
    Shown = Head.Keep == LogKeep::First ? Shown.take_front(Head.Capacity)
                                        : Shown.take_back(Head.Capacity);
  uint64_t Offered = Head.Epoch == Epoch ? Head.Spans : 0;
  forEach(Head, Log.Entries.data(), {Head.Folded, Head.Written},
          [&](const Record &R) { Offered += isSpan(R.Entry) && counts(R); });
  L.Traces.push_back({Head.Keep, Head.Capacity,
                      std::max<uint64_t>(Offered, Shown.size()),
                      P.keep(Shown)});
}

bool Folder::hasTornCell() const {
  for (ArrayRef<format::Cell> Cells : L.Cells)
    for (const format::Cell &C : Cells)
      if (C.Word % 2)
        return true;
  return false;
}

void Folder::run() {
  const format::LogRecord &Head = Log.Head;
  L.CurrentSlot = format::slotOfCurrent(Head.Current);
  L.CurrentTicks = Head.CurrentTicks;
  if (Head.Epoch == static_cast<uint32_t>(P.Epoch))
    L.ApartTicks += Head.ApartTicks;
  readTrace();
  bool AddsCurrent = format::isUnlogged(Head.Current) &&
                     L.CurrentSlot != format::NoSlot &&
                     L.CurrentTicks >= ResetTicks;
  // Most files are closed and have nothing to fold: their cells stay where they
  // are.
  if (!IsLive && Head.Folded >= Head.Written && !AddsCurrent && !hasTornCell())
    return;
  copyCells();
  forEach(Head, Log.Entries.data(), {Head.Folded, Head.Written},
          [&](const Record &R) { fold(R); });
  if (AddsCurrent)
    cellOf(L.CurrentSlot).Begins += 1;
  if (!Added.empty()) {
    std::vector<format::Cell> Cells(Added.begin(), Added.end());
    L.Cells.push_back(P.keep(ArrayRef<format::Cell>(Cells)));
  }
}

void report::foldLog(Profile &P, const LaneLog &Log, uint64_t ResetTicks) {
  Folder(P, Log, ResetTicks).run();
}

void report::forgetEndedElsewhere(Profile &P) {
  // Where a reset came since, no cell knows of the begin.
  auto HasCountedBegin = [&P](const Lane &L) {
    return L.CurrentSlot != format::NoSlot && L.CurrentTicks >= P.ResetTicks;
  };
  std::map<format::Slot, Aggregate> Current;
  for (const Lane &L : P.Lanes)
    if (HasCountedBegin(L))
      Current[L.CurrentSlot];
  if (Current.empty())
    return;
  for (const Lane &L : P.Lanes)
    for (ArrayRef<format::Cell> Cells : L.Cells)
      for (const format::Cell &C : Cells) {
        auto Of = Current.find(C.Site);
        if (Of == Current.end() || C.Epoch != static_cast<uint32_t>(P.Epoch))
          continue;
        if (C.Word % 2) // nobody knows what is open
          Current.erase(Of);
        else
          Of->second.add(C, /*Scale=*/1, /*WithHistogram=*/false);
      }
  for (Lane &L : P.Lanes) {
    auto Of = Current.find(L.CurrentSlot);
    if (Of == Current.end() || !HasCountedBegin(L))
      continue;
    const Aggregate &A = Of->second;
    if (A.Begins && A.Begins == A.Count + A.Cut) {
      L.CurrentSlot = format::NoSlot;
      L.CurrentTicks = 0;
    }
  }
}

LaneLog report::makeLog(const Lane &L, const TraceBuffer *Trace, uint64_t Epoch,
                        std::vector<format::LogEntry> &Entries) {
  LaneLog Log = {0, {}, {}};
  format::LogRecord &Head = Log.Head;
  Head.CurrentTicks = L.CurrentTicks;
  Head.Current = format::packCurrent(L.CurrentSlot, false);
  Head.Epoch = static_cast<uint32_t>(Epoch);
  Head.ApartTicks = L.ApartTicks;
  if (Trace) {
    for (const TraceEvent &E : Trace->Events) {
      if (E.Ticks >= format::MaxLogDuration)
        Entries.push_back({E.Ticks, packEntry(E.Site, LogKind::Long)});
      Entries.push_back(
          {E.BeginTicks, packEntry(E.Site, LogKind::Span, E.Ticks)});
    }
    Head.Keep = Trace->Keep;
    Head.Capacity = Trace->Capacity;
    Head.Spans = Trace->Written;
  }
  Head.Written = Head.Folded = Entries.size();
  if (Head.Keep == LogKeep::First)
    Head.Kept = Entries.size();
  Head.Ring = Head.Keep == LogKeep::Last ? PowerOf2Ceil(Entries.size() + 1) : 1;
  Entries.resize(Head.Kept + Head.Ring);
  return Log;
}
