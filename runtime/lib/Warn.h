//===- Warn.h - the runtime's one way to speak ------------------*- C++ -*-===//
//
// One line per cause on standard error, `torchprof: warning: ...`, written
// with one write() so that lines of several threads do not mix.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_WARN_H
#define TORCHPROF_WARN_H

namespace torchprof {

/// Prints one warning line. Never fails; keeps errno.
[[gnu::format(printf, 1, 2)]] void warn(const char *Format, ...);

} // namespace torchprof

#endif // TORCHPROF_WARN_H
