//===- SiteWork.h - what sites computed and moved ---------------*- C++ -*-===//
//
// The work of the calls whose shapes were recorded and whose operators have a
// formula (Work.h), with the time that these calls took.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_SITEWORK_H
#define TORCHPROF_REPORT_SITEWORK_H

#include "SiteTable.h"
#include "Work.h"

namespace torchprof::report {

/// What several sites computed and moved, as far as that is known.
struct SiteWork {
  Work Sum;
  /// The calls with one signature of one node, which have a limit of their own.
  struct Part {
    Work Of; ///< all of them
    bool OnDevice = false;
  };
  std::vector<Part> Parts; ///< which add up to Sum
  uint64_t Calls = 0;      ///< of which it is known
  UInt128 Time = 0;        ///< their ticks; those of the device that worked
  UInt128 AsideTime = 0;   ///< of Time, what ran beside its parent

  /// Adds \p Calls of an operator with one signature, which took \p Ticks.
  void add(llvm::StringRef Kind, llvm::StringRef Signature, uint64_t Calls,
           UInt128 Ticks);

  /// Adds what the calls of a site did, without the sites inside.
  void add(const SiteTable &Sites, uint32_t Site);
  /// The same of those with one of its signatures, which took \p Ticks of the
  /// host. How long a device worked for them is known if there is no other.
  void add(const SiteTable &Sites, uint32_t Site, llvm::StringRef Signature,
           uint64_t Calls, UInt128 Ticks);

  SiteWork &operator+=(const SiteWork &Other);
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_SITEWORK_H
