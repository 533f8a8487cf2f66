//===- CheckProfile.cpp - are the numbers of a profile consistent ---------===//

#include "CheckProfile.h"
#include "Aggregate.h"
#include "TimeOrder.h"
#include "torchprof/format/SlotMap.h"

#include "llvm/ADT/STLExtras.h"

#include <type_traits>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

class Checker {
public:
  explicit Checker(const Profile &P);

  /// What is wrong with a cell; empty if nothing is.
  std::string cell(const format::Cell &Source) const;
  std::string measureCell(const MeasureCells &M,
                          const MeasuredSlot &Source) const;
  std::string variantCell(const format::VariantCell &Source) const;
  /// Which numbers of a cell that is not torn cannot all be true; empty if they
  /// can.
  std::string numbers(const format::Cell &C) const;
  std::string measureNumbers(const MeasureCells &M,
                             const MeasuredSlot &C) const;
  std::string variantNumbers(const format::VariantCell &C) const;
  std::string books(const BlockBooks &B) const;
  /// False for a slot that a level or an account must not have.
  bool mayHold(format::Slot Slot) const {
    return Slot == format::NoSlot || hasSlot(Slot);
  }
  /// The same of a dynamic site's parent.
  std::string parent(const DynamicSite &D) const;

  bool hasSlot(format::Slot Slot) const {
    auto Place = Sites.find(Slot);
    return Place && Place->Owner.Timed;
  }

  std::vector<std::string> all();

private:
  void lane(const Lane &L);
  /// True if so many spans between the two can take \p Sum.
  bool canBeSum(UInt128 Sum, uint64_t Count, uint64_t Min, uint64_t Max) const {
    UInt128 Rounded = UInt128(Rounding) * Count;
    return UInt128(Min) * Count <= Sum + Rounded &&
           UInt128(Max) * Count + Rounded >= Sum;
  }
  void add(const Twine &Place, StringRef Cause) {
    if (!Cause.empty())
      Findings.push_back((Place + ": " + Cause).str());
  }

  struct Owner {
    bool Timed;   ///< its sites may have spans
    bool IsShape; ///< it is a signature
    size_t Order; ///< of a dynamic site among its kind; of a model 0
  };

  const Profile &P;
  /// Merging rounds the ticks of other clocks, sums and extremes apart, and may
  /// have done so several times.
  const uint64_t Rounding = P.State == format::FileState::Merged ? 8 : 0;
  format::SlotMap<Owner> Sites;
  std::vector<std::string> Findings;
};

} // namespace

static constexpr StringLiteral UnknownSlot =
    "neither a model nor a dynamic site has this slot";
static constexpr StringLiteral Torn =
    "torn: its thread was stopped in the middle of an update";

Checker::Checker(const Profile &P) : P(P) {
  for (const Model &M : P.Models)
    Sites.add(M.FirstSlot, M.Table->Sites.size(), {true, false, 0});
  size_t Order = 0;
  for (const DynamicSite &D : P.DynamicSites)
    Sites.add(
        D.Slot, 1,
        {hasSpans(D.Kind), D.Kind == format::DynamicKind::Shape, ++Order});
}

std::string Checker::cell(const format::Cell &Source) const {
  format::Cell C;
  if (!hasSlot(Source.Site))
    return UnknownSlot.str();
  if (!readCell(Source, C, P.maybeLive()))
    return Torn.str();
  return numbers(C);
}

std::string Checker::numbers(const format::Cell &C) const {
  uint64_t Count = C.Word / 2;
  uint64_t Samples = 0;
  bool Full = false; // and no further cell could be had
  for (uint32_t InBucket : C.Histogram) {
    Samples += InBucket;
    Full |= InBucket == UINT32_MAX;
  }
  if (Full ? Samples > Count : Samples != Count)
    return "expected " + std::to_string(Count) +
           " samples in the histogram, found " + std::to_string(Samples);
  if (C.Pairs > Count)
    return "expected at most " + std::to_string(Count) +
           " spans of pairs, found " + std::to_string(C.Pairs);
  if (Count == 0)
    return "";
  if (C.Min > C.Max)
    return "the shortest span, " + std::to_string(C.Min) +
           ", is longer than the longest, " + std::to_string(C.Max);
  if (!canBeSum(C.Sum, Count, C.Min, C.Max))
    return "expected a sum between count * min and count * max, found " +
           std::to_string(C.Sum);
  // Cauchy and Schwarz: (sum of x)^2 <= n * sum of x^2.
  UInt128 Squares = UInt128(C.SquaresHigh) << 64 | C.SquaresLow;
  uint64_t Least = C.Sum - std::min<UInt128>(C.Sum, UInt128(Rounding) * Count);
  auto Left = static_cast<long double>(Least) * Least;
  auto Right = static_cast<long double>(Squares) * Count;
  if (Left > Right * 1.000001L)
    return "the sum of squares is too small for the sum";
  return "";
}

