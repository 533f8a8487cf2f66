//===- PeriodFold.h - folds runs that are alike -----------------*- C++ -*-===//
//
// Most programs run a method in the same way again and again, and a fold finds
// several of its runs in the log: the same sites in the same order. Then what a
// site has in all of them is folded at once: its cell is looked up, and written
// to, once and not for each record, which is most of what folding takes.
//
// The records of a site stay in their order, as readers expect (Fold.h); those
// of different sites do not.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PERIODFOLD_H
#define TORCHPROF_PERIODFOLD_H

#include "Lane.h"
#include "Process.h"
#include "torchprof/format/Fold.h"

#include <cstdint>

namespace torchprof {

class PeriodFold {
public:
  /// Records that follow each other in memory.
  struct Records {
    const format::LogEntry *Entries;
    uint64_t Number; ///< of the first
    uint64_t Count;
  };

  /// Looks for periods at the begin of \p From, whose first record is not
  /// behind a Long one. The caller holds the lane's lock.
  PeriodFold(Lane &L, const EpochStart &Epoch, Records From);
  PeriodFold(const PeriodFold &) = delete;
  PeriodFold &operator=(const PeriodFold &) = delete;

  /// Number of records in all periods; 0 if there are none.
  uint64_t count() const { return uint64_t(Length) * Repeats; }

  /// Folds the records. Those of a site whose cell cannot take more are given
  /// to \p One, one by one.
  template <typename Function> void fold(Function One) {
    for (unsigned I = 0; I < Length; ++I) {
      if (!IsFirst[I])
        continue;
      Place Next = foldSite(I);
      for (; Next.Repeat < Repeats; advance(Next, I))
        One(From.Entries[offset(Next)], From.Number + offset(Next));
    }
  }

  /// Number of spans among those that fold() has not given away.
  uint64_t spans() const { return Spans; }

private:
  /// A period is not longer.
  static constexpr unsigned MostRecords = 2048;
  static constexpr uint16_t NoPosition = UINT16_MAX;

  /// A record, by its place in a period and the number of that.
  struct Place {
    unsigned Position;
    unsigned Repeat;
  };
  unsigned offset(Place At) const { return At.Repeat * Length + At.Position; }
  /// Number of the first record that a site has not got that got all before.
  uint64_t numberOf(Place At) const {
    return From.Number + (At.Repeat < Repeats ? offset(At) : count());
  }
  /// Goes to the next record of the site that is first at \p First.
  void advance(Place &At, unsigned First) const {
    At.Position = Next[At.Position];
    if (At.Position != NoPosition)
      return;
    At.Position = First;
    ++At.Repeat;
  }

  /// What a site has in one period.
  struct InPeriod {
    unsigned Records, Spans;
    unsigned Span;          ///< position of the first one
    uint64_t Begins, Pairs; ///< as GroupFold::finish() has them
    uint64_t BeginsBefore;  ///< that span
  };
  InPeriod recordsAt(unsigned First) const;

  void findPeriods(const EpochStart &Epoch);
  bool findSites(const EpochStart &Epoch);
  void forgetSites(unsigned Positions);
  /// Folds what the site that is first at a position has, up to the place that
  /// is returned.
  Place foldSite(unsigned First);
  Place foldSpans(format::GroupFold &Group, unsigned First, const InPeriod &Of);
  Place foldOthers(format::GroupFold &Group, unsigned First);

  Lane &L;
  Records From;
  unsigned Length = 0;  ///< of a period
  unsigned Repeats = 0; ///< periods
  uint64_t Spans = 0;
  uint16_t Next[MostRecords]; ///< position of the same site, or NoPosition
  bool IsFirst[MostRecords];
};

} // namespace torchprof

#endif // TORCHPROF_PERIODFOLD_H
