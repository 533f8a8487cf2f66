//===- AdviceEvidence.h - what rules of advice look at ----------*- C++ -*-===//

#ifndef TORCHPROF_REPORT_ADVICEEVIDENCE_H
#define TORCHPROF_REPORT_ADVICEEVIDENCE_H

#include "Roofline.h"
#include "Selection.h"
#include "Summary.h"

#include <map>

namespace torchprof::report {

/// What rules look at.
struct Evidence {
  Evidence(const SiteTable &Sites, const Selection &Selected,
           const Roof &Under);

  double ns(UInt128 Ticks) const {
    return Sites.clock().toNs(static_cast<double>(Ticks));
  }
  /// What a node took itself, the operators inside of it included, which may be
  /// sites or not.
  double selfNs(uint32_t S) const {
    return ns(Sites.self(S).Amount + InOperators[S]);
  }
  /// \p Ns, a part of what some calls of a node took, as that of all its calls:
  /// what is recorded beside the time may be so in some runs only. Those calls
  /// took \p Ticks. As a share of the node's time it stays below that, whatever
  /// happened in the few calls.
  double ofAllCalls(uint32_t S, double Ns, UInt128 Ticks) const {
    return Ticks ? Ns * static_cast<double>(Sites.total(S)) /
                       static_cast<double>(Ticks)
                 : Ns;
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
  double Ns = 0; ///< part of the runs' time
  std::string Where;
  std::vector<uint32_t> Sites; ///< those with most time first
  double BesideNs = 0;         ///< in bodies of forks, beside the runs
};

/// Nodes that a rule has found.
class FoundNodes {
public:
  explicit FoundNodes(const Evidence &In) : In(In) {}

  /// A node may come several times, with each of its signatures.
  void add(uint32_t S, double Ns) { Times[S] += Ns; }

  /// "20 nodes (aten::conv2d), most in layer1.0", where several models ran
  /// "... of ResNet".
  Finding found() const;

private:
  const Evidence &In;
  std::map<uint32_t, double> Times; ///< ns by site
};

/// Calls \p Visit with each selected node, no method or module.
template <typename Function> void eachNode(const Evidence &In, Function Visit) {
  for (uint32_t S = 0; S < In.Sites.size(); ++S) {
    const Site &Here = In.Sites[S];
    if (!Here.Dynamic && !Here.isRoot() && !Here.isModule() &&
        In.Selected.matches(In.Sites, S) && In.Sites.measured(S).Count)
      Visit(S);
  }
}

/// The same with each selected root whose calls were all runs: cells do not
/// tell runs from calls inside of runs.
template <typename Function> void eachRoot(const Evidence &In, Function Visit) {
  std::vector<uint64_t> Runs = runsOf(In.Sites);
  for (uint32_t S = 0; S < In.Sites.size(); ++S)
    if (In.Sites[S].isRoot() && Runs[S] == In.Sites.measured(S).Count &&
        In.Selected.matches(In.Sites, S))
      Visit(S, In.Sites.measured(S));
}

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_ADVICEEVIDENCE_H
