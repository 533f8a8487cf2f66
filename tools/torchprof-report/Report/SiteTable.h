//===- SiteTable.h - the sites of profiles and their numbers ----*- C++ -*-===//
//
// The one place where cells become numbers about sites. Any number of profiles
// can be added; the same model in two of them is one model, and their ticks
// become ticks of the first profile's clock. The table does not keep the
// profiles.
//
// Sites are numbered densely: models in the order of their appearance and
// their sites in the manifest's order, which is the order of execution in the
// source; then what came to be at run time. A parent always has a smaller
// number than its children.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_SITETABLE_H
#define TORCHPROF_REPORT_SITETABLE_H

#include "../Profile/Aggregate.h"
#include "../Profile/Profile.h"
#include "../Profile/TickClock.h"
#include "Measure.h"
#include "ModelNames.h"
#include "Origin.h"
#include "ProcessParts.h"
#include "SiteVariants.h"
#include "SlotToSite.h"
#include "SourcePrefix.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>
#include <tuple>

namespace torchprof::report {

struct Site {
  const SiteOrigin *Origin = nullptr;
  uint32_t Index = 0;        ///< within the origin
  uint32_t Parent = NoIndex; ///< site
  uint32_t Root = NoIndex;   ///< the method's root; NoIndex outside of models
  uint32_t Place = NoIndex;  ///< itself or the site that it lies over
  uint32_t Flags = 0;        ///< SiteFlags
  bool Async = false;        ///< it or an ancestor is asynchronous
  bool Dynamic = false;      ///< came to be at run time
  bool Gradient = false;     ///< and computes a gradient
  bool Operator = false;     ///< and is an operator inside of its parent
  bool NoNode = false;       ///< and is a part of its parent that is no node
  bool InGradient = false;   ///< and that lies in a gradient

  bool isRoot() const { return Flags & SF_Root; }
  bool isModule() const { return Flags & SF_Module; }
  /// Outside of all models: what it measures is not part of any run.
  bool isOutside() const { return Root == NoIndex; }
  /// Beside its parent or outside of models: no part of the runs' time.
  bool isAside() const { return Async || isOutside(); }
  /// A user's region.
  bool isRegion() const { return Dynamic && !Gradient && !Operator && !NoNode; }
  /// Its time is part of what a model's runs took.
  bool isPart() const {
    return !Dynamic || NoNode || (Operator && !InGradient);
  }
  /// Lies over a model, of whose children's sums it is no part.
  bool isOverlay() const { return Root != NoIndex && !isPart(); }
};

/// What a site has of a sum that is not its children's.
struct SelfPart {
  UInt128 Amount = 0;
  /// By how much the children exceed the site itself, because they ran in
  /// spans that were cut or not finished, or that ended on lanes that were left
  /// out. Amount is 0 then.
  UInt128 Excess = 0;
};

/// The gradients of a site or of several.
struct GradientSum {
  UInt128 Self = 0;     ///< self times
  UInt128 DeviceNs = 0; ///< the same of devices
  uint64_t Calls = 0;   ///< spans

  GradientSum &operator+=(const GradientSum &Other) {
    Self += Other.Self;
    DeviceNs += Other.DeviceNs;
    Calls += Other.Calls;
    return *this;
  }
};

/// Probes that ran, and what they cost as calibrated.
struct ProbeSum {
  uint64_t Spans = 0;
  double Ticks = 0;

  ProbeSum &operator+=(const ProbeSum &Other) {
    Spans += Other.Spans;
    Ticks += Other.Ticks;
    return *this;
  }
};

/// What SiteTable::add() takes from a profile.
struct AddOptions {
  bool Histograms = true;
  bool Lanes = false; ///< also keep what each lane measured by itself
  /// Take a model whose sites have the same keys (SiteKey.h) as those of a
  /// model that is there for that model.
  bool SameLayers = false;
  /// Make the operators inside of nodes sites of their own, whose time is not
  /// the nodes' self time then. Without, they are nothing but their nodes'.
  bool Operators = false;
};

/// A lane of a profile and what was measured on it, by site.
struct TableLane {
  std::string File;
  std::string Name; ///< "lane 0 (main)"
  std::map<uint32_t, Aggregate> Measured;
  std::map<std::pair<MeasureId, uint32_t>, MeasureTotal> Measures;
};

/// What is derived from the cells of one lane, by site; without zeros.
struct LaneParts {
  std::map<uint32_t, UInt128> Self;
  std::map<uint32_t, UInt128> RunsInside;
};

class SiteTable {
public:
  /// Adds the sites of a profile and what it measured. Returns the sites of
  /// the profile's slots.
  SlotToSite add(const Profile &P, AddOptions Options = {});

