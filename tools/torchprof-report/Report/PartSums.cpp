//===- PartSums.cpp - the cells of a process's parts added up -------------===//

#include "PartSums.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

/// Adds \p Earlier to \p Sum, whose calls come next.
static void addBefore(Aggregate &Sum, const Aggregate &Earlier) {
  auto First = Earlier.First;
  if (First.size() == Earlier.Count)
    for (uint64_t Ticks : Sum.First)
      if (First.size() < format::FirstSamples)
        First.push_back(Ticks);
  Sum.add(Earlier);
  Sum.First = std::move(First);
}

static void add(format::VariantCell &To, const format::VariantCell &From) {
  if (To.Word < 2) {
    To = From;
    return;
  }
  To.Word += From.Word;
  To.Time = SaturatingAdd(To.Time, From.Time);
  To.Min = std::min(To.Min, From.Min);
  To.Max = std::max(To.Max, From.Max);
  if (!To.FirstTicks || (From.FirstTicks && From.FirstTicks < To.FirstTicks))
    To.FirstTicks = From.FirstTicks;
  To.NetBytes = static_cast<int64_t>(static_cast<uint64_t>(To.NetBytes) +
                                     static_cast<uint64_t>(From.NetBytes));
}

/// Puts the newest of \p Entries, in their order, behind what is newer.
template <typename T>
static void keepNewest(std::vector<T> &Kept, ArrayRef<T> Entries) {
  size_t Room = format::RunsCapacity -
                std::min<size_t>(Kept.size(), format::RunsCapacity);
  for (const T &E : reverse(Entries.take_back(Room)))
    Kept.push_back(E);
}

LaneSums::MeasureSums &LaneSums::sumsLike(const MeasureCells &M) {
  for (MeasureSums &Sums : Measures)
    if (Sums.Head.Name == M.Name && Sums.Head.Id == M.Id &&
        Sums.Head.Unit == M.Unit && Sums.Head.Sum == M.Sum)
      return Sums;
  Measures.push_back({{M.Id, M.Unit, M.Sum, M.Name, {}}, {}, {}});
  return Measures.back();
}

void LaneSums::addBefore(const Lane &L, uint32_t Epoch, bool Live) {
  std::map<format::Slot, Aggregate> Earlier;
  for (ArrayRef<format::Cell> Source : L.Cells)
    for (const format::Cell &From : Source) {
      format::Cell C;
      bool Whole = readCell(From, C, Live);
      if (C.Epoch != Epoch)
        continue;
      if (!Whole)
        TornCells.push_back(C);
      else
        Earlier[C.Site].add(C, /*Scale=*/1, /*WithHistogram=*/true,
                            /*GoesOn=*/true);
    }
  for (const auto &[Slot, Sum] : Earlier)
    ::addBefore(Cells[Slot], Sum);
  for (const MeasureCells &M : L.Measures) {
    MeasureSums &Sums = sumsLike(M);
    for (const MeasuredSlot &C : M.Cells) {
      if (C.Epoch != Epoch)
        continue;
      if (C.Word % 2)
        Sums.Torn.push_back(C);
      else
        addMeasure(Sums.OfSlot[C.Site], C, M.Sum);
    }
  }
  for (ArrayRef<format::VariantCell> Source : L.Variants)
    for (const format::VariantCell &From : Source) {
      format::VariantCell C;
      bool Whole = readCell(From, C, Live);
      if (C.Epoch != Epoch)
        continue;
      if (!Whole)
        TornVariants.push_back(C);
      else
        add(Variants[{C.Site, C.Signature}], C);
    }
  for (const RunRing &R : reverse(L.Runs)) {
    KeptRuns &Kept = Runs[R.Slot];
    Kept.Count += R.Count;
    keepNewest<format::RunSample>(Kept.Samples, oldestFirst(R));
  }
  for (const LevelRing &R : reverse(L.Levels)) {
    if (!R.OfRuns)
      continue;
    KeptLevels &Kept = Levels[R.Place];
    Kept.Count += R.Count;
    keepNewest(Kept.Entries, R.Entries);
  }
}

