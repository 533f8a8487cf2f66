//===- ProcessInfo.h - what the profile says of its process -----*- C++ -*-===//

#ifndef TORCHPROF_PROCESSINFO_H
#define TORCHPROF_PROCESSINFO_H

#include "torchprof/format/Records.h"

#include <string_view>

namespace torchprof {

struct Host;

/// Fills the record but for its counters, the framework and the probes' costs.
void describeProcess(format::ProcessRecord &R, const Host &Program);

/// Copies \p Text, cut to fit, with a NUL byte after it.
template <size_t Size> void copyText(char (&To)[Size], std::string_view Text) {
  To[Text.copy(To, Size - 1)] = '\0';
}

} // namespace torchprof

#endif // TORCHPROF_PROCESSINFO_H
