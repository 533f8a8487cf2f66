//===- FrameworkCalls.h - labels, operators of LibTorch ---------*- C++ -*-===//

#ifndef TORCHPROF_FRAMEWORKCALLS_H
#define TORCHPROF_FRAMEWORKCALLS_H

namespace torchprof {

/// Before an autograd function of which a span begins: its operators are
/// recorded if those of the thread's last run were, or of the last one at all
/// on a thread without runs. True if it is to be followed by leaveOperators()
/// when the function has ended.
bool watchOperators() noexcept;

/// Records no operators on the calling thread any more.
void leaveOperators() noexcept;

} // namespace torchprof

#endif // TORCHPROF_FRAMEWORKCALLS_H
