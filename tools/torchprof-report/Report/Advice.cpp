//===- Advice.cpp - what the figures show, and what to try ----------------===//

#include "Advice.h"
#include "../Profile/EnumNames.h"
#include "DeviceColumns.h"
#include "SiteOptions.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

/// What rules look at.
struct Evidence {
  Evidence(const SiteTable &Sites, const Selection &Selected, const Roof &Under)
      : Sites(Sites), Selected(Selected), Under(Under),
        All(makeTotals(Sites, Selected)), InOperators(Sites.size()) {
    for (uint32_t S = 0; S < Sites.size(); ++S) {
      uint32_t Node = S;
      while (Sites[Node].Operator)
        Node = Sites[Node].Parent;
      if (Node != S)
        InOperators[Node] += Sites.self(S).Amount;
    }
  }

  double ns(UInt128 Ticks) const {
    return Sites.clock().toNs(static_cast<double>(Ticks));
  }
  /// What a node took itself, the operators inside of it included, which may be
  /// sites or not.
  double selfNs(uint32_t S) const {
    return ns(Sites.self(S).Amount + InOperators[S]);
  }

  const SiteTable &Sites;
  const Selection &Selected;
  const Roof &Under;
  Totals All;

private:
  std::vector<UInt128> InOperators; ///< by node
};

/// Time that a rule is about, and where it was.
struct Finding {
  double Ns = 0;
  std::string Where;
  std::vector<uint32_t> Sites; ///< those with most time first
};

struct Rule {
  StringLiteral Id;
  StringLiteral What;
  StringLiteral Try;
  StringLiteral Check;
  Finding (*Find)(const Evidence &);
};

/// Nodes that a rule has found.
class FoundNodes {
public:
  explicit FoundNodes(const Evidence &In) : In(In) {}

  /// A node may come several times, with each of its signatures.
  void add(uint32_t S, double Ns) { Times[S] += Ns; }

  /// "20 nodes (aten::conv2d), most in layer1.0".
  Finding found() const {
    if (Times.empty())
      return {};
    double Sum = 0;
    std::map<std::string, double> Kinds;
    std::vector<uint32_t> Longest;
    for (auto [S, Ns] : Times) {
      Sum += Ns;
      Kinds[In.Sites.kind(S).str()] += Ns;
      Longest.push_back(S);
    }
    llvm::stable_sort(Longest, [&](uint32_t A, uint32_t B) {
      return Times.at(A) > Times.at(B);
    });
    std::string Text;
    raw_string_ostream OS(Text);
    OS << Times.size() << (Times.size() == 1 ? " node (" : " nodes (");
    std::vector<std::pair<std::string, double>> Sorted(Kinds.begin(),
                                                       Kinds.end());
    llvm::stable_sort(Sorted, [](const auto &A, const auto &B) {
      return A.second > B.second;
    });
    size_t Shown = std::min<size_t>(Sorted.size(), 3);
    interleaveComma(ArrayRef(Sorted).take_front(Shown), OS,
                    [&](const auto &Kind) { OS << Kind.first; });
    OS << (Shown < Sorted.size() ? ", ...)" : ")");
    std::string Module = In.Sites.modulePath(Longest.front());
    OS << ", most in " << (Module.empty() ? "the root module" : Module);
    return {Sum, OS.str(), std::move(Longest)};
  }

private:
  const Evidence &In;
  std::map<uint32_t, double> Times; ///< ns by site
};

} // namespace

/// Calls \p Visit with each selected node, no method or module.
template <typename Function>
static void eachNode(const Evidence &In, Function Visit) {
  for (uint32_t S = 0; S < In.Sites.size(); ++S) {
    const Site &Here = In.Sites[S];
    if (!Here.Dynamic && !Here.isRoot() && !Here.isModule() &&
        In.Selected.matches(In.Sites, S) && In.Sites.measured(S).Count)
      Visit(S);
  }
}

/// The same with each selected root.
template <typename Function>
static void eachRoot(const Evidence &In, Function Visit) {
  for (uint32_t S = 0; S < In.Sites.size(); ++S)
    if (In.Sites[S].isRoot() && In.Selected.matches(In.Sites, S))
      Visit(S, In.Sites.measured(S));
}

