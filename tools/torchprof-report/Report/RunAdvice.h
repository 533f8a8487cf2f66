//===- RunAdvice.h - rules of advice about runs -----------------*- C++ -*-===//

#ifndef TORCHPROF_REPORT_RUNADVICE_H
#define TORCHPROF_REPORT_RUNADVICE_H

#include "AdviceEvidence.h"

namespace torchprof::report {

/// Plans of parts of methods, which LibTorch made while they ran.
Finding plansInRuns(const Evidence &In);

/// Those of backward graphs.
Finding plansInBackwards(const Evidence &In);

/// What runs took outside of their nodes, but for what prepares gradients:
/// freezing does not help against that, and is not for models that are trained
/// or frozen. Where nodes were left out it is theirs.
Finding outsideOfNodes(const Evidence &In);

/// What LibTorch prepared gradients for that nobody asked for.
Finding unusedGradients(const Evidence &In);

/// What first runs took more than the others.
Finding firstRuns(const Evidence &In);

/// What runs took more than the median one, of those that took more than twice
/// as long. First runs are another matter.
Finding slowRuns(const Evidence &In);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_RUNADVICE_H