std::string Checker::measureCell(const MeasureCells &M,
                                 const MeasuredSlot &Source) const {
  MeasuredSlot C;
  if (!hasSlot(Source.Site))
    return UnknownSlot.str();
  if (!readCell(Source, C, P.maybeLive()))
    return Torn.str();
  return measureNumbers(M, C);
}

std::string Checker::measureNumbers(const MeasureCells &M,
                                    const MeasuredSlot &C) const {
  if (M.Sum == format::MeasureSum::Peak && C.Sum != C.Max)
    return "expected the peak, " + std::to_string(C.Max) + ", as sum, found " +
           std::to_string(C.Sum);
  if (M.Sum == format::MeasureSum::Sum &&
      (C.Max > C.Sum || UInt128(C.Max) * (C.Word / 2) < C.Sum))
    return "expected a sum between max and count * max, found " +
           std::to_string(C.Sum);
  return "";
}

std::string Checker::variantCell(const format::VariantCell &Source) const {
  format::VariantCell C;
  auto Signature = Sites.find(Source.Signature);
  if (!hasSlot(Source.Site))
    return UnknownSlot.str();
  if (!Signature || !Signature->Owner.IsShape)
    return "slot " + std::to_string(number(Source.Signature)) +
           " is not a signature";
  if (!readCell(Source, C, P.maybeLive()))
    return Torn.str();
  return variantNumbers(C);
}

std::string Checker::variantNumbers(const format::VariantCell &C) const {
  uint64_t Count = C.Word / 2;
  if (Count && (C.Min > C.Max || !canBeSum(C.Time, Count, C.Min, C.Max)))
    return "expected a time between count * min and count * max, found " +
           std::to_string(C.Time);
  return "";
}

/// The books must balance unless they were caught in a change of them.
std::string Checker::books(const BlockBooks &B) const {
  int64_t Live = 0, AtPeak = 0;
  for (const format::BlockAccount &A : B.Accounts) {
    Live += A.Live;
    AtPeak += A.AtPeak.Bytes;
  }
  if (P.State == format::FileState::Open ||
      P.State == format::FileState::Snapshot)
    return "";
  if (Live != B.Totals.Live)
    return "expected " + std::to_string(B.Totals.Live) +
           " bytes alive on all accounts, found " + std::to_string(Live);
  if (AtPeak != B.Totals.Peak)
    return "expected " + std::to_string(B.Totals.Peak) +
           " bytes at the peak on all accounts, found " +
           std::to_string(AtPeak);
  return "";
}

std::string Checker::parent(const DynamicSite &D) const {
  if (D.Parent == format::NoSlot)
    return "";
  std::string Slot = std::to_string(number(D.Parent));
  auto Parent = Sites.find(D.Parent);
  if (!Parent)
    return "its parent, slot " + Slot + ", is not known";
  if (auto Own = Sites.find(D.Slot);
      Own && Parent->Owner.Order >= Own->Owner.Order)
    return "its parent, slot " + Slot + ", does not come before it";
  return "";
}

void Checker::lane(const Lane &L) {
  std::string Where = "lane " + std::to_string(L.Record.Lane);
  auto Slot = [&](format::Slot S) {
    return Where + ", slot " + std::to_string(number(S));
  };
  // Several cells of one slot add up: a further one follows a full one.
  for (ArrayRef<format::Cell> Cells : L.Cells)
    for (const format::Cell &C : Cells)
      add(Slot(C.Site), cell(C));
  for (const MeasureCells &M : L.Measures) {
    const MeasureInfo *Known = findMeasure(M.Name);
    if (Known &&
        (Known->Id != M.Id || Known->Unit != M.Unit || Known->Sum != M.Sum))
      add(Where + ", measure " + M.Name,
          "its number, unit or sum is not that of this measure");
    for (const MeasuredSlot &C : M.Cells)
      add(Slot(C.Site) + ", measure " + M.Name, measureCell(M, C));
  }
  for (ArrayRef<format::VariantCell> Cells : L.Variants)
    for (const format::VariantCell &C : Cells)
      add(Slot(C.Site) + ", signature " + Twine(number(C.Signature)),
          variantCell(C));
  for (const RunRing &R : L.Runs)
    if (!hasSlot(R.Slot))
      add(Where + ", runs of slot " + Twine(number(R.Slot)), UnknownSlot);
  for (const LevelRing &R : L.Levels)
    for (const format::Level &Of : R.Entries)
      if (!hasSlot(Of.Site) || !mayHold(Of.PeakSite))
        add(Where + ", level of slot " + Twine(number(Of.Site)), UnknownSlot);
  for (const auto &R : L.DeviceSpans)
    for (const format::DeviceSpan &S : R.Entries)
      if (!hasSlot(S.Site))
        add(Where + ", device span of slot " + Twine(number(S.Site)),
            UnknownSlot);
  format::Slot Current = L.CurrentSlot;
  if (Current != format::NoSlot && !hasSlot(Current))
    add(Where + ", current slot " + Twine(number(Current)), UnknownSlot);
}

