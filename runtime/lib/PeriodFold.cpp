//===- PeriodFold.cpp - folds runs that are alike -------------------------===//

#include "PeriodFold.h"

#include <algorithm>

namespace torchprof {

using namespace format;

/// With fewer the sites are looked up in vain.
static constexpr unsigned FewestRepeats = 2;

/// What is the same in records of one kind and site.
static uint64_t kindAndSite(const LogEntry &E) {
  return E.Packed >> LogDurationBits;
}

/// Number of records from \p E on, of \p Count, which are as those \p Length
/// before and began after \p ResetTicks.
static uint64_t countAlike(const LogEntry *E, uint64_t Count, unsigned Length,
                           uint64_t ResetTicks) {
  auto Difference = [=](uint64_t I) {
    const LogEntry &Here = E[I], &Before = *(&E[I] - Length);
    return (kindAndSite(Here) ^ kindAndSite(Before)) |
           (Here.BeginTicks - ResetTicks) >> 63;
  };
  constexpr uint64_t Step = 8;
  uint64_t Alike = 0;
  for (; Alike + Step <= Count; Alike += Step) {
    __builtin_prefetch(&E[Alike + RecordsAhead]);
    __builtin_prefetch(&E[Alike + RecordsAhead + Step / 2]);
    uint64_t All = 0;
    for (uint64_t I = 0; I < Step; ++I)
      All |= Difference(Alike + I);
    if (All)
      break;
  }
  while (Alike < Count && !Difference(Alike))
    ++Alike;
  return Alike;
}

PeriodFold::PeriodFold(Lane &L, const EpochStart &Epoch, Records From)
    : L(L), From(From) {
  findPeriods(Epoch);
  if (Repeats < FewestRepeats || !findSites(Epoch))
    Length = Repeats = 0;
}

void PeriodFold::findPeriods(const EpochStart &Epoch) {
  uint64_t Longest =
      std::min<uint64_t>(From.Count / FewestRepeats, MostRecords);
  if (!Longest)
    return;
  uint64_t First = kindAndSite(From.Entries[0]), Again = 1;
  while (Again <= Longest && kindAndSite(From.Entries[Again]) != First)
    ++Again;
  if (Again > Longest)
    return;
  Length = static_cast<unsigned>(Again);
  Repeats = 1 + static_cast<unsigned>(countAlike(From.Entries + Length,
                                                 From.Count - Length, Length,
                                                 Epoch.Ticks) /
                                      Length);
}

/// False if a site has no cell that the records of the first period can be
/// added to.
bool PeriodFold::findSites(const EpochStart &Epoch) {
  for (unsigned I = 0; I < Length; ++I) {
    const LogEntry &E = From.Entries[I];
    SlotEntry *Known = knownEntry(L, siteOf(E));
    if (!Known || Known->Data->Epoch != Epoch.Number ||
        E.BeginTicks < Epoch.Ticks || kindOf(E) == LogKind::Long) {
      forgetSites(I);
      return false;
    }
    __builtin_prefetch(&Known->Data->Histogram[histogramBucket(durationOf(E))],
                       /*rw=*/1);
    Next[I] = NoPosition;
    IsFirst[I] = Known->BehindPosition == 0;
    if (!IsFirst[I])
      Next[Known->BehindPosition - 1] = static_cast<uint16_t>(I);
    Known->BehindPosition = static_cast<uint16_t>(I + 1);
  }
  forgetSites(Length);
  return true;
}

void PeriodFold::forgetSites(unsigned Positions) {
  for (unsigned I = 0; I < Positions; ++I)
    knownEntry(L, siteOf(From.Entries[I]))->BehindPosition = 0;
}

PeriodFold::InPeriod PeriodFold::recordsAt(unsigned First) const {
  InPeriod Of{};
  for (unsigned I = First; I != NoPosition; I = Next[I]) {
    const LogEntry &E = From.Entries[I];
    ++Of.Records;
    if (isSpan(E) && Of.Spans++ == 0) {
      Of.Span = I;
      Of.BeginsBefore = Of.Begins;
    }
    Of.Begins += countsBegin(kindOf(E));
    Of.Pairs += kindOf(E) == LogKind::PairEnd;
  }
  return Of;
}

PeriodFold::Place PeriodFold::foldSite(unsigned First) {
  Cell &C = *knownEntry(L, siteOf(From.Entries[First]))->Data;
  InPeriod Of = recordsAt(First);
  GroupFold Group(C, *L.Log, From.Number + First,
                  uint64_t(Of.Records) * Repeats);
  return Of.Spans == 1 ? foldSpans(Group, First, Of) : foldOthers(Group, First);
}

/// A site with one span in each period, as nearly all have.
PeriodFold::Place PeriodFold::foldSpans(GroupFold &Group, unsigned First,
                                        const InPeriod &Of) {
  auto Done = static_cast<unsigned>(
      Group.addSpans(&From.Entries[Of.Span], Length, Repeats));
  Spans += Done;
  bool IsAll = Done == Repeats;
  Place End{IsAll ? First : Of.Span, Done};
  Group.finish(numberOf(End), Done * Of.Begins + (IsAll ? 0 : Of.BeginsBefore),
               Done * Of.Pairs);
  return End;
}

PeriodFold::Place PeriodFold::foldOthers(GroupFold &Group, unsigned First) {
  uint64_t Begins = 0, Pairs = 0;
  Place At{First, 0};
  for (; At.Repeat < Repeats; advance(At, First)) {
    const LogEntry &E = From.Entries[offset(At)];
    if (isSpan(E)) {
      if (!Group.addSpan(durationOf(E)))
        break;
      ++Spans;
    }
    LogKind Kind = kindOf(E);
    Begins += countsBegin(Kind);
    Pairs += Kind == LogKind::PairEnd;
  }
  Group.finish(numberOf(At), Begins, Pairs);
  return At;
}

} // namespace torchprof
