//===- JoinParts.cpp - snapshots of one process as one profile ------------===//

#include "JoinParts.h"

#include "PartSums.h"
#include "ProcessParts.h"
#include "SiteTable.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <type_traits>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

/// Numbers of spans, by lane and slot.
using SpanCounts = std::map<std::pair<uint32_t, format::Slot>, uint64_t>;

/// Tells the spans that were open at the end of a part from those that never
/// ended, because of an exception. Of the former a part knows the innermost
/// ones, which lie in their sites' parents; a later part may count others, as
/// cut by its reset.
class OpenAtEnds {
public:
  /// The spans open at the end of \p Part. Parts come in reverse, the last one
  /// first: all spans that are open there may be unfinished.
  SpanCounts add(const Profile &Part);

private:
  SpanCounts CutLater; ///< that no part has been found for
};

/// Puts the lanes of a part into a profile that has the epoch of the whole.
class PartBefore {
public:
  /// \p Open: the spans open at its end, which are not counted in it.
  PartBefore(Profile &Whole, const Profile &Part, SpanCounts Open)
      : Whole(Whole), Part(Part), Open(std::move(Open)) {}

  void add() {
    Whole.ResetTicks = std::min(Whole.ResetTicks, Part.ResetTicks);
    for (const Lane &L : Part.Lanes)
      addLane(L);
  }

private:
  void addLane(const Lane &L);
  Lane &laneLike(const Lane &L);

  /// How many of a cell's begins are those of open spans, which are taken.
  uint64_t takeOpen(const Lane &L, const format::Cell &C);

  /// The cells that the part's last reset has not emptied.
  template <typename Cell>
  ArrayRef<Cell> cellsOf(const Lane &L, ArrayRef<Cell> Cells) {
    std::vector<Cell> Kept;
    for (Cell C : Cells) {
      if (C.Epoch != static_cast<uint32_t>(Part.Epoch))
        continue;
      C.Epoch = static_cast<uint32_t>(Whole.Epoch);
      if constexpr (std::is_same_v<Cell, format::Cell>)
        C.Begins -= takeOpen(L, C);
      Kept.push_back(C);
    }
    return Whole.keep(ArrayRef(Kept));
  }

  template <typename Item>
  static void putBefore(std::vector<Item> &Items, std::vector<Item> Earlier) {
    Items.insert(Items.begin(), std::make_move_iterator(Earlier.begin()),
                 std::make_move_iterator(Earlier.end()));
  }

  /// The same for rings, of which \p Entries is what they keep.
  template <typename Ring, typename Member>
  void putBefore(std::vector<Ring> &Rings, std::vector<Ring> Earlier,
                 Member Entries) {
    for (Ring &R : Earlier)
      R.*Entries = Whole.keep(R.*Entries);
    putBefore(Rings, std::move(Earlier));
  }

  Profile &Whole;
  const Profile &Part;
  SpanCounts Open;
};

} // namespace

/// The sites of the innermost span of a lane and of those that it lies in.
static std::set<uint32_t> sitesAround(format::Slot Current,
                                      const SiteTable &Sites,
                                      const SlotToSite &Slots) {
  std::set<uint32_t> Around;
  for (uint32_t S = Slots[Current]; S != NoIndex; S = Sites[S].Parent)
    Around.insert(S);
  return Around;
}

SpanCounts OpenAtEnds::add(const Profile &Part) {
  SpanCounts Open;
  SiteTable Sites;
  SlotToSite Slots = Sites.addSites(Part);
  for (const Lane &L : Part.Lanes) {
    std::map<format::Slot, uint64_t> Begins, Ends, Cut;
    for (ArrayRef<format::Cell> Cells : L.Cells)
      for (const format::Cell &C : Cells) {
        if (C.Epoch != static_cast<uint32_t>(Part.Epoch))
          continue;
        Begins[C.Site] += C.Begins;
        Ends[C.Site] += C.Word / 2 + C.Cut;
        Cut[C.Site] += C.Cut;
      }
    std::set<uint32_t> Around;
    if (L.CurrentTicks >= Part.ResetTicks)
      Around = sitesAround(L.CurrentSlot, Sites, Slots);
    for (const auto &[Slot, Begun] : Begins) {
      uint64_t &Later = CutLater[{L.Record.Lane, Slot}];
      uint64_t Unended = Begun - std::min(Ends[Slot], Begun);
      uint64_t Counted = std::min(Unended, Later);
      uint64_t Known = Around.count(Slots[Slot]);
      Open[{L.Record.Lane, Slot}] = std::max(Counted, std::min(Unended, Known));
      Later += Cut[Slot] - Counted;
    }
  }
  return Open;
}

uint64_t PartBefore::takeOpen(const Lane &L, const format::Cell &C) {
  auto It = Open.find({L.Record.Lane, C.Site});
  uint64_t Ends = C.Word / 2 + C.Cut;
  if (It == Open.end() || C.Begins <= Ends)
    return 0;
  uint64_t Taken = std::min(It->second, C.Begins - Ends);
  It->second -= Taken;
  return Taken;
}

Lane &PartBefore::laneLike(const Lane &L) {
  auto It = find_if(Whole.Lanes, [&](const Lane &Other) {
    return Other.Record.Lane == L.Record.Lane;
  });
  if (It != Whole.Lanes.end())
    return *It;
  Lane &New = Whole.Lanes.emplace_back();
  New.Record = L.Record;
  return New;
}

