//===- Warn.h - messages on standard error ----------------------*- C++ -*-===//
//
// One line per cause, `torchprof: warning: ...`, written with one write() so
// that lines of several threads do not mix. Neither fails; both keep errno.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_WARN_H
#define TORCHPROF_WARN_H

namespace torchprof {

/// Prints one warning line.
[[gnu::format(printf, 1, 2)]] void warn(const char *Format, ...);

/// Prints one line of information.
[[gnu::format(printf, 1, 2)]] void note(const char *Format, ...);

} // namespace torchprof

#endif // TORCHPROF_WARN_H
