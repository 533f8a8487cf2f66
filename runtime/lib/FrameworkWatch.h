//===- FrameworkWatch.h - what the framework is watched for -----*- C++ -*-===//
//
// The collector knows no framework. What the framework must be asked to tell,
// such as labels and operators, the library's other part (runtime/torch/) asks
// it for, at the moments that these functions are called.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FRAMEWORKWATCH_H
#define TORCHPROF_FRAMEWORKWATCH_H

namespace torchprof {

struct Options;

/// None of them may throw or wait; none is null.
struct FrameworkWatch {
  /// The environment was read, or a recording begins: the options are known.
  /// Called under the process lock, more than once.
  void (*Begin)(const Options &Opts);
  /// An outermost run begins or has ended on the calling thread, while its
  /// recording is on. After an exception the end does not come.
  void (*RunBegins)();
  void (*RunEnded)();
  /// A pair of probes begins or has ended while shapes are recorded. The same.
  void (*PairBegins)();
  void (*PairEnded)();
};

/// Names the watch, which lives as long as the process. Before recording.
void setFrameworkWatch(const FrameworkWatch *Watch);

/// The watch, null without a framework.
const FrameworkWatch *frameworkWatch();

} // namespace torchprof

#endif // TORCHPROF_FRAMEWORKWATCH_H
