//===- Framework.h - which LibTorch this is, and what it costs --*- C++ -*-===//
//
// The collector measures its own share of a pair of probes; the interpreter's
// share is measured here: two operators that only move their arguments, run
// by the interpreter like the probes. So is what a pair reads around a node
// that does nothing: the return from its first probe and the way to its second
// one, which the interpreter makes between the two readings of the clock.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FRAMEWORK_H
#define TORCHPROF_FRAMEWORK_H

namespace torchprof {

/// Tells the collector which framework this is and what its interpreter adds
/// to the cost of a pair of probes. Once per process; cheap afterwards.
void introduceFramework();

} // namespace torchprof

#endif // TORCHPROF_FRAMEWORK_H