  /// Adds the sites of a profile but nothing that it measured.
  SlotToSite addSites(const Profile &P, AddOptions Options = {});

  /// The site of this kind and name under \p Parent (NoIndex: outside of all
  /// models), which is added if it is new.
  uint32_t addDynamic(uint32_t Parent, llvm::StringRef Kind,
                      llvm::StringRef Name);
  /// The operator of this name inside of \p Parent, the same way. Its kind is
  /// its name.
  uint32_t addOperator(uint32_t Parent, llvm::StringRef Name);
  /// A part of \p Parent that is no node (isNoNode of its kind), the same way.
  /// \p IsAsync: in a graph that \p Parent, a fork, runs beside the model.
  uint32_t addPart(uint32_t Parent, llvm::StringRef Kind, bool IsAsync);

  /// Directories that frames() and source() leave out.
  void setSourcePrefix(SourcePrefix P) { Prefix = std::move(P); }

  size_t size() const { return Sites.size(); }
  const Site &operator[](uint32_t S) const { return Sites[S]; }
  const Aggregate &measured(uint32_t S) const { return Measured[S]; }
  const TickClock &clock() const { return Clock; }

  // What the site's origin says. A dynamic site stands where its parent does.
  llvm::StringRef kind(uint32_t S) const {
    return Sites[S].Origin->kind(Sites[S].Index);
  }
  llvm::StringRef name(uint32_t S) const {
    return Sites[S].Origin->name(Sites[S].Index);
  }
  llvm::StringRef overload(uint32_t S) const {
    return Sites[S].Origin->overload(Sites[S].Index);
  }
  std::string modulePath(uint32_t S) const;
  llvm::StringRef className(uint32_t S) const;
  std::vector<Frame> frames(uint32_t S) const;
  llvm::StringRef signature(uint32_t Root) const;
  /// The manifest that the site, or what it lies over, is written in; null
  /// outside of models.
  const Manifest *manifest(uint32_t S) const;
  /// Scope in that manifest, NoIndex outside of models.
  uint32_t scope(uint32_t S) const;
  /// Sites whose outputs are inputs of this one.
  std::vector<uint32_t> producers(uint32_t S) const;

  /// "file:line" of the innermost frame in the author's own code, or of the
  /// innermost frame when all are the framework's. "?" if not known.
  std::string source(uint32_t S) const;
  /// The name, of a gradient with that of what it is of: "MulBackward0 of
  /// out.1".
  std::string fullName(uint32_t S) const;
  /// What viewers call a site: a method by methodName(), a region by its name,
  /// a module by its class, a node by its kind, a gradient by its node's kind
  /// after "backward".
  std::string label(uint32_t S) const;

  /// Made when it is first asked for.
  const ModelNames &modelNames() const;
  /// The name of a root, with its model's if several models ran.
  std::string methodName(uint32_t Root) const {
    return modelNames().method(*this, Root);
  }

  /// Ticks between begin and end, over all spans.
  UInt128 total(uint32_t S) const { return Measured[S].Sum; }
  /// Total minus the synchronous children's totals and minus the runs that it
  /// started; outside of models also minus the regions in it. 0 for an
  /// overlay. Every sum of self times in the report is a sum of these.
  const SelfPart &self(uint32_t S) const { return inner().Self[S]; }
  /// Ticks of the runs that a site started, which are runs of their own.
  UInt128 runsInside(uint32_t S) const { return inner().Runs[S]; }
  /// How often a root was called, but for calls inside of other runs.
  uint64_t runs(uint32_t S) const {
    auto It = RunCounts.find(S);
    return It == RunCounts.end() ? 0 : It->second;
  }
  /// False if no profile says which calls were runs.
  bool knowsRuns() const { return !RunCounts.empty(); }

