//===- Footer.cpp - the rows that keep a table honest ---------------------===//

#include "Summary.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

class Footer {
public:
  Footer(Table &T, const SummaryInput &In) : T(T), In(In) {}

  void time(StringRef Id, StringRef Title, double Ticks,
            std::string Note = "") {
    T.Footer.push_back(
        {Id.str() + "_ns", Title.str(),
         Value::timeNs(In.Sites.clock().toNs(Ticks)),
         In.All.Total ? Value::percent(In.All.share(Ticks)) : Value(),
         std::move(Note)});
  }

  void count(StringRef Id, StringRef Title, uint64_t N, std::string Note = "") {
    T.Footer.push_back({Id.str(), Title.str(), Value::count(N), Value(),
                        N ? std::move(Note) : std::string()});
  }

  void counter(format::Counter C, StringRef Explanation) {
    if (uint64_t N = In.Sites.counter(C))
      T.Notes.push_back("note: " + utostr(N) + " " + Explanation.str());
  }

  /// Names what sites with several nodes measure.
  void groups() {
    constexpr size_t MostGroups = 8;
    size_t Shown = 0;
    for (const auto &[S, Members] : In.Sites.groups()) {
      if (Shown++ == MostGroups) {
        T.Notes.push_back(
            "note: " + utostr(In.Sites.groups().size() - MostGroups) +
            " more sites measure several nodes");
        return;
      }
      std::string Path = In.Sites.modulePath(S);
      T.Notes.push_back((In.Sites.kind(S) + " " + In.Sites.name(S) +
                         (Path.empty() ? "" : " in " + Path) +
                         " measures these nodes together: " + Members)
                            .str());
    }
  }

private:
  Table &T;
  const SummaryInput &In;
};

} // namespace

static std::string plural(uint64_t N, StringRef Noun) {
  return utostr(N) + " " + Noun.str() + (N == 1 ? "" : "s");
}

void report::addFooter(Table &T, const SummaryInput &In) {
  using C = format::Counter;
  const Totals &All = In.All;
  const SiteTable &Sites = In.Sites;
  Footer F(T, In);
  auto Total = static_cast<double>(All.Total);
  F.time("sum_of_nodes", "Sum of nodes", static_cast<double>(All.Nodes));
  if (All.NotSelected)
    F.time("not_selected", "Not selected",
           static_cast<double>(All.NotSelected));
  std::string Runs;
  if (All.Runs)
    Runs =
        plural(All.Runs, "run") + ", mean " +
        formatTime(Sites.clock().toNs(Total / static_cast<double>(All.Runs)));
  F.time("total", "Total", Total, Runs);
  __int128 Rest = All.unattributed();
  F.time("unattributed", "Unattributed", static_cast<double>(Rest),
         Rest < 0 ? "below 0: nodes were counted in runs that were cut or "
                    "not finished"
                  : "");
  if (All.Async)
    F.time("asynchronous", "Asynchronous", static_cast<double>(All.Async),
           "ran beside its parent, not part of the total");
  if (Sites.probeTicks() > 0)
    F.time("probe_cost", "Probe cost", Sites.probeTicks(),
           "calibrated cost of the probes, part of the times above");
  F.count("unfinished", "Unfinished", All.Unfinished,
          "begun but never ended: an exception, or still open at the end");
  F.count("cut", "Cut", All.Cut, "at the edge of a recording window");
  uint64_t Lost =
      Sites.counter(C::LostNoMemory) + Sites.counter(C::LostNoModel);
  std::string Causes;
  auto Cause = [&](C Counter, StringRef Text) {
    if (uint64_t N = Sites.counter(Counter))
      Causes += (Causes.empty() ? "" : ", ") + utostr(N) + " " + Text.str();
  };
  Cause(C::LostNoMemory, "without memory for them");
  Cause(C::LostNoModel, "of a model that was never registered");
  F.count("lost", "Lost", Lost, Causes);

  F.counter(C::ClockBackwards, "spans ended before they began; counted as 0");
  F.counter(C::ClockClamped, "spans were absurdly long and were clamped");
  F.counter(C::DroppedPairs,
            "probe pairs were dropped: an optimization removed their node");
  F.counter(C::GroupedPairs, "lowered probe pairs measure more than one node");
  F.groups();
  F.counter(C::LoweringFailed, "graphs were left with explicit probes");
  F.counter(C::FileErrors, "times the profile file could not grow");
  for (const Row &R : makeRows(Sites, In.Selected, {}))
    if (R.belowZero()) {
      T.Notes.push_back("* below 0 and shown as 0: the children of a span that "
                        "was cut or not finished were counted");
      break;
    }
}
