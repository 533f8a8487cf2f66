//===- Rows.h - sites grouped into rows -------------------------*- C++ -*-===//
//
// A row is one site or a group of them. Its numbers:
//
//   total  time between begin and end. Of a group: the sum over its outermost
//          members, so that a node inside another member is not counted twice.
//   self   the sum of the members' self times (SiteTable::self()), so that
//          every grouping adds up to the same.
//   calls, mean, percentiles: over the spans of all members; of a method, over
//          its runs. Modules and classes have calls of their own; only their
//          number is known unless the modules were measured themselves.
//
// What lies outside of all models is in no module and at no known place: where
// rows are modules, classes or places, it has a row of its own, "(outside)".
// An overlay has rows of its own, but no share in the rows of places, but for
// plans that a backward made: these are self time of who asked for it. Ticks.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_ROWS_H
#define TORCHPROF_REPORT_ROWS_H

#include "Selection.h"
#include "SiteTable.h"
#include "SiteWork.h"

#include "llvm/ADT/Optional.h"

namespace torchprof::report {

enum class GroupBy {
  Node,
  Kind,
  Module,
  Class,
  Source,
  Stack,
  Thread,
  Method,
  Shape, ///< a node with one signature
};

/// A measure of the members of a row.
struct RowMeasure {
  uint64_t Count = 0; ///< spans measured
  UInt128 Total = 0;  ///< as Row::Total; of a peak, the largest
  UInt128 Self = 0;
  UInt128 Time = 0; ///< host ticks of the spans measured, as Total

  /// Adds what was measured for a member, but not its self.
  void add(MeasureFold Fold, const MeasureTotal &T, bool Outermost);
};

struct Row {
  uint32_t Order = 0; ///< site number of the first member, or the lane's
  // What all members agree on; empty where they do not.
  std::string Kind, Name, Model, ModelId, Method, Module, Class, Source, Key;
  /// As SiteTable::label(), but a module by its kind.
  std::string Label;
  Aggregate Measured;
  UInt128 Total = 0;
  UInt128 Self = 0;
  /// What of them is no part of the runs' time: of members that ran beside
  /// their parents or outside of models.
  UInt128 AsideTotal = 0, AsideSelf = 0;
  std::vector<RowMeasure> Measures; ///< by MeasureId
  GradientSum Backward;             ///< of the members
  /// What pairs of probes around members read too much, an estimate; none if
  /// there were pairs of which it is not known.
  llvm::Optional<double> PairTicks = 0.0;
  /// Of the members' spans, as far as they were recorded.
  std::set<std::string> Signatures;
  SiteWork Done; ///< by the members
  uint32_t Members = 0;
  /// False: a call is not a span of a member; Calls is their number, if known.
  bool CallsAreSpans = true;
  llvm::Optional<uint64_t> Calls;
  bool HasSelf = true; ///< false: not known for what the row has of a node
  /// Of a row that is not whole: what its spans allocated on the CPU less what
  /// they freed, as Total and Self; none if that is not known. They wrap around
  /// below 0.
  llvm::Optional<uint64_t> Net = uint64_t(0), SelfNet = uint64_t(0);
  /// False: of the calls only their number, sum and extremes are known.
  bool HasDistribution = true;
  /// False: the row has a part of a member's spans; Measures and Backward,
  /// which are known of all of them together, are empty, and Net is not.
  bool IsWhole = true;
  bool Clipped = false;   ///< a member's self time would be below 0
  bool Estimated = false; ///< a member's time is: SiteTable::splitFused()
  bool Outside = true;    ///< no member is part of the runs' time
  bool Overlay = true;    ///< all members are regions over nodes: no self time

  /// Adds to the sums, and to what of them is aside.
  void addTotal(const Site &S, UInt128 Ticks);
  void addSelf(const Site &S, UInt128 Ticks);
  /// Adds what \p Calls of the spans of \p Of have read too much.
  void addPairs(const Aggregate &Of, uint64_t Calls);
};

struct RowOptions {
  GroupBy Group = GroupBy::Node;
  unsigned StackDepth = 0; ///< frames of GroupBy::Stack; 0: all
  bool Unreached = false;  ///< also sites that no run came to
  /// GroupBy::Kind and Stack: a group for each label.
  bool NamesApart = false;
  bool Keys = false; ///< fill Row::Key of GroupBy::Node
  /// GroupBy::Kind: a group for each text of input sizes, as torch.profiler's.
  bool ShapesApart = false;
  /// Take an operator that alone ran in one of its own name for a part of that
  /// one's call, as torch.profiler does.
  bool FoldRepeats = false;
  bool WithWork = false; ///< fill Row::Done
};

/// One row per group, in the order of their first members. GroupBy::Thread
/// needs a table that was filled with AddOptions::Lanes.
std::vector<Row> makeRows(const SiteTable &Sites, const Selection &Selected,
                          const RowOptions &Options);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_ROWS_H
