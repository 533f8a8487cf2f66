//===- RunAdvice.cpp - rules of advice about runs -------------------------===//

#include "RunAdvice.h"
#include "../Profile/EnumNames.h"
#include "SiteOptions.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

Finding report::plansInRuns(const Evidence &In) {
  double Ns = In.Sites.clock().toNs(In.All.Plans);
  return {Ns,
          "differentiable groups, what takes their place for other shapes, "
          "methods that interfaces and with statements call, and bodies of "
          "forks",
          {}};
}

Finding report::plansInBackwards(const Evidence &In) {
  Finding F;
  uint64_t Times = 0;
  for (uint32_t S = 0; S < In.Sites.size(); ++S) {
    if (!In.Sites.isPlansOfBackward(S) || !In.Selected.matches(In.Sites, S))
      continue;
    F.Ns += In.selfNs(S);
    F.Sites.push_back(S);
    Times += In.Sites.measured(S).Count;
  }
  if (!F.Sites.empty())
    F.Where = std::string(F.Sites.size() > 1 ? "the rows " : "the row ") +
              format::BackwardPlansName + ", " + std::to_string(Times) +
              " times";
  return F;
}

/// True if any node lies in a module below the root: a frozen model has none.
static bool hasModules(const SiteTable &Sites) {
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (!Sites[S].Dynamic && !Sites.modulePath(S).empty())
      return true;
  return false;
}

/// True if nodes have no site because nobody asked for them.
static bool lacksNodes(const SiteTable &Sites) {
  return any_of(Sites.models(), [](const auto &Model) {
    return leavesNodesOut(*Model.second);
  });
}

Finding report::outsideOfNodes(const Evidence &In) {
  if (In.Sites.isTrained() || !hasModules(In.Sites) || lacksNodes(In.Sites))
    return {};
  UInt128 Ticks = In.All.Unattributed;
  for (uint32_t S = 0; S < In.Sites.size(); ++S)
    if (In.Sites[S].NoNode && !In.Sites[S].Async &&
        In.Sites.kind(S) == nameOf(format::DynamicKind::Attributes) &&
        In.Selected.matches(In.Sites, S))
      Ticks += In.Sites.self(S).Amount;
  std::string Where =
      "the time that no node has, in " + std::to_string(In.All.Runs) + " runs";
  if (In.All.Plans > 0)
    Where += ", plans among it";
  return {In.ns(Ticks), std::move(Where), {}};
}

Finding report::unusedGradients(const Evidence &In) {
  Finding F;
  if (In.Sites.hasGradients())
    return F;
  uint64_t Times = 0;
  for (uint32_t S = 0; S < In.Sites.size(); ++S) {
    if (In.Sites.kind(S) != nameOf(format::DynamicKind::Preparation) ||
        In.Sites[S].Async || !In.Selected.matches(In.Sites, S))
      continue;
    F.Ns += In.selfNs(S);
    F.Sites.push_back(S);
    Times += In.Sites.measured(S).Count;
  }
  F.Where = "the rows prepares gradients, " + std::to_string(Times) +
            " times; no backward was seen";
  return F;
}

namespace {
/// The runs of a root that took more than twice the median one, but for the
/// first one that is known. Ticks.
struct SlowRuns {
  double Median = 0;
  double Lost = 0; ///< what they took more than the median one
  double Count = 0;
};
} // namespace

static SlowRuns slowRunsOf(const Aggregate &A) {
  SlowRuns Slow;
  Slow.Median = A.quantile(0.5);
  auto Add = [&](double Ticks, double Runs) {
    if (Ticks <= 2 * Slow.Median)
      return;
    Slow.Lost += Runs * (Ticks - Slow.Median);
    Slow.Count += Runs;
  };
  for (unsigned B = 0; B < A.Histogram.size(); ++B)
    if (A.Histogram[B])
      Add(std::min(format::histogramMiddle(B), static_cast<double>(A.Max)),
          static_cast<double>(A.Histogram[B]));
  if (!A.First.empty())
    Add(static_cast<double>(A.First.front()), -1);
  return Slow;
}

