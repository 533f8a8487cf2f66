//===- DiffMemory.cpp - whether sites take more memory --------------------===//

#include "DiffMemory.h"
#include "Totals.h"

#include "llvm/ADT/Optional.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {
/// Whose memory, and the measures of it.
struct MemoryKind {
  StringLiteral Allocated, Peak;
  StringLiteral Where; ///< for a line: "" or " on the device"
};

/// The CPU's first, which is always among what is measured.
constexpr MemoryKind Kinds[] = {
    {"alloc", "peak", ""},
    {"device_alloc", "device_peak", " on the device"},
};

/// One side's numbers of a kind of memory, in bytes.
class Memory {
public:
  Memory(const SiteTable &Sites, const MemoryKind &Kind)
      : Sites(Sites), Allocated(numberOf(Sites.measures(), Kind.Allocated)),
        Peak(numberOf(Sites.measures(), Kind.Peak)) {
    if (!Allocated)
      return;
    std::vector<uint64_t> Runs = runsOf(Sites);
    for (uint32_t S = 0; S < Sites.size(); ++S)
      if (Sites[S].isRoot())
        OfRuns += static_cast<double>(
            measureOfRuns(Sites, *Allocated, S, Runs[S]).Sum);
  }

  bool isKnown() const { return Allocated && Peak; }

  /// What a call allocates. None, and not 0, if no call was measured:
  /// TORCHPROF_RECORD_EVERY leaves runs out.
  Optional<double> perCall(uint32_t S) const {
    const MeasureTotal &T = Sites.measured(*Allocated, S);
    if (!T.Count)
      return None;
    return static_cast<double>(T.Sum) / static_cast<double>(T.Count);
  }
  /// The most that a run holds, in the same way; none of what is no method.
  Optional<double> peakOfRuns(uint32_t S) const {
    const MeasureTotal &T = Sites.measured(*Peak, S);
    if (!T.Count || !Sites[S].isRoot())
      return None;
    return static_cast<double>(T.Max);
  }
  /// Percent that so many bytes of each call are of what all runs allocate.
  double share(uint32_t S, double PerCall) const {
    double Calls = static_cast<double>(Sites.measured(*Allocated, S).Count);
    return OfRuns > 0 ? 100 * PerCall * Calls / OfRuns : 0;
  }

private:
  const SiteTable &Sites;
  Optional<MeasureId> Allocated, Peak;
  double OfRuns = 0;
};
} // namespace

/// "aten::conv2d in conv allocates 6.1 MiB a call, 5.0 MiB before".
static std::string grownLine(const SiteTable &Sites, uint32_t S,
                             const Twine &Verb, double New, double Old) {
  std::string Module = Sites.modulePath(S);
  auto Bytes = [](double N) { return formatBytes(static_cast<uint64_t>(N)); };
  return (Sites.kind(S) + " " + Sites.name(S) +
          (Module.empty() ? "" : " in " + Module) + " " + Verb + " " +
          Bytes(New) + ", " + Bytes(Old) + " before")
      .str();
}

/// Adds what takes more of a kind of memory.
static void addGrown(ArrayRef<DiffRow> Rows, const SiteTable &Sites,
                     const Memory &Before, const Memory &After, StringRef Where,
                     const MemoryGate &Gate, MemoryGrowth &Growth) {
  double Factor = 1 + Gate.Growth / 100;
  for (const DiffRow &R : Rows) {
    if (!R.isInBoth())
      continue;
    if (Optional<double> Old = Before.perCall(R.A), New = After.perCall(R.B);
        Old && New) {
      Growth.IsAnyCompared = true;
      if (*New > *Old * Factor &&
          After.share(R.B, *New - *Old) >= Gate.LeastShare)
        Growth.Lines.push_back(grownLine(
            Sites, R.B, "allocates" + Where + " in a call", *New, *Old));
    }
    if (Optional<double> Old = Before.peakOfRuns(R.A),
        New = After.peakOfRuns(R.B);
        Old && New) {
      Growth.IsAnyCompared = true;
      if (*New > *Old * Factor)
        Growth.Lines.push_back(
            grownLine(Sites, R.B, "holds" + Where + " at most", *New, *Old));
    }
  }
}

Expected<MemoryGrowth> report::grownMemory(ArrayRef<DiffRow> Rows,
                                           const SiteTable &A,
                                           const SiteTable &B,
                                           const MemoryGate &Gate) {
  MemoryGrowth Growth;
  for (const MemoryKind &Kind : Kinds) {
    Memory Before(A, Kind), After(B, Kind);
    if (Before.isKnown() && After.isKnown())
      addGrown(Rows, B, Before, After, Kind.Where, Gate, Growth);
    else if (&Kind == Kinds)
      return createStringError(inconvertibleErrorCode(),
                               "--fail-above-memory: no memory was recorded "
                               "%s; TORCHPROF_RECORD=memory records it",
                               Before.isKnown() ? "after" : "before");
  }
  return Growth;
}