  /// The lanes of the profiles that were added with AddOptions::Lanes, in
  /// their order there.
  llvm::ArrayRef<TableLane> lanes() const { return Lanes; }
  /// What each lane has of self() and of runsInside(). A site's self times on
  /// all lanes add up to self(): where a child ran on another lane than its
  /// parent, the parent's lane has less instead of the child's.
  std::vector<LaneParts> partsByLane() const;

  /// The measure with this description, which is added if it is new.
  MeasureId declareMeasure(const TableMeasure &Info);
  /// Adds what a lane measured for a site. \p Lane: its number among lanes(),
  /// NoIndex if lanes are not kept.
  void addMeasure(MeasureId M, uint32_t S, uint32_t Lane,
                  const MeasureCell &Cell);
  llvm::ArrayRef<TableMeasure> measures() const { return Measures; }
  const MeasureTotal &measured(MeasureId M, uint32_t S) const;
  /// As self(), of a measure that is added up.
  const SelfPart &self(MeasureId M, uint32_t S) const {
    return inner(M).Self[S];
  }
  std::vector<LaneParts> partsByLane(MeasureId M) const;

  /// The node that a gradient is of; any other site itself.
  uint32_t nodeOf(uint32_t S) const {
    bool HasNode = Sites[S].Gradient && Sites[S].Parent != NoIndex;
    return HasNode ? Sites[S].Parent : S;
  }
  /// The sites of the gradients of \p S, one for each name.
  llvm::ArrayRef<uint32_t> backward(uint32_t S) const {
    auto It = GradientsOf.find(S);
    if (It == GradientsOf.end())
      return {};
    return It->second;
  }
  /// True if \p S is what adds to parameters' .grad, and computes no gradient
  /// (torch::autograd::AccumulateGrad).
  bool addsToParameters(uint32_t S) const {
    return Sites[S].Gradient && name(S) == "AccumulateGrad";
  }
  /// True if \p S is what the framework took in a backward to make plans, which
  /// is nobody's gradient: in the host's, or in that of a node above it.
  bool isPlansOfBackward(uint32_t S) const {
    return Sites[S].Gradient && name(S) == format::BackwardPlansName;
  }
  /// How often the site \p S of a gradient computed one of \p Spans.
  uint64_t gradientsOf(uint32_t S, uint64_t Spans) const {
    return Sites[S].Gradient && !addsToParameters(S) && !isPlansOfBackward(S) &&
                   !format::isBehindGradient(name(S))
               ? Spans
               : 0;
  }
  /// What they add up to.
  GradientSum backwardOf(uint32_t S) const;
  /// Self times of what isPlansOfBackward() in the backwards that \p S asked
  /// for. They are part of its own where gradients have no rows.
  UInt128 plansOf(uint32_t S) const;
  /// The self time of a site and of the gradients that it asked for, as tools
  /// count it that do not know gradients.
  UInt128 selfWithGradients(uint32_t S) const {
    return self(S).Amount + Measured[S].Gradients;
  }
  /// True if any gradient was computed, of whatever.
  bool hasGradients() const;
  /// True if gradients were added to parameters: somebody trains the model, or
  /// forgot not to. One that only differentiates itself adds none.
  bool isTrained() const;

  /// True if any span of the site was begun, recorded or not.
  bool reached(uint32_t S) const {
    return Measured[S].Begins || Measured[S].Count;
  }
  /// True if the site was reached, or its gradient computed or planned, which a
  /// window of recording may hold without the run.
  bool seen(uint32_t S) const {
    return reached(S) || backwardOf(S).Calls || plansOf(S);
  }