/// Of several processes the first run of one is known. True if that is slow and
/// no more others are than there are other processes: then these are taken for
/// their first runs.
static bool areFirstRuns(const Evidence &In, const Aggregate &A,
                         const SlowRuns &Slow) {
  return Slow.Count >= 1 && !A.First.empty() &&
         static_cast<double>(A.First.front()) >= 2 * Slow.Median &&
         Slow.Count <= static_cast<double>(In.Sites.processes() - 1);
}

Finding report::firstRuns(const Evidence &In) {
  Finding F;
  eachRoot(In, [&](uint32_t S, const Aggregate &A) {
    if (A.Count < 3 || A.First.empty())
      return;
    auto First = static_cast<double>(A.First.front());
    double Others =
        (static_cast<double>(A.Sum) - First) / static_cast<double>(A.Count - 1);
    double Lost = 0;
    std::string More;
    // In their mean would be the first runs of the other processes.
    if (uint64_t Processes = In.Sites.processes(); Processes > 1) {
      SlowRuns Slow = slowRunsOf(A);
      Others = Slow.Median;
      if (areFirstRuns(In, A, Slow)) {
        Lost = Slow.Lost;
        More = ", and " + std::to_string(static_cast<uint64_t>(Slow.Count)) +
               " more such runs in " + std::to_string(Processes - 1) +
               " more processes";
      }
    }
    if (First < 2 * Others)
      return;
    F.Ns += In.Sites.clock().toNs(First - Others + Lost);
    F.Sites.push_back(S);
    F.Where += (F.Where.empty() ? "" : "; ") + In.Sites.methodName(S) + ": " +
               formatTime(In.Sites.clock().toNs(First)) + ", then " +
               formatTime(In.Sites.clock().toNs(Others)) + More;
  });
  return F;
}

/// What the framework took for plans in the runs of a root, and in backwards in
/// them, but for the first run. There is advice of its own about that.
static double planTicksIn(const SiteTable &Sites, uint32_t Root) {
  double InBackwards = 0;
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (Sites[S].Root == Root && Sites.isPlansOfBackward(S))
      InBackwards += static_cast<double>(Sites.self(S).Amount);
  double Ticks = Sites.planTicks(Root) + InBackwards;
  const Aggregate &Runs = Sites.measured(Root);
  if (Runs.First.empty())
    return Ticks;
  // Those of gradients are also of what a host computes behind its runs.
  double InFirst = Sites.firstPlanTicks(Root) +
                   std::min(InBackwards, Sites.firstBackwardPlanTicks(Root));
  // One run is left out, also of a merged profile, which has several first
  // ones.
  return Ticks - std::min(InFirst, static_cast<double>(Runs.First.front()));
}

Finding report::slowRuns(const Evidence &In) {
  constexpr uint64_t FewestRuns = 10;
  Finding F;
  eachRoot(In, [&](uint32_t S, const Aggregate &A) {
    if (A.Count < FewestRuns || A.Histogram.empty())
      return;
    SlowRuns Slow = slowRunsOf(A);
    if (Slow.Count < 1 || Slow.Lost <= 0 || areFirstRuns(In, A, Slow))
      return;
    double Plans = planTicksIn(In.Sites, S);
    if (Slow.Lost <= Plans)
      return;
    F.Ns += In.Sites.clock().toNs(Slow.Lost - Plans);
    F.Sites.push_back(S);
    auto Text = [&](double Ticks) {
      return formatTime(In.Sites.clock().toNs(Ticks));
    };
    if (!F.Where.empty())
      F.Where += "; ";
    F.Where += In.Sites.methodName(S) + ": " +
               std::to_string(static_cast<uint64_t>(Slow.Count)) + " of " +
               std::to_string(A.Count) + " runs, " +
               Text(Slow.Median + Slow.Lost / Slow.Count) +
               " in the mean, the median " + Text(Slow.Median);
    if (Plans > 0)
      F.Where += ", without " + Text(Plans) + " for plans";
    if (In.Sites.processes() > 1)
      F.Where += ", perhaps with the first runs of all processes but one";
  });
  return F;
}
