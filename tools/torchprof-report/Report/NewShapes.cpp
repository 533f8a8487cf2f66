//===- NewShapes.cpp - when which shapes came first -----------------------===//

#include "NewShapes.h"
#include "Events.h"
#include "Signature.h"
#include "Work.h"

#include "llvm/ADT/Optional.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

/// A signature that a node met.
struct Meeting {
  uint32_t Site;
  const SiteVariant *With;
};

/// What nodes of one method met in one run.
struct MetTogether {
  uint32_t Root = NoIndex;
  uint64_t BeginRealtimeNs = 0; ///< of the first of them
  uint64_t BeginSteadyNs = 0;   ///< of it, too: TickClock::steadyNs()
  Optional<RunLatency> Run;     ///< if the profile still has it
  std::vector<Meeting> Meetings;
  bool IsFirst = false; ///< of the method
};

} // namespace

/// All meetings of the selected nodes, by method, in the order of time. What
/// runs other nodes would count their time twice.
static std::map<uint32_t, std::vector<Meeting>>
meetingsByRoot(const SiteTable &Sites, const Selection &Selected) {
  std::map<uint32_t, std::vector<Meeting>> ByRoot;
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (!Sites[S].isOutside() && Selected.matches(Sites, S) &&
        !runsOtherNodes(Sites.kind(S)))
      for (const SiteVariant &V : Sites.variants(S))
        if (!V.IsOthers && V.FirstTicks)
          ByRoot[Sites[S].Root].push_back({S, &V});
  for (auto &[Root, Meetings] : ByRoot)
    llvm::stable_sort(Meetings, [](const Meeting &A, const Meeting &B) {
      return A.With->FirstTicks < B.With->FirstTicks;
    });
  return ByRoot;
}

/// By run: the earliest moment at which it may have begun. That may be before
/// its latency says, which what the probes did for devices is no part of: but
/// that is hardly more than the run itself, and its thread was in the run
/// before until that had ended.
static std::vector<uint64_t> earliestBegins(ArrayRef<RunLatency> Runs) {
  constexpr double MostOfLatency = 3;
  std::vector<uint64_t> Begins;
  std::map<StringRef, uint64_t> EndBefore;
  for (const RunLatency &R : Runs) {
    auto [Before, IsFirst] = EndBefore.try_emplace(R.Thread, 0);
    double Length =
        R.LatencyNs * (IsFirst && R.LacksEarlier ? 1 : MostOfLatency);
    auto Ns = static_cast<uint64_t>(Length);
    Begins.push_back(
        std::max(Before->second, R.EndSteadyNs - std::min(Ns, R.EndSteadyNs)));
    Before->second = R.EndSteadyNs;
  }
  return Begins;
}

namespace {

/// The runs of a method that are kept. There may be a million of them, and as
/// many meetings.
class KeptRuns {
public:
  explicit KeptRuns(ArrayRef<RunLatency> Runs)
      : Runs(Runs), Begins(earliestBegins(Runs)), LeastBegins(Begins) {
    for (size_t I = LeastBegins.size(); I-- > 1;)
      LeastBegins[I - 1] = std::min(LeastBegins[I - 1], LeastBegins[I]);
  }

  /// The first to end of those in which a moment may lie.
  Optional<RunLatency> at(uint64_t Ns) const {
    const RunLatency *EndsThen = llvm::partition_point(
        Runs, [Ns](const RunLatency &R) { return R.EndSteadyNs < Ns; });
    for (size_t I = EndsThen - Runs.begin();
         I < Runs.size() && LeastBegins[I] <= Ns; ++I)
      if (Begins[I] <= Ns)
        return Runs[I];
    return None;
  }

private:
  ArrayRef<RunLatency> Runs;
  std::vector<uint64_t> Begins;
  std::vector<uint64_t> LeastBegins; ///< of a run and all that ended later
};

} // namespace

/// True if what a node meets in \p Run, if that is known, it meets in the run
/// of \p G. If both are not known, a node that \p HasCome in that one begins
/// another one.
static bool isOf(const MetTogether &G, const Optional<RunLatency> &Run,
                 bool HasCome) {
  if (G.Run || Run)
    return G.Run && Run && G.Run->EndSteadyNs == Run->EndSteadyNs &&
           G.Run->Thread == Run->Thread;
  return !HasCome;
}

