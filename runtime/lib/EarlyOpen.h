//===- EarlyOpen.h - what is opened when the runtime is loaded --*- C++ -*-===//
//
// Some hosts may open files only while they start: then a filter (seccomp) ends
// whoever opens one. What the runtime needs is opened when it is loaded, if the
// environment asks for that.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_EARLYOPEN_H
#define TORCHPROF_EARLYOPEN_H

namespace torchprof {

/// Makes the profile if the option `open` is early, once. The caller holds the
/// process lock. Throws nothing but std::bad_alloc.
void openIfEarly();

/// For the moment when the runtime is loaded. With TORCHPROF_OPEN set, or
/// TORCHPROF_FILE=fd:N, reads the environment and opens what they ask for;
/// without, does nothing.
void openWhenLoaded() noexcept;

} // namespace torchprof

#endif // TORCHPROF_EARLYOPEN_H