static bool isConvolution(StringRef Kind) {
  return Kind.startswith("aten::conv") || Kind == "aten::_convolution";
}

/// The batch norms of inference that take the output of a convolution.
static Finding batchNorms(const Evidence &In) {
  FoundNodes Nodes(In);
  if (In.Sites.isTrained())
    return {};
  eachNode(In, [&](uint32_t S) {
    if (In.Sites.kind(S) == "aten::batch_norm" &&
        any_of(In.Sites.producers(S),
               [&](uint32_t P) { return isConvolution(In.Sites.kind(P)); }))
      Nodes.add(S, In.selfNs(S));
  });
  return Nodes.found();
}

static Finding conversions(const Evidence &In) {
  FoundNodes Nodes(In);
  eachNode(In, [&](uint32_t S) {
    if (StringSwitch<bool>(In.Sites.kind(S))
            .Cases("aten::to", "aten::_to_copy", "aten::type_as",
                   "aten::contiguous", "aten::clone", true)
            .Default(false))
      Nodes.add(S, In.selfNs(S));
  });
  return Nodes.found();
}

/// Plans of parts of methods, which LibTorch made while they ran.
static Finding plansInRuns(const Evidence &In) {
  double Ns = In.Sites.clock().toNs(In.Sites.planTicks());
  return {Ns,
          "differentiable groups, and what takes their place for other shapes",
          {}};
}

