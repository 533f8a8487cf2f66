//===- SiteOptions.h - what chose a model's sites ---------------*- C++ -*-===//

#ifndef TORCHPROF_REPORT_SITEOPTIONS_H
#define TORCHPROF_REPORT_SITEOPTIONS_H

#include "torchprof/format/Manifest.h"

#include <string>

namespace torchprof::report {

/// The options that are not the default, as they are given to torchprof-opt:
/// " --nodes=all --include=aten::*".
std::string siteOptions(const Manifest &Table);

/// The globs among them, which leave nodes without a site.
std::string siteGlobs(const Manifest &Table);

/// True if nodes have no site because of globs, or since calls of modules have.
bool leavesNodesOut(const Manifest &Table);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_SITEOPTIONS_H