void LaneSums::finishRuns(Profile &P, Lane &L) {
  L.Runs.clear();
  for (auto &[Slot, Kept] : Runs) {
    std::vector<format::RunSample> &Samples = Kept.Samples;
    std::reverse(Samples.begin(), Samples.end());
    uint64_t Count = std::max<uint64_t>(Kept.Count, Samples.size());
    L.Runs.push_back(fullRing(P, Slot, Samples, Count));
  }
  erase_if(L.Levels, [](const LevelRing &R) { return R.OfRuns; });
  for (auto &[Place, Kept] : Levels) {
    std::reverse(Kept.Entries.begin(), Kept.Entries.end());
    LevelRing R;
    R.Capacity = static_cast<uint32_t>(Kept.Entries.size());
    R.Count = std::max<uint64_t>(Kept.Count, R.Capacity);
    R.Entries = P.keep(ArrayRef(Kept.Entries));
    R.Place = Place;
    L.Levels.push_back(R);
  }
}

Error LaneSums::finish(Profile &P, Lane &L) {
  auto Epoch = static_cast<uint32_t>(P.Epoch);
  std::vector<format::Cell> Added;
  for (const auto &[Slot, Sum] : Cells)
    if (!Sum.appendCells(Slot, Added))
      return createStringError(inconvertibleErrorCode(),
                               "%s, slot %u: expected a sum of 64 bits, found "
                               "more",
                               L.name().c_str(), unsigned(number(Slot)));
  for (format::Cell &C : Added)
    C.Epoch = Epoch;
  Added.insert(Added.end(), TornCells.begin(), TornCells.end());
  L.Cells.clear();
  if (!Added.empty())
    L.Cells.push_back(P.keep(ArrayRef(Added)));
  L.Measures.clear();
  for (MeasureSums &Sums : Measures) {
    std::vector<MeasuredSlot> Of;
    for (auto &[Slot, C] : Sums.OfSlot) {
      C.Site = Slot;
      C.Epoch = Epoch;
      Of.push_back(C);
    }
    Of.insert(Of.end(), Sums.Torn.begin(), Sums.Torn.end());
    Sums.Head.Cells = P.keep(ArrayRef(Of));
    L.Measures.push_back(Sums.Head);
  }
  std::vector<format::VariantCell> OfSignatures;
  for (const auto &[Key, C] : Variants)
    OfSignatures.push_back(C);
  OfSignatures.insert(OfSignatures.end(), TornVariants.begin(),
                      TornVariants.end());
  L.Variants.clear();
  if (!OfSignatures.empty())
    L.Variants.push_back(P.keep(ArrayRef(OfSignatures)));
  finishRuns(P, L);
  return Error::success();
}

PartSums::PartSums(Profile &Last) : Whole(Last) {
  for (const Lane &L : Whole.Lanes)
    OfLane[L.Record.Lane].addBefore(L, static_cast<uint32_t>(Whole.Epoch),
                                    Whole.maybeLive());
}

/// Puts copies of rings before those that are there.
template <typename Ring, typename Member>
static void putBefore(Profile &Whole, std::vector<Ring> &Rings,
                      std::vector<Ring> Earlier, Member Entries) {
  for (Ring &R : Earlier)
    R.*Entries = Whole.keep(R.*Entries);
  Rings.insert(Rings.begin(), std::make_move_iterator(Earlier.begin()),
               std::make_move_iterator(Earlier.end()));
}

void PartSums::addBefore(const Profile &Part) {
  Whole.ResetTicks = std::min(Whole.ResetTicks, Part.ResetTicks);
  for (const Lane &L : Part.Lanes) {
    OfLane[L.Record.Lane].addBefore(L, static_cast<uint32_t>(Whole.Epoch),
                                    /*Live=*/false);
    auto Known = find_if(Whole.Lanes, [&](const Lane &Other) {
      return Other.Record.Lane == L.Record.Lane;
    });
    if (Known == Whole.Lanes.end()) {
      Whole.Lanes.emplace_back().Record = L.Record;
      Known = std::prev(Whole.Lanes.end());
    }
    Known->ApartTicks += L.ApartTicks;
    putBefore(Whole, Known->Traces, L.Traces, &TraceBuffer::Events);
    std::vector<LevelRing> OfSpans;
    copy_if(L.Levels, std::back_inserter(OfSpans),
            [](const LevelRing &R) { return !R.OfRuns; });
    putBefore(Whole, Known->Levels, std::move(OfSpans), &LevelRing::Entries);
    putBefore(Whole, Known->DeviceSpans, L.DeviceSpans,
              &KeptRing<format::DeviceSpan>::Entries);
  }
}

Error PartSums::finish() {
  for (Lane &L : Whole.Lanes)
    if (Error E = OfLane[L.Record.Lane].finish(Whole, L))
      return E;
  return Error::success();
}