std::vector<std::string> Checker::all() {
  for (const DynamicSite &D : P.DynamicSites)
    add("dynamic site, slot " + Twine(number(D.Slot)), parent(D));
  for (size_t I = 0; I < P.Plans.size(); ++I) {
    const format::PlanEvent &E = P.Plans[I];
    format::Slot Caller =
        E.Flags & format::PF_Called ? E.Caller : format::NoSlot;
    for (format::Slot Slot : {E.Root, E.First, Caller})
      if (Slot != format::NoSlot && !hasSlot(Slot))
        add("plan " + Twine(I) + ", slot " + Twine(number(Slot)), UnknownSlot);
  }
  for (format::MemoryPlace Place : format::MemoryPlaces) {
    const Optional<BlockBooks> &Books = P.Books[unsigned(Place)];
    if (!Books)
      continue;
    std::string Where =
        Place == format::MemoryPlace::Cpu ? "books" : "books of devices";
    add(Where, books(*Books));
    for (const format::BlockAccount &A : Books->Accounts)
      if (!mayHold(A.Site))
        add(Where + ", slot " + Twine(number(A.Site)), UnknownSlot);
  }
  for (const Lane &L : P.Lanes)
    lane(L);
  append_range(Findings, checkTimes(P));
  // Where the clock was set back, so are they.
  bool GoesForward = !P.counter(format::Counter::ClockSetBack);
  for (size_t I = 1; I < P.Anchors.size() && GoesForward; ++I)
    if (P.Anchors[I].Ticks < P.Anchors[I - 1].Ticks ||
        P.Anchors[I].MonotonicNs < P.Anchors[I - 1].MonotonicNs)
      add("clock", "anchor " + std::to_string(I) +
                       " lies before the one that precedes it");
  if (uint64_t Unsaved = P.counter(format::Counter::UnsavedParts))
    Findings.push_back(std::to_string(Unsaved) +
                       " parts of the profile were not in the file");
  return std::move(Findings);
}

std::vector<std::string> report::checkProfile(const Profile &P) {
  return Checker(P).all();
}

/// Leaves those cells for which \p Cause says nothing. Returns how many went.
template <typename T, typename Function>
static size_t keepGood(Profile &P, ArrayRef<T> &Cells, Function Cause) {
  auto IsGood = [&](const T &C) { return Cause(C).empty(); };
  const T *FirstBad = find_if_not(Cells, IsGood);
  if (FirstBad == Cells.end()) // as in most files, which are not copied
    return 0;
  std::vector<T> Good(Cells.begin(), FirstBad);
  std::copy_if(FirstBad + 1, Cells.end(), std::back_inserter(Good), IsGood);
  size_t Dropped = Cells.size() - Good.size();
  Cells = P.keep(ArrayRef<T>(Good));
  return Dropped;
}

/// The same of a ring's entries, by whether they are good.
template <typename T, typename Function>
static void keepGoodOfRing(Profile &P, KeptRing<T> &R, Function IsGood) {
  auto Cause = [&](const T &Entry) {
    return IsGood(Entry) ? std::string() : UnknownSlot.str();
  };
  if (keepGood(P, R.Entries, Cause))
    R.Capacity = static_cast<uint32_t>(R.Count = R.Entries.size());
}

