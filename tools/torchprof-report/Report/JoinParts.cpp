//===- JoinParts.cpp - snapshots of one process as one profile ------------===//

#include "JoinParts.h"

#include "ProcessParts.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <type_traits>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

/// Puts the lanes of one part before those of the parts that follow it.
class PartBefore {
public:
  PartBefore(Profile &Whole, const Profile &Part) : Whole(Whole), Part(Part) {}

  void add() {
    Whole.ResetTicks = std::min(Whole.ResetTicks, Part.ResetTicks);
    for (const Lane &L : Part.Lanes)
      addLane(L);
  }

private:
  void addLane(const Lane &L);
  Lane &laneLike(const Lane &L);

  /// The cells that the part's last reset has not emptied.
  template <typename Cell> ArrayRef<Cell> cellsOf(ArrayRef<Cell> Cells) {
    std::vector<Cell> Kept;
    for (Cell C : Cells) {
      if (C.Epoch != static_cast<uint32_t>(Part.Epoch))
        continue;
      C.Epoch = static_cast<uint32_t>(Whole.Epoch);
      // What is open begins in a later part, which cuts it.
      if constexpr (std::is_same_v<Cell, format::Cell>)
        C.Begins = C.Word / 2 + C.Cut;
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
};

} // namespace

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
    Cells.push_back(cellsOf(Source));
  putBefore(Into.Cells, std::move(Cells));

  putBefore(Into.Runs, L.Runs, &RunRing::Samples);
  putBefore(Into.Traces, L.Traces, &TraceBuffer::Events);

  std::vector<MeasureCells> Measures = L.Measures;
  for (MeasureCells &M : Measures)
    M.Cells = cellsOf(M.Cells);
  putBefore(Into.Measures, std::move(Measures));

  std::vector<ArrayRef<format::VariantCell>> Variants;
  for (ArrayRef<format::VariantCell> Source : L.Variants)
    Variants.push_back(cellsOf(Source));
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
  for (const Profile &Part : reverse(Parts))
    PartBefore(Whole, Part).add();
  return Whole;
}
