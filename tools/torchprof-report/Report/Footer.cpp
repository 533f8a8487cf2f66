//===- Footer.cpp - the lines that account for all of the time ------------===//

#include "DeviceColumns.h"
#include "SiteOptions.h"
#include "Summary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

class Footer {
public:
  Footer(Table &T, const SummaryInput &In, bool NameAll)
      : T(T), In(In), NameAll(NameAll) {}

  void time(StringRef Id, StringRef Title, double Ticks,
            std::string Note = "") {
    T.Footer.push_back({Id.str() + "_ns", Title.str(),
                        Value::timeNs(In.Sites.clock().toNs(Ticks)),
                        In.All.shareValue(Ticks), std::move(Note)});
  }

  void count(StringRef Id, StringRef Title, uint64_t N, std::string Note = "") {
    T.Footer.push_back({Id.str(), Title.str(), Value::count(N), Value(),
                        N ? std::move(Note) : std::string()});
  }

  /// The line of what was lost, and the notes of other counters.
  void counters() {
    uint64_t Lost = 0;
    bool IsKnown = true;
    std::string Causes;
    for (const CounterInfo &C : counterInfos()) {
      uint64_t N = In.Sites.counter(C.Id);
      if (N == 0 || C.Shown == CounterShown::Silent)
        continue;
      std::string Text = utostr(N) + " " + C.Text.str();
      if (C.Shown == CounterShown::Note) {
        T.Notes.push_back("note: " + Text);
        continue;
      }
      IsKnown &= C.Shown != CounterShown::Unsaved;
      Lost += N;
      Causes += (Causes.empty() ? "" : ", ") + Text;
    }
    count("lost", "Lost", Lost, Causes);
    if (!IsKnown) {
      T.Footer.back().Amount = Value();
      T.Footer.back().Amount.Display = "unknown";
    }
  }

  /// Says what a tick is where that is long beside a short node.
  void resolution() {
    constexpr double CoarseNs = 5;
    double Ns = In.Sites.clock().nsPerTick();
    if (Ns > CoarseNs)
      T.Notes.push_back(formatv("note: a tick of the clock is {0:F1} ns: the "
                                "time of a single call is a multiple of that",
                                Ns));
  }

  /// Names the globs that have left nodes without a site.
  void globs() {
    for (const auto &[FirstSite, Manifest] : In.Sites.models()) {
      std::string Globs = siteGlobs(*Manifest);
      if (Globs.empty())
        continue;
      std::string Name =
          Manifest->ModelName.empty() ? "the model" : Manifest->ModelName;
      T.Notes.push_back("note: " + Name + " was recorded with" + Globs +
                        ": other nodes are in Unattributed, or in the self "
                        "time of what they lie in");
    }
  }

  /// Names what LibTorch's optimizer took out of a method.
  void leftOut() {
    const std::set<uint32_t> &Sites = In.Sites.leftOut();
    if (Sites.empty())
      return;
    std::string Names;
    size_t Shown = 0, Most = most(8);
    for (uint32_t S : Sites) {
      if (Shown++ == Most)
        break;
      Names += (Names.empty() ? "" : ", ") + nodeOfMethod(S);
    }
    if (Sites.size() > Most)
      Names += " and " + utostr(Sites.size() - Most) + " more" + Others;
    T.Notes.push_back("LibTorch folded, unrolled or replaced, so that not "
                      "every run has them: " +
                      Names);
  }

  /// Names what sites with several nodes measure.
  void groups() {
    size_t Found = 0, Most = most(8);
    for (const auto &[S, Members] : In.Sites.groups())
      if (!In.Sites.fused().count(S)) // which are named with their layers
        if (Found++ < Most)
          T.Notes.push_back(nodeOfMethod(S) +
                            " measures these nodes together: " + Members);
    if (Found > Most)
      T.Notes.push_back("note: " + utostr(Found - Most) +
                        " more sites measure several nodes" + Others);
  }

  /// Names the nodes of fused kernels, with their layers.
  void fused() {
    size_t Shown = 0, MostKernels = most(8), MostNodes = most(16);
    for (const auto &[Leader, Members] : In.Sites.fused()) {
      if (Shown++ == MostKernels) {
        T.Notes.push_back(
            "note: " + utostr(In.Sites.fused().size() - MostKernels) +
            " more kernels were made of several nodes" + Others);
        return;
      }
      std::string Nodes;
      size_t Count = 0;
      for (uint32_t S : Members)
        if (Count++ < MostNodes)
          Nodes += (Count > 1 ? ", " : "") + nodeAndLayer(S);
      if (Count > MostNodes)
        Nodes += " and " + utostr(Count - MostNodes) + " more" + Others;
      T.Notes.push_back(nodeOfMethod(Leader) +
                        " measures the fused kernel of " + Nodes);
    }
  }

