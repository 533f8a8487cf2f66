//===- DiffMemory.cpp - whether sites take more memory --------------------===//

#include "DiffMemory.h"

#include "llvm/ADT/Optional.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {
/// One side's numbers of memory, in bytes.
class Memory {
public:
  explicit Memory(const SiteTable &Sites)
      : Sites(Sites), Allocated(numberOf(Sites.measures(), "alloc")),
        Peak(numberOf(Sites.measures(), "peak")) {
    if (!Allocated)
      return;
    for (uint32_t S = 0; S < Sites.size(); ++S)
      if (Sites[S].isRoot())
        OfRuns += static_cast<double>(Sites.measured(*Allocated, S).Sum);
  }

  bool isKnown() const { return Allocated && Peak; }

  double perCall(uint32_t S) const {
    const MeasureTotal &T = Sites.measured(*Allocated, S);
    return T.Count ? static_cast<double>(T.Sum) / static_cast<double>(T.Count)
                   : 0;
  }
  double peakOf(uint32_t S) const {
    return static_cast<double>(Sites.measured(*Peak, S).Max);
  }
  /// Percent that so many bytes of each call are of what all runs allocate.
  double share(uint32_t S, double PerCall) const {
    double Calls = static_cast<double>(Sites.measured(*Allocated, S).Count);
    return OfRuns > 0 ? 100 * PerCall * Calls / OfRuns : 0;
  }
  bool isRoot(uint32_t S) const { return Sites[S].isRoot(); }

private:
  const SiteTable &Sites;
  Optional<MeasureId> Allocated, Peak;
  double OfRuns = 0;
};
} // namespace

/// "aten::conv2d in conv allocates 6.1 MiB a call, 5.0 MiB before".
static std::string grownLine(const SiteTable &Sites, uint32_t S, StringRef Verb,
                             double New, double Old) {
  std::string Module = Sites.modulePath(S);
  auto Bytes = [](double N) { return formatBytes(static_cast<uint64_t>(N)); };
  return (Sites.kind(S) + " " + Sites.name(S) +
          (Module.empty() ? "" : " in " + Module) + " " + Verb + " " +
          Bytes(New) + ", " + Bytes(Old) + " before")
      .str();
}

Expected<std::vector<std::string>> report::grownMemory(ArrayRef<DiffRow> Rows,
                                                       const SiteTable &A,
                                                       const SiteTable &B,
                                                       const MemoryGate &Gate) {
  Memory Before(A), After(B);
  if (!Before.isKnown() || !After.isKnown())
    return createStringError(inconvertibleErrorCode(),
                             "--fail-above-memory: no memory was recorded "
                             "%s; TORCHPROF_RECORD=memory records it",
                             Before.isKnown() ? "after" : "before");
  double Factor = 1 + Gate.Growth / 100;
  std::vector<std::string> Lines;
  for (const DiffRow &R : Rows) {
    if (R.A == NoIndex || R.B == NoIndex)
      continue;
    double Old = Before.perCall(R.A), New = After.perCall(R.B);
    double OldPeak = Before.peakOf(R.A), NewPeak = After.peakOf(R.B);
    if (New > Old * Factor && After.share(R.B, New - Old) >= Gate.LeastShare)
      Lines.push_back(grownLine(B, R.B, "allocates in a call", New, Old));
    if (After.isRoot(R.B) && NewPeak > OldPeak * Factor)
      Lines.push_back(grownLine(B, R.B, "holds at most", NewPeak, OldPeak));
  }
  return Lines;
}
