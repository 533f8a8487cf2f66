//===- Advice.h - what the figures show, and what to try --------*- C++ -*-===//
//
// Each rule looks for one cause of lost time that a profile can show, and says
// how much of the time it is about, by which nodes, what to try and how to see
// whether it helped. No rule speaks without a measured share.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_ADVICE_H
#define TORCHPROF_REPORT_ADVICE_H

#include "Roofline.h"
#include "Selection.h"
#include "Table.h"

namespace torchprof::report {

/// The share of the time that a rule has to be about, unless told.
constexpr double AdvicePercent = 2;

/// One table: a row for each rule that has something to say about at least
/// \p MinPercent of the runs' time, the largest share first, and the advice
/// below it. What ran beside the runs is part of the time, and of no share.
/// Rules that need shapes or the machine's peaks are silent without.
Table makeAdvice(const SiteTable &Sites, const Selection &Selected,
                 const Roof &Under, double MinPercent);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_ADVICE_H