  /// Says why totals are above the time of all runs.
  void recursion() {
    if (In.All.Excess)
      return;
    std::vector<bool> IsIn = rootsOf(In.Sites, In.Selected);
    for (uint32_t S = 0; S < In.Sites.size(); ++S)
      if (In.Sites[S].isRoot() && IsIn[S] && !In.Sites[S].Async &&
          In.Sites.measured(S).Sum > In.All.Total)
        T.Notes.push_back("note: " + nodeOfMethod(S) +
                          " calls itself: its total, and those of the nodes "
                          "that the calls lie in, count inner calls again");
  }

private:
  static constexpr const char *Others =
      "; torchprof-report summary --all names them";

  /// How many names to print where \p Few would do for most readers.
  size_t most(size_t Few) const { return NameAll ? SIZE_MAX : Few; }

  std::string nodeAndLayer(uint32_t S) const {
    std::string Path = In.Sites.modulePath(S);
    return (In.Sites.kind(S) + " " + In.Sites.name(S) +
            (Path.empty() ? "" : " in " + Path))
        .str();
  }

  /// With the names of its model and method where there are several.
  std::string nodeOfMethod(uint32_t S) const {
    const ModelNames &Names = In.Sites.modelNames();
    std::string Around = Names.ofSeveral(In.Sites, S).str();
    if (Names.areMethodsNeeded() &&
        !ModelNames::methodAround(In.Sites, S).empty())
      Around = Names.method(In.Sites, In.Sites[S].Root);
    return nodeAndLayer(S) + (Around.empty() ? "" : " of " + Around);
  }

  Table &T;
  const SummaryInput &In;
  bool NameAll;
};

} // namespace

static std::string plural(uint64_t N, StringRef Noun) {
  return utostr(N) + " " + Noun.str() + (N == 1 ? "" : "s");
}

static std::string excessNote(const Totals &All) {
  std::string Note = "counted above, but not in Total: ";
  bool HasOthers = All.Excess != All.CalledAside;
  if (HasOthers)
    Note += "children of spans that were cut or not finished, or that ended on "
            "a thread that is left out";
  if (All.CalledAside)
    Note += std::string(HasOthers ? ", and " : "") +
            "methods that bodies of prim::fork call";
  return Note;
}

void report::addFooter(Table &T, const SummaryInput &In, bool NameAll) {
  const Totals &All = In.All;
  const SiteTable &Sites = In.Sites;
  Footer F(T, In, NameAll);
  auto Total = static_cast<double>(All.Total);
  F.time("sum_of_nodes", "Sum of nodes", static_cast<double>(All.Nodes));
  if (All.Gradients)
    F.time("gradients", "Gradients", static_cast<double>(All.Gradients),
           "computed inside of nodes, whose self time this is not: the rows of "
           "kind backward");
  if (All.NotSelected)
    F.time("not_selected", "Not selected",
           static_cast<double>(All.NotSelected));
  std::string Runs;
  if (All.Runs)
    Runs =
        plural(All.Runs, "run") + ", mean " +
        formatTime(Sites.clock().toNs(Total / static_cast<double>(All.Runs)));
  F.time("total", "Total", Total, Runs);
  F.time("unattributed", "Unattributed", static_cast<double>(All.Unattributed));
  if (All.Plans > 0)
    F.time("plans", "Plans", All.Plans,
           "LibTorch made plans in the middle of runs: time of no operator");
  if (All.Excess)
    F.time("excess", "Excess", -static_cast<double>(All.Excess),
           excessNote(All));
  if (All.Async)
    F.time("asynchronous", "Asynchronous", static_cast<double>(All.Async),
           "ran beside its parent, not part of the total");
  if (All.Backward)
    F.time("backward", "Backward", static_cast<double>(All.Backward),
           "gradients that the host had computed, not part of the total");
  addDeviceLines(T, In);
  if (All.Probes > 0) {
    std::string Note = "calibrated cost of the probes, part of the times above";
    if (double Apart = Sites.clock().toNs(All.Apart); Apart > 0)
      Note = "cost of the probes; " + formatTime(Apart) +
             " of it is part of no time above";
    F.time("probe_cost", "Probe cost", All.Probes, Note);
  }
  F.count("unfinished", "Unfinished", All.Unfinished,
          "begun but never ended: an exception, or still open at the end");
  F.count("cut", "Cut", All.Cut, "at the edge of a recording window");
  F.counters();
  F.resolution();
  F.recursion();
  F.globs();
  F.groups();
  F.fused();
  F.leftOut();
}