  uint64_t counter(format::Counter C) const {
    return Counters[static_cast<unsigned>(C)];
  }
  /// Sites that measure several nodes, with the nodes' kinds; a site stands
  /// once for each graph in which they differ.
  const std::set<std::pair<uint32_t, std::string>> &groups() const {
    return Groups;
  }
  /// Sites that measure fused kernels, with the sites of the nodes that the
  /// kernels were made of; they may be among these.
  const std::map<uint32_t, std::set<uint32_t>> &fused() const { return Fused; }
  /// Gives the nodes of fused kernels the kernels' time, by what each took when
  /// it was not fused. Kernels of which that is not known stay as they are.
  /// Moments and extremes are those of the calls that were measured.
  void splitFused();
  /// True if splitFused() has changed the site's time.
  bool isEstimated(uint32_t S) const { return Estimated.count(S); }
  /// Sites that have no node in a plan that LibTorch made of their method.
  const std::set<uint32_t> &leftOut() const { return LeftOut; }
  /// What a site took by its signatures, in the order in which they came; empty
  /// if shapes were not recorded there. Spans may be in none of them.
  llvm::ArrayRef<SiteVariant> variants(uint32_t S) const {
    return Variants.of(S);
  }
  bool hasVariants() const { return !Variants.empty(); }
  /// The models, with the number of their first site.
  llvm::ArrayRef<std::pair<uint32_t, std::shared_ptr<const Manifest>>>
  models() const {
    return Models;
  }
  /// Cost, in ticks, of the probes that ran in a root, as calibrated.
  double probeTicks(uint32_t Root) const { return ticksOf(ProbeTicks, Root); }
  /// The same of all roots: of probes that are always pairs of calls, and of
  /// those of single nodes, which may be lowered.
  const ProbeSum &pairProbes() const { return PairProbes; }
  const ProbeSum &nodeProbes() const { return NodeProbes; }
  /// And what was measured of all probes, which is part of no span.
  double apartTicks() const { return ApartTicks; }
  /// Ticks that LibTorch took for plans in the middle of runs of \p Roots, or
  /// of these roots in whatever run: self time of whatever needs the plan. Not
  /// those of gradients.
  double planTicks(const std::vector<bool> &Roots) const {
    return ticksOf(PlanTicks,
                   [&](uint32_t S) { return S != NoIndex && Roots[S]; });
  }
  double planTicks(uint32_t Root) const {
    return ticksOf(PlanTicks, [Root](uint32_t S) { return S == Root; });
  }
  /// Those among them that were made in the run with which measured(Root).First
  /// begins, in a merged profile in the first run of each process; and those of
  /// that run's gradients.
  double firstPlanTicks(uint32_t Root) const {
    return ticksOf(FirstPlanTicks, [Root](uint32_t S) { return S == Root; });
  }
  double firstBackwardPlanTicks(uint32_t Root) const {
    return ticksOf(FirstBackwardPlanTicks, Root);
  }
  /// The root of the method that a plan is of, and that of the run for which it
  /// was made; NoIndex if it is not known.
  uint32_t rootOf(const format::PlanEvent &E, const SlotToSite &Slots) const;
  uint32_t runRootOf(const format::PlanEvent &E, const SlotToSite &Slots) const;
  unsigned profiles() const { return ProfileCount; }
  /// How many processes the profiles are of, those counted that were merged
  /// before. measured().First is of one of them.
  uint64_t processes() const { return ProcessCount; }
  /// How often durations came to be ticks of another clock, here and in merges
  /// before, of those with most such times: each moves them once more to the
  /// middle of a histogram's bucket.
  unsigned rescaled() const { return Rescaled; }

  /// Findings of add(): torn cells, cells of no site, files of one process.
  const std::vector<std::string> &warnings() const { return Warnings; }

private:
  /// Warns that a cell of a site was being written when its process ended.
  void warnOfTorn(const Profile &P, const Lane &L, uint32_t S,
                  llvm::StringRef What);
  /// What is said of one that is added up although it is torn.
  static constexpr llvm::StringLiteral PartMissing =
      "a part of one call is missing in what was measured";

  /// What is computed when it is first asked for, by site.
  struct InnerParts {
    std::vector<SelfPart> Self;
    std::vector<UInt128> Runs;
  };
  /// A sum and the parts of it that ran directly inside: in frames, and in
  /// gradients.
  struct SumAndNested {
    UInt128 Sum = 0;
    UInt128 Nested = 0;
    UInt128 Gradients = 0;
  };
  using SumOfSite = llvm::function_ref<SumAndNested(uint32_t)>;

