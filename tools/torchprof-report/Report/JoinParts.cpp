//===- JoinParts.cpp - snapshots of one process as one profile ------------===//

#include "JoinParts.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <type_traits>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

static bool isSameProcess(const Profile &A, const Profile &B) {
  return A.Process.Pid == B.Process.Pid &&
         A.Process.StartTicks == B.Process.StartTicks &&
         A.Process.StartRealtimeNs == B.Process.StartRealtimeNs &&
         fixedText(A.Process.Host) == fixedText(B.Process.Host);
}

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

  std::vector<RunRing> Runs = L.Runs;
  for (RunRing &R : Runs)
    R.Samples = Whole.keep(R.Samples);
  putBefore(Into.Runs, std::move(Runs));

  std::vector<TraceBuffer> Traces = L.Traces;
  for (TraceBuffer &T : Traces)
    T.Events = Whole.keep(T.Events);
  putBefore(Into.Traces, std::move(Traces));

  std::vector<MeasureCells> Measures = L.Measures;
  for (MeasureCells &M : Measures)
    M.Cells = cellsOf(M.Cells);
  putBefore(Into.Measures, std::move(Measures));

  std::vector<ArrayRef<format::VariantCell>> Variants;
  for (ArrayRef<format::VariantCell> Source : L.Variants)
    Variants.push_back(cellsOf(Source));
  putBefore(Into.Variants, std::move(Variants));

  std::vector<LevelRing> Levels = L.Levels;
  for (LevelRing &R : Levels)
    R.Entries = Whole.keep(R.Entries);
  putBefore(Into.Levels, std::move(Levels));

  std::vector<KeptRing<format::DeviceSpan>> Spans = L.DeviceSpans;
  for (KeptRing<format::DeviceSpan> &R : Spans)
    R.Entries = Whole.keep(R.Entries);
  putBefore(Into.DeviceSpans, std::move(Spans));
}

namespace {
/// In which runs plans were made. The last part knows of all, also of those
/// that were made between two parts: these are in no run of the whole.
class RunsOfPlans {
public:
  void addFrom(const Profile &Part) {
    for (const format::PlanEvent &E : Part.Plans)
      if (E.Run && E.BeginTicks >= Part.ResetTicks &&
          (!Part.Process.EndTicks || E.BeginTicks <= Part.Process.EndTicks))
        RunOf[keyOf(E)] = E.Run;
  }

  void putInto(Profile &Whole) const {
    for (format::PlanEvent &E : Whole.Plans) {
      auto Known = RunOf.find(keyOf(E));
      E.Run = Known == RunOf.end() ? 0 : Known->second;
    }
  }

private:
  using Key = std::tuple<uint64_t, uint32_t, format::Slot, format::Slot>;
  static Key keyOf(const format::PlanEvent &E) {
    return {E.BeginTicks, E.Thread, E.Root, E.First};
  }
  std::map<Key, uint32_t> RunOf;
};
} // namespace

Expected<Profile> report::joinParts(std::vector<Profile> Parts) {
  RunsOfPlans Runs;
  for (const Profile &Part : Parts)
    Runs.addFrom(Part);
  Profile Whole = std::move(Parts.back());
  Parts.pop_back();
  Runs.putInto(Whole);
  for (const Profile &Part : reverse(Parts)) {
    if (!isSameProcess(Whole, Part))
      return createStringError(inconvertibleErrorCode(),
                               "%s: is of another process than %s",
                               Part.FileName.c_str(), Whole.FileName.c_str());
    PartBefore(Whole, Part).add();
  }
  return Whole;
}