static std::vector<MetTogether> groups(const SiteTable &Sites,
                                       const Selection &Selected,
                                       const RunLatencies &Latencies) {
  const TickClock &Clock = Sites.clock();
  std::vector<MetTogether> Groups;
  // How many groups there were when a site came last: it is in the last one if
  // that is all of them.
  std::vector<size_t> GroupsAtLast(Sites.size());
  for (const auto &[Root, Meetings] : meetingsByRoot(Sites, Selected)) {
    bool IsFirst = true;
    KeptRuns Runs(Latencies.of(Root));
    for (const Meeting &M : Meetings) {
      uint64_t Ticks = M.With->FirstTicks;
      uint64_t Ns = Clock.steadyNs(Ticks);
      Optional<RunLatency> Run = Runs.at(Ns);
      bool HasCome = GroupsAtLast[M.Site] == Groups.size();
      if (IsFirst || !isOf(Groups.back(), Run, HasCome)) {
        Groups.push_back({Root, Clock.realtimeNs(Ticks), Ns, Run, {}, IsFirst});
        IsFirst = false;
      }
      Groups.back().Meetings.push_back(M);
      GroupsAtLast[M.Site] = Groups.size();
    }
  }
  llvm::stable_sort(Groups, [](const MetTogether &A, const MetTogether &B) {
    return A.BeginSteadyNs < B.BeginSteadyNs;
  });
  return Groups;
}

/// Mean ticks of a node's calls with other signatures; 0 if it has none.
static double meanOfOthers(const SiteTable &Sites, const Meeting &M) {
  const Aggregate &All = Sites.measured(M.Site);
  if (All.Count <= M.With->Count || All.Sum < M.With->Sum)
    return 0;
  return static_cast<double>(All.Sum - M.With->Sum) /
         static_cast<double>(All.Count - M.With->Count);
}

static double mean(const SiteTable &, const Meeting &M) {
  return static_cast<double>(M.With->Sum) / static_cast<double>(M.With->Count);
}

static Value sumOf(const SiteTable &Sites, const MetTogether &G,
                   double (*Ticks)(const SiteTable &, const Meeting &)) {
  double Sum = 0;
  for (const Meeting &M : G.Meetings)
    Sum += Ticks(Sites, M);
  return Sum ? timeOf(Sites, Sum) : Value();
}

static const RunColumns<MetTogether> &columns() {
  using Row = MetTogether;
  static const RunColumns<Row> Columns({
      methodColumn<Row>(),
      beganColumn<Row>(),
      {TableColumn::time("latency_ns", "run"), "",
       [](const Row &R, const SiteTable &) {
         return R.Run ? Value::timeNs(R.Run->LatencyNs) : Value();
       }},
      {TableColumn::count("nodes", "nodes"), "",
       [](const Row &R, const SiteTable &) {
         return Value::count(R.Meetings.size());
       }},
      {TableColumn::text("first_node", "first node"), "",
       [](const Row &R, const SiteTable &Sites) {
         return nodeValue(Sites, R.Meetings.front().Site);
       }},
      {TableColumn::text("shapes", "its shapes", Shorten::KeepStart), "",
       [](const Row &R, const SiteTable &) {
         return Value::text(shapesText(
             parseSignature(R.Meetings.front().With->Signature).Inputs));
       }},
      {TableColumn::count("calls", "calls"), "",
       [](const Row &R, const SiteTable &) {
         return Value::count(R.Meetings.front().With->Count);
       }},
      {TableColumn::time("mean_ns", "with them"), "",
       [](const Row &R, const SiteTable &Sites) {
         return sumOf(Sites, R, mean);
       }},
      {TableColumn::time("others_ns", "with others"), "",
       [](const Row &R, const SiteTable &Sites) {
         return sumOf(Sites, R, meanOfOthers);
       }},
  });
  return Columns;
}

Table report::makeNewShapes(const SiteTable &Sites, const Selection &Selected,
                            const RunLatencies &Latencies, unsigned Limit) {
  std::vector<MetTogether> Rows = groups(Sites, Selected, Latencies);
  if (all_of(Rows, [](const MetTogether &G) { return G.IsFirst; }))
    Rows.clear();
  size_t Count = Rows.size();
  if (Limit && Count > Limit)
    Rows.erase(Rows.begin(), Rows.end() - Limit);
  Table T = makeRunTable<MetTogether>("new_shapes",
                                      "runs in which nodes met new shapes",
                                      columns(), Rows, Sites);
  if (Rows.empty())
    return T;
  if (Rows.size() < Count)
    T.Notes.push_back(std::to_string(Count - Rows.size()) +
                      " earlier rows; --limit=0 shows them");
  return T;
}