  void addModel(const Model &M, const AddOptions &Options, SlotToSite &Slots);
  bool addSameLayers(const Model &M, SlotToSite &Slots);
  void addFused(const Profile &P, const DynamicSite &D,
                const SlotToSite &Slots);
  double scaleTo(const TickClock &Other);
  /// Slots of a profile that are not sites of their own, but parts of what
  /// SlotToSite says.
  using PartSlots = std::set<format::Slot>;
  void addCells(const Profile &P, const Lane &L, const SlotToSite &Slots,
                const PartSlots &Parts, const AddOptions &Options,
                double Scale);
  void addMeasures(const Profile &P, const Lane &L, uint32_t Lane,
                   const SlotToSite &Slots, const PartSlots &Parts,
                   double Scale);
  void addVariants(const Profile &P, const SlotToSite &Slots, double Scale);
  void addProbeCost(const Profile &P, const std::vector<uint64_t> &Before);
  void addPlans(const Profile &P, const SlotToSite &Slots, double Scale);
  /// By the root of the run in which it was, and the root that it was for.
  using TicksOfRoots = std::map<std::pair<uint32_t, uint32_t>, double>;
  static double ticksOf(const std::map<uint32_t, double> &Ticks,
                        uint32_t Root) {
    auto It = Ticks.find(Root);
    return It == Ticks.end() ? 0 : It->second;
  }
  template <typename Predicate>
  static double ticksOf(const TicksOfRoots &Ticks, Predicate Is) {
    double Sum = 0;
    for (const auto &[Roots, Of] : Ticks)
      if (Is(Roots.first) || Is(Roots.second))
        Sum += Of;
    return Sum;
  }
  /// The site whose origin knows where \p S stands.
  const Site &place(uint32_t S) const { return Sites[Sites[S].Place]; }
  std::string placeIn(uint32_t Parent) const;
  InnerParts partsOf(SumOfSite SumOf) const;
  std::vector<LaneParts>
  partsByLane(const InnerParts &Whole,
              llvm::function_ref<SumAndNested(const TableLane &, uint32_t)>
                  SumOf) const;
  const InnerParts &inner() const;
  const InnerParts &inner(MeasureId M) const;
  void forgetParts();

  std::vector<Site> Sites;
  std::vector<Aggregate> Measured;
  std::map<uint32_t, uint64_t> RunCounts; ///< of roots that were not only calls
  std::vector<TableLane> Lanes;
  std::vector<TableMeasure> Measures;
  std::vector<std::vector<MeasureTotal>> MeasuredMore; ///< by measure, site
  // Empty: to be computed.
  mutable InnerParts Inner;
  mutable std::vector<InnerParts> InnerMore; ///< by measure
  mutable std::unique_ptr<ModelNames> NamesOfModels;
  std::vector<std::unique_ptr<SiteOrigin>> ModelOrigins;
  std::unique_ptr<DynamicOrigin> Dynamic = std::make_unique<DynamicOrigin>();
  std::vector<std::pair<uint32_t, std::shared_ptr<const Manifest>>> Models;
  std::map<uint64_t, uint32_t> FirstSiteOfModel;
  std::map<std::tuple<uint32_t, std::string, std::string>, uint32_t>
      DynamicSites;
  std::set<std::pair<uint32_t, std::string>> Groups;
  std::set<uint32_t> LeftOut;
  std::map<uint32_t, std::set<uint32_t>> Fused;
  std::set<uint32_t> Estimated;
  std::map<uint32_t, std::vector<uint32_t>> GradientsOf; ///< by site
  /// The operators inside of these, by the same site.
  std::map<uint32_t, std::vector<uint32_t>> GradientOperatorsOf;
  SiteVariants Variants;
  ProcessParts Processes;
  SourcePrefix Prefix;
  TickClock Clock;
  unsigned ProfileCount = 0;
  uint64_t ProcessCount = 0;
  unsigned Rescaled = 0;
  uint64_t Counters[format::CounterCapacity] = {};
  std::map<uint32_t, double> ProbeTicks, FirstBackwardPlanTicks; ///< by root
  TicksOfRoots PlanTicks, FirstPlanTicks;
  ProbeSum PairProbes, NodeProbes;
  double ApartTicks = 0;
  std::vector<std::string> Warnings;
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_SITETABLE_H
