//===- CheckProfile.cpp - do the numbers hold together --------------------===//

#include "CheckProfile.h"
#include "Aggregate.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

static bool isKnownSlot(const Profile &P, format::Slot Slot) {
  for (const Model &M : P.Models)
    if (Slot >= M.FirstSlot && Slot - M.FirstSlot < M.Table->Sites.size())
      return true;
  for (const DynamicSite &D : P.DynamicSites)
    if (D.Slot == Slot)
      return true;
  return false;
}

/// What is wrong with a cell; empty if nothing is.
static std::string checkCell(const Profile &P, const format::Cell &Source) {
  format::Cell C;
  if (!isKnownSlot(P, Source.Site))
    return "expected a slot of a model or region, found none";
  if (!readCell(Source, C, P.maybeLive()))
    return "torn: its thread was stopped in the middle of an update";
  uint64_t Count = C.Word / 2;
  uint64_t Samples = 0;
  for (unsigned I = 0; I < format::HistogramBuckets; ++I)
    Samples += C.Histogram[I];
  if (Samples != Count)
    return "expected " + std::to_string(Count) +
           " samples in the histogram, found " + std::to_string(Samples);
  if (Count == 0)
    return "";
  if (C.Min > C.Max)
    return "expected min <= max, found " + std::to_string(C.Min) + " and " +
           std::to_string(C.Max);
  if (UInt128(C.Min) * Count > C.Sum || UInt128(C.Max) * Count < C.Sum)
    return "expected a sum between count * min and count * max, found " +
           std::to_string(C.Sum);
  // Cauchy and Schwarz: (sum of x)^2 <= n * sum of x^2.
  UInt128 Squares = UInt128(C.SquaresHigh) << 64 | C.SquaresLow;
  auto Left = static_cast<long double>(C.Sum) * C.Sum;
  auto Right = static_cast<long double>(Squares) * Count;
  if (Left > Right * 1.000001L)
    return "expected a larger sum of squares for its sum";
  return "";
}

std::vector<std::string> report::checkProfile(const Profile &P) {
  std::vector<std::string> Findings;
  for (const Lane &L : P.Lanes) {
    std::string Where = "lane " + std::to_string(L.Record.Lane);
    for (ArrayRef<format::Cell> Cells : L.Cells)
      for (const format::Cell &C : Cells) {
        std::string Place =
            Where + ", slot " + std::to_string(number(C.Site)) + ": ";
        std::string Cause = checkCell(P, C);
        if (!Cause.empty())
          Findings.push_back(Place + Cause);
      }
    for (const RunRing &R : L.Runs)
      if (!isKnownSlot(P, R.Slot))
        Findings.push_back(Where + ": expected runs of a known slot, found " +
                           std::to_string(number(R.Slot)));
    if (L.Record.CurrentSlot != format::NoSlot &&
        !isKnownSlot(P, L.Record.CurrentSlot))
      Findings.push_back(Where + ": expected a known current slot, found " +
                         std::to_string(number(L.Record.CurrentSlot)));
  }
  if (P.Anchors.size() > 1)
    for (size_t I = 1; I < P.Anchors.size(); ++I)
      if (P.Anchors[I].Ticks < P.Anchors[I - 1].Ticks ||
          P.Anchors[I].MonotonicNs < P.Anchors[I - 1].MonotonicNs)
        Findings.push_back("clock: expected anchors in order, found anchor " +
                           std::to_string(I) + " before its predecessor");
  return Findings;
}

size_t report::dropBadCells(Profile &P) {
  size_t Dropped = 0;
  for (Lane &L : P.Lanes)
    for (ArrayRef<format::Cell> &Cells : L.Cells) {
      std::vector<format::Cell> Good;
      for (const format::Cell &C : Cells)
        if (checkCell(P, C).empty())
          Good.push_back(C);
      if (Good.size() == Cells.size())
        continue;
      Dropped += Cells.size() - Good.size();
      Cells = P.keep(ArrayRef<format::Cell>(Good));
    }
  return Dropped;
}