/// Makes torn cells whole, which lack a part of one call: without that call, or
/// with it if the other numbers already have it.
template <typename T, typename Function>
static void mendTorn(Profile &P, ArrayRef<T> &Cells, Function Cause) {
  std::vector<T> Mended(Cells.size());
  bool IsAnyTorn = false;
  for (size_t I = 0; I < Cells.size(); ++I) {
    T &C = Mended[I];
    if (readCell(Cells[I], C, P.maybeLive()))
      continue;
    IsAnyTorn = true;
    C.Word -= 1;
    if (!Cause(C).empty())
      C.Word += 2;
  }
  if (IsAnyTorn)
    Cells = P.keep(ArrayRef<T>(Mended));
}

size_t report::dropBadCells(Profile &P) {
  dropFalseAnchors(P); // they say whether the clock goes forward
  dropFalseTimes(P);
  Checker Check(P);
  size_t Dropped = 0;
  for (DynamicSite &D : P.DynamicSites)
    if (!Check.parent(D).empty())
      D.Parent = format::NoSlot;
  for (format::PlanEvent &E : P.Plans)
    for (format::Slot *Slot : {&E.Root, &E.First, &E.Caller})
      if (!Check.hasSlot(*Slot))
        *Slot = format::NoSlot;
  for (Optional<BlockBooks> &Books : P.Books) {
    if (!Books)
      continue;
    if (!Check.mayHold(Books->Totals.PeakSite))
      Books->Totals.PeakSite = format::NoSlot;
    for (format::BlockAccount &A : Books->Accounts)
      if (!Check.mayHold(A.Site))
        A.Site = format::NoSlot;
  }
  for (Lane &L : P.Lanes) {
    for (LevelRing &R : L.Levels)
      keepGoodOfRing(P, R, [&](const format::Level &Of) {
        return Check.hasSlot(Of.Site) && Check.mayHold(Of.PeakSite);
      });
    for (auto &R : L.DeviceSpans)
      keepGoodOfRing(P, R, [&](const format::DeviceSpan &S) {
        return Check.hasSlot(S.Site);
      });
    for (ArrayRef<format::Cell> &Cells : L.Cells)
      Dropped += keepGood(P, Cells,
                          [&](const format::Cell &C) { return Check.cell(C); });
    for (MeasureCells &M : L.Measures) {
      auto Cause = [&](const MeasuredSlot &C) {
        return Check.measureCell(M, C);
      };
      mendTorn(P, M.Cells, Cause);
      Dropped += keepGood(P, M.Cells, Cause);
    }
    for (ArrayRef<format::VariantCell> &Cells : L.Variants) {
      auto Cause = [&](const format::VariantCell &C) {
        return Check.variantCell(C);
      };
      mendTorn(P, Cells, Cause);
      Dropped += keepGood(P, Cells, Cause);
    }
    erase_if(L.Runs, [&](const RunRing &R) { return !Check.hasSlot(R.Slot); });
    if (!Check.hasSlot(L.CurrentSlot))
      L.CurrentSlot = format::NoSlot;
  }
  return Dropped;
}

FalseCells report::dropFalseCells(Profile &P) {
  Checker Check(P);
  FalseCells Found;
  auto Drop = [&](const Lane &L, auto &Cells, const Twine &Kind, auto Numbers) {
    Found.Count += keepGood(P, Cells, [&](const auto &Source) {
      std::remove_cvref_t<decltype(Source)> Copy;
      auto *C = &Source;
      if (P.maybeLive()) {
        readCell(Source, Copy, /*Live=*/true);
        C = &Copy;
      }
      if (C->Word % 2 || C->Epoch != static_cast<uint32_t>(P.Epoch) ||
          !Check.hasSlot(C->Site))
        return std::string();
      std::string Cause = Numbers(*C);
      if (!Cause.empty() && Found.First.empty())
        Found.First = ("lane " + Twine(L.Record.Lane) + ", slot " +
                       Twine(number(C->Site)) + Kind + ": " + Cause)
                          .str();
      return Cause;
    });
  };
  for (Lane &L : P.Lanes) {
    for (ArrayRef<format::Cell> &Cells : L.Cells)
      Drop(L, Cells, "",
           [&](const format::Cell &C) { return Check.numbers(C); });
    for (MeasureCells &M : L.Measures)
      Drop(L, M.Cells, ", measure " + M.Name,
           [&](const MeasuredSlot &C) { return Check.measureNumbers(M, C); });
    for (ArrayRef<format::VariantCell> &Cells : L.Variants)
      Drop(L, Cells, ", a signature", [&](const format::VariantCell &C) {
        return Check.variantNumbers(C);
      });
  }
  P.Damaged |= Found.Count != 0;
  return Found;
}