/// Those of backward graphs.
static Finding plansInBackwards(const Evidence &In) {
  Finding F;
  for (uint32_t S = 0; S < In.Sites.size(); ++S) {
    if (In.Sites.kind(S) != nameOf(format::DynamicKind::Backward) ||
        In.Sites.name(S) != format::BackwardPlansName ||
        !In.Selected.matches(In.Sites, S))
      continue;
    F.Ns += In.selfNs(S);
    F.Sites.push_back(S);
    F.Where = "the row " + In.Sites.name(S).str() + ", " +
              std::to_string(In.Sites.measured(S).Count) + " times";
  }
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

/// What runs took outside of their nodes, but for what prepares gradients:
/// freezing does not help against that, and is not for models that are trained
/// or frozen. Where nodes were left out it is theirs.
static Finding outsideOfNodes(const Evidence &In) {
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
  if (In.Sites.planTicks() > 0)
    Where += ", plans among it";
  return {In.ns(Ticks), std::move(Where), {}};
}

/// What LibTorch prepared gradients for that nobody asked for.
static Finding unusedGradients(const Evidence &In) {
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

/// What first runs took more than the others.
static Finding firstRuns(const Evidence &In) {
  Finding F;
  eachRoot(In, [&](uint32_t S, const Aggregate &A) {
    if (A.Count < 3 || A.First.empty())
      return;
    auto First = static_cast<double>(A.First.front());
    double Others =
        (static_cast<double>(A.Sum) - First) / static_cast<double>(A.Count - 1);
    if (First < 2 * Others)
      return;
    F.Ns += In.Sites.clock().toNs(First - Others);
    F.Sites.push_back(S);
    F.Where += (F.Where.empty() ? "" : "; ") + In.Sites.name(S).str() + ": " +
               formatTime(In.Sites.clock().toNs(First)) + ", then " +
               formatTime(In.Sites.clock().toNs(Others));
  });
  return F;
}

/// What runs took more than the median one, of those that took more than twice
/// as long. First runs are another matter.
static Finding slowRuns(const Evidence &In) {
  constexpr uint64_t FewestRuns = 10;
  Finding F;
  eachRoot(In, [&](uint32_t S, const Aggregate &A) {
    if (A.Count < FewestRuns || A.Histogram.empty())
      return;
    double Median = A.quantile(0.5), Lost = 0, Slow = 0;
    auto Add = [&](double Ticks, double Runs) {
      if (Ticks <= 2 * Median)
        return;
      Lost += Runs * (Ticks - Median);
      Slow += Runs;
    };
    for (unsigned B = 0; B < A.Histogram.size(); ++B)
      if (A.Histogram[B])
        Add(std::min(format::histogramMiddle(B), static_cast<double>(A.Max)),
            static_cast<double>(A.Histogram[B]));
    if (!A.First.empty())
      Add(static_cast<double>(A.First.front()), -1);
    if (Slow < 1 || Lost <= 0)
      return;
    F.Ns += In.Sites.clock().toNs(Lost);
    F.Sites.push_back(S);
    auto Text = [&](double Ticks) {
      return formatTime(In.Sites.clock().toNs(Ticks));
    };
    F.Where +=
        formatv("{0}{1}: {2} of {3} runs, {4} in the mean, the median {5}",
                F.Where.empty() ? "" : "; ", In.Sites.name(S),
                static_cast<uint64_t>(Slow), A.Count,
                Text(Median + Lost / Slow), Text(Median))
            .str();
  });
  return F;
}

/// Calls \p Visit with each signature of each selected node whose work for one
/// call is known.
template <typename Function>
static void eachWork(const Evidence &In, Function Visit) {
  eachNode(In, [&](uint32_t S) {
    for (const SiteVariant &V : In.Sites.variants(S))
      if (Optional<Work> One =
              workOf(In.Sites.kind(S), parseSignature(V.Signature)))
        Visit(S, V, *One);
  });
}

/// Nodes that hardly compute or move anything.
static Finding smallNodes(const Evidence &In) {
  constexpr double MostBytes = 32768, MostOps = 100000;
  FoundNodes Nodes(In);
  eachWork(In, [&](uint32_t S, const SiteVariant &V, const Work &One) {
    if (One.Bytes <= MostBytes && One.Flops + One.OtherOps <= MostOps)
      Nodes.add(S, In.ns(V.Sum));
  });
  return Nodes.found();
}

/// What products and convolutions took above four times their bound.
static Finding farFromRoof(const Evidence &In) {
  if (!In.Under.isKnown())
    return {};
  FoundNodes Nodes(In);
  eachWork(In, [&](uint32_t S, const SiteVariant &V, const Work &One) {
    Optional<Bound> Limit = boundOf(One, In.Under);
    double AtLeast = Limit ? Limit->Ns * static_cast<double>(V.Count) : 0;
    if (One.Flops >= 1e6 && In.ns(V.Sum) > 4 * AtLeast)
      Nodes.add(S, In.ns(V.Sum) - AtLeast);
  });
  return Nodes.found();
}

/// Element-wise nodes and the like that are as fast as memory, or nearly.
static Finding memoryBound(const Evidence &In) {
  if (!In.Under.isKnown())
    return {};
  FoundNodes Nodes(In);
  eachWork(In, [&](uint32_t S, const SiteVariant &V, const Work &One) {
    Optional<Bound> Limit = boundOf(One, In.Under);
    if (One.Flops == 0 && One.OtherOps > 0 && Limit && Limit->IsMemory &&
        2 * Limit->Ns * static_cast<double>(V.Count) >= In.ns(V.Sum))
      Nodes.add(S, In.ns(V.Sum));
  });
  return Nodes.found();
}

/// Nodes whose device time is the host's.
static Finding launches(const Evidence &In) {
  FoundNodes Nodes(In);
  DeviceMeasures Of(In.Sites.measures());
  if (!Of)
    return {};
  eachNode(In, [&](uint32_t S) {
    const MeasureTotal &Time = In.Sites.measured(*Of.Time, S);
    auto Starved = static_cast<uint64_t>(In.Sites.self(*Of.Starved, S).Amount);
    if (isLaunchBound(In.ns(Time.Time), static_cast<double>(Time.Sum), Starved,
                      Time.Count))
      Nodes.add(S, In.selfNs(S));
  });
  return Nodes.found();
}

static const Rule Rules[] = {
    {"launches", "nodes for which the device waits: launching is their time",
     "larger batches, fused operators, CUDA graphs, or torch.jit.freeze, which "
     "leaves fewer nodes",
     "torchprof-report summary --columns=kind,name,mean_ns,device_ns,"
     "launch_bound",
     launches},
    {"batch_norm", "batch norms behind convolutions",
     "model.eval() and torch.jit.freeze(model), which folds them into the "
     "convolutions",
     "torchprof-run --compare, or torchprof-report diff of both", batchNorms},
    {"far_from_roof",
     "products and convolutions far from what this machine did",
     "another number of threads, channels_last, or "
     "torch.jit.optimize_for_inference",
     "torchprof-report roofline --kinds; torchprof-run --compare, which tries "
     "fewer threads",
     farFromRoof},
    {"memory_bound", "nodes that wait for memory and compute little",
     "in-place forms, a fused operator, a smaller dtype",
     "torchprof-report roofline", memoryBound},
    {"small_nodes", "nodes on small tensors: LibTorch's overhead is their time",
     "larger batches, or torch.jit.freeze, which leaves fewer nodes",
     "torchprof-report summary --group-by=kind", smallNodes},
    {"conversions", "conversions and copies of tensors",
     "weights and inputs of one dtype, device and layout from the beginning",
     "torchprof-report summary --include='aten::to'", conversions},
    {"outside_nodes", "runs outside of their nodes",
     "torch.jit.freeze(model), which looks up no parameters in modules",
     "torchprof-report summary: the line Unattributed", outsideOfNodes},
    {"plans", "plans that LibTorch made in the middle of runs",
     "a few calls with each shape before the model serves, and "
     "torch.no_grad() where no gradient is needed",
     "torchprof-report runs", plansInRuns},
    {"unused_gradients", "getting ready for gradients that nothing computed",
     "torch.no_grad() or torch.inference_mode(), in C++ torch::NoGradGuard or "
     "c10::InferenceMode; nodes become faster, too",
     "torchprof-run with and without --grad", unusedGradients},
    {"backward_plans", "plans that LibTorch made in backwards",
     "a few steps with each shape before the steps that count, and few shapes",
     "torchprof-report runs", plansInBackwards},
    {"slow_runs", "what runs took more than the median one, if twice as long",
     "fewer threads, or processors that nobody else uses; runs of other shapes "
     "are slower for a reason",
     "torchprof-report runs; TORCHPROF_RECORD=cpu, which tells working from "
     "waiting",
     slowRuns},
    {"first_runs", "first runs",
     "a few calls with each shape before the model serves",
     "torchprof-report runs", firstRuns},
};

Table report::makeAdvice(const SiteTable &Sites, const Selection &Selected,
                         const Roof &Under, double MinPercent) {
  Evidence In(Sites, Selected, Under);
  double TotalNs = In.ns(In.All.Total);
  struct Advice {
    const Rule *Of;
    Finding Found;
    double Percent;
  };
  std::vector<Advice> All;
  for (const Rule &R : Rules) {
    Finding F = R.Find(In);
    double Percent = TotalNs > 0 ? 100 * F.Ns / TotalNs : 0;
    if (F.Ns > 0 && Percent >= MinPercent)
      All.push_back({&R, std::move(F), Percent});
  }
  llvm::stable_sort(All, [](const Advice &A, const Advice &B) {
    return A.Percent > B.Percent;
  });
  auto ForMachines = [](TableColumn C) {
    C.ForMachines = true;
    return C;
  };
  Table T;
  T.Columns = {TableColumn::percent("pct_total", "% total"),
               TableColumn::time("time_ns", "time"),
               ForMachines(TableColumn::text("rule", "rule")),
               TableColumn::text("what", "is spent in"),
               ForMachines(TableColumn::text("where", "where")),
               ForMachines(TableColumn::text("try", "try")),
               ForMachines(TableColumn::text("check", "check"))};
  if (All.empty())
    T.Notes.push_back("nothing to advise: no rule is about that much of the "
                      "time");
  for (const Advice &A : All) {
    T.Rows.push_back({Value::percent(A.Percent), Value::timeNs(A.Found.Ns),
                      Value::text(A.Of->Id), Value::text(A.Of->What),
                      Value::text(A.Found.Where), Value::text(A.Of->Try),
                      Value::text(A.Of->Check)});
    T.Sites.push_back(A.Found.Sites);
    T.Notes.push_back((A.Of->What + ": " + A.Found.Where).str());
    T.Notes.push_back(("  try:   " + A.Of->Try).str());
    T.Notes.push_back(("  check: " + A.Of->Check).str());
  }
  return T;
}