void PartBefore::addLane(const Lane &L) {
  Lane &Into = laneLike(L);
  Into.ApartTicks += L.ApartTicks;

  std::vector<ArrayRef<format::Cell>> Cells;
  for (ArrayRef<format::Cell> Source : L.Cells)
    Cells.push_back(cellsOf(L, Source));
  putBefore(Into.Cells, std::move(Cells));

  putBefore(Into.Runs, L.Runs, &RunRing::Samples);
  putBefore(Into.Traces, L.Traces, &TraceBuffer::Events);

  std::vector<MeasureCells> Measures = L.Measures;
  for (MeasureCells &M : Measures)
    M.Cells = cellsOf(L, M.Cells);
  putBefore(Into.Measures, std::move(Measures));

  std::vector<ArrayRef<format::VariantCell>> Variants;
  for (ArrayRef<format::VariantCell> Source : L.Variants)
    Variants.push_back(cellsOf(L, Source));
  putBefore(Into.Variants, std::move(Variants));

  putBefore(Into.Levels, L.Levels, &LevelRing::Entries);
  putBefore(Into.DeviceSpans, L.DeviceSpans,
            &KeptRing<format::DeviceSpan>::Entries);
}

using EventKey = std::tuple<uint64_t, uint32_t, format::Slot, format::Slot>;

static EventKey keyOf(const format::PlanEvent &E) {
  return {E.BeginTicks, E.Thread, E.Root, E.First};
}

static EventKey keyOf(const format::LoadEvent &E) {
  return {E.BeginTicks, E.Thread, format::NoSlot, format::NoSlot};
}

/// Gives the last part the events of all. A part has those since its last
/// reset, which a part before it may have, too. What came behind the end of a
/// part and before the reset of the next one is nobody's.
template <typename Event>
static void joinEvents(MutableArrayRef<Profile> Parts,
                       std::vector<Event> Profile::*Events) {
  std::map<EventKey, Event> Joined;
  Profile &Last = Parts.back();
  for (const Profile &Part : Parts)
    for (const Event &E : Part.*Events)
      if (&Part == &Last || !Part.Process.EndTicks ||
          E.BeginTicks <= Part.Process.EndTicks)
        Joined[keyOf(E)] = E;
  (Last.*Events).clear();
  for (const auto &[Key, E] : Joined)
    (Last.*Events).push_back(E);
}

/// True if \p A was recorded before \p B. One that has no end goes on.
static bool isBefore(const Profile &A, const Profile &B) {
  auto Times = [](const Profile &P) {
    constexpr uint64_t Never = std::numeric_limits<uint64_t>::max();
    uint64_t End = P.Process.EndTicks;
    return std::make_pair(P.ResetTicks, End ? End : Never);
  };
  return Times(A) < Times(B);
}

static Error checkProcess(ArrayRef<Profile> Parts) {
  for (const Profile &Part : Parts.drop_back())
    if (processOf(Part) != processOf(Parts.back()))
      return createStringError(
          inconvertibleErrorCode(), "%s: is of another process than %s",
          Part.FileName.c_str(), Parts.back().FileName.c_str());
  return Error::success();
}

/// No run may be in two parts. Their times do not say so: where only a thread's
/// lane was emptied between them, the profile's last reset is the same.
static Error checkDisjoint(ArrayRef<Profile> Parts) {
  using Run = std::tuple<uint32_t, format::Slot, uint64_t>; // lane, root, end
  std::map<Run, const Profile *> PartOf;
  for (const Profile &Part : Parts)
    for (const Lane &L : Part.Lanes)
      for (const RunRing &Ring : L.Runs)
        for (const format::RunSample &S : Ring.Samples) {
          if (S.EndTicks < Part.ResetTicks) // of the past
            continue;
          auto [It, IsNew] = PartOf.try_emplace(
              Run(L.Record.Lane, Ring.Slot, S.EndTicks), &Part);
          if (!IsNew && It->second != &Part)
            return createStringError(
                inconvertibleErrorCode(),
                "%s and %s hold the same runs, which would count twice: leave "
                "one of them out",
                It->second->FileName.c_str(), Part.FileName.c_str());
        }
  return Error::success();
}

/// Gives the last part what the epochs of all have counted. Parts of one epoch,
/// of which only threads were emptied, have the same counters: the latest one
/// has all that they counted.
static void joinCounters(MutableArrayRef<Profile> Parts) {
  Profile &Last = Parts.back();
  for (size_t I = 0; I + 1 < Parts.size(); ++I) {
    if (Parts[I].ResetTicks == Parts[I + 1].ResetTicks)
      continue;
    for (const CounterInfo &C : counterInfos())
      if (auto Id = static_cast<unsigned>(C.Id); C.Of == CounterOf::Epoch)
        Last.Process.Counters[Id] += Parts[I].Process.Counters[Id];
  }
}

Expected<Profile> report::joinParts(std::vector<Profile> Parts) {
  if (Error E = checkProcess(Parts))
    return E;
  if (Error E = checkDisjoint(Parts))
    return E;
  stable_sort(Parts, isBefore);
  joinEvents(Parts, &Profile::Plans);
  joinEvents(Parts, &Profile::Loads);
  joinCounters(Parts);
  Profile Whole = std::move(Parts.back());
  Parts.pop_back();
  OpenAtEnds Open;
  Open.add(Whole);
  PartSums Sums(Whole);
  while (!Parts.empty()) { // one copy at a time
    Profile Part = std::move(Parts.back());
    Parts.pop_back();
    Profile Copy;
    Copy.Epoch = Whole.Epoch;
    Copy.ResetTicks = Part.ResetTicks;
    PartBefore(Copy, Part, Open.add(Part)).add();
    Sums.addBefore(Copy);
  }
  if (Error E = Sums.finish())
    return E;
  return Whole;
}
