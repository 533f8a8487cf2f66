//===- Roofline.h - how far nodes are from the machine's limits -*- C++ -*-===//
//
// The roofline model (S. Williams, A. Waterman, D. Patterson: Roofline: an
// insightful visual performance model for multicore architectures, CACM 52,
// 2009): a node cannot take less time than its operations take at the peak of
// arithmetic, nor than its bytes take at the peak of memory. The longer of the
// two bounds it.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_ROOFLINE_H
#define TORCHPROF_REPORT_ROOFLINE_H

#include "Rows.h"
#include "SiteWork.h"
#include "Table.h"

namespace torchprof::report {

/// One of a machine's limits.
struct PeakRate {
  double PerSecond = 0;
  std::string Source;   ///< where it is from, for people
  bool IsOfCpu = false; ///< it was measured: the CPU's, not that of a device
};

/// What a machine does at most.
struct Roof {
  PeakRate Flops, Bytes;

  bool isKnown() const { return Flops.PerSecond > 0 && Bytes.PerSecond > 0; }
  /// True if it is no limit of what devices do.
  bool isOfCpu() const { return Flops.IsOfCpu || Bytes.IsOfCpu; }
  /// Where the two are from, for people.
  std::string source() const;

  /// Takes what was measured for a profile where it is higher.
  void raise(const Profile &P);
};

/// Why there is no roof, and how to get one.
constexpr llvm::StringLiteral RoofMissing =
    "what the machine does at most was not measured; --calibrate when "
    "recording measures it";

/// What bounds a node, and for how long.
struct Bound {
  bool IsMemory = false; ///< else arithmetic
  double Ns = 0;
};

/// The bound of some work; none of what neither computes nor moves.
llvm::Optional<Bound> boundOf(const Work &Of, const Roof &Under);

/// That of several calls: the sum of theirs. None if no part of it has one, or
/// if \p Under is not the roof of what computed it.
llvm::Optional<Bound> boundOf(const SiteWork &Of, const Roof &Under);

struct RooflineOptions {
  unsigned Limit = 0; ///< 0: no limit
  bool ByKind = false;
  std::vector<std::string> Columns; ///< empty: the usual ones
};

/// The nodes with their bounds, those first from which most time could be won;
/// at the foot what could be won of all.
llvm::Expected<Table> makeRoofline(const SiteTable &Sites,
                                   const Selection &Selected, const Roof &Under,
                                   const RooflineOptions &Options);

/// A table of the columns' ids and meanings.
Table rooflineColumns();

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_ROOFLINE_H
