//===- Diff.h - two profiles side by side -----------------------*- C++ -*-===//
//
// Sites are matched by their keys (SiteKey.h), so a model that was changed,
// renumbered or saved by another version still matches where it is the same.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_DIFF_H
#define TORCHPROF_REPORT_DIFF_H

#include "ColumnSet.h"
#include "Selection.h"
#include "SiteKey.h"
#include "SiteTable.h"
#include "Table.h"

#include "llvm/ADT/Optional.h"

#include <limits>
#include <set>

namespace torchprof::report {

enum class Change { Same, Slower, Faster, Added, Removed };

struct DiffRow {
  Change What = Change::Same;
  uint32_t A = NoIndex; ///< site in the first table
  uint32_t B = NoIndex; ///< site in the second table
  double MeanA = 0;     ///< ns: what was tested, of calls or of profiles
  double MeanB = 0;
  /// Both sides have the two samples that a test needs at least: calls, or
  /// means of profiles. Without, the row is Same and its p-value is not known.
  bool IsTested = false;
  double PValue = 1;
  /// Larger of its shares of the total in the two profiles, percent; 0 if no
  /// run has ended.
  double Share = 0;
  /// Change of its time per run of the method, in the mean of the runs or of
  /// the profiles, ns; none if on a side that has
  /// the row no run has ended.
  llvm::Optional<double> PerRun;

  bool isInBoth() const { return A != NoIndex && B != NoIndex; }

  /// Change of the mean in percent of the first; 0 if either is missing, and
  /// infinite if it grew from 0.
  double percent() const {
    if (!isInBoth() || MeanA == MeanB)
      return 0;
    return MeanA > 0 ? 100 * (MeanB - MeanA) / MeanA
                     : std::numeric_limits<double>::infinity();
  }
};

struct DiffOptions {
  /// Least probability at which a difference is taken for noise. It is divided
  /// by the number of sites tested (Bonferroni), so that a long table does
  /// not find differences by looking often.
  double Alpha = 0.01;
  /// Sites below this share are no rows of the table in the end, and do not
  /// count there: a model of many short nodes would hide what the others do.
  double LeastShare = 0;
};

/// The profiles of one side: added up, and one by one.
struct DiffSide {
  SiteTable All;
  std::vector<SiteTable> Each;
  std::string DamagedFile; ///< the first that is damaged; empty if none is
};

/// True if the means of profiles are compared, and not those of calls.
inline bool comparesProfiles(const DiffSide &A, const DiffSide &B) {
  return A.Each.size() > 1 && B.Each.size() > 1;
}

/// The models, as keys call them, whose nodes lie in modules on one side and in
/// none on the other. A frozen file has no module paths: its nodes would be
/// taken for those that the model of the other side has outside of modules.
std::set<std::string> modelsOfMethodsOnly(const SiteTable &A,
                                          const SiteTable &B);

/// The models, as keys call them, whose sites were chosen by other options on
/// the other side: the numbers in keys of their nodes may count other nodes.
std::set<std::string> modelsOfOtherOptions(const SiteTable &A,
                                           const SiteTable &B);

/// One row per reached and selected site of either side; the largest change
/// of the time per run first. With several profiles on both sides the means of
/// the profiles are compared, so that what differs from process to process
/// counts as noise, and nobody counts more for having more calls; else the
/// runs. Of modelsOfMethodsOnly(), nodes of one side are none of the other's.
std::vector<DiffRow> diffProfiles(const DiffSide &A, const DiffSide &B,
                                  const Selection &Selected,
                                  const DiffOptions &Options);

llvm::StringRef changeName(Change C);

/// What the columns of differences need beside the row.
struct DiffContext {
  const SiteTable &A;
  const SiteTable &B;
  std::vector<SiteKey> KeysOfA, KeysOfB;

  DiffContext(const SiteTable &A, const SiteTable &B)
      : DiffContext(A, B, modelsInKeys(A, B)) {}

private:
  DiffContext(const SiteTable &A, const SiteTable &B, const ModelsInKeys &Names)
      : A(A), B(B), KeysOfA(siteKeys(A, Names)), KeysOfB(siteKeys(B, Names)) {}
};

using DiffColumns = ColumnSet<DiffRow, DiffContext>;

/// The columns of differences; a measure has one for each side that has it.
DiffColumns diffColumns(const SiteTable &A, const SiteTable &B);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_DIFF_H
