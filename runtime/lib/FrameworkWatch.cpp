//===- FrameworkWatch.cpp - what the framework is watched for -------------===//

#include "FrameworkWatch.h"

#include <atomic>

namespace torchprof {

static std::atomic<const FrameworkWatch *> Watching = nullptr;

void setFrameworkWatch(const FrameworkWatch *Watch) { Watching = Watch; }

const FrameworkWatch *frameworkWatch() {
  return Watching.load(std::memory_order_relaxed);
}

} // namespace torchprof
