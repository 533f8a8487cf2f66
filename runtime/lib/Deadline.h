//===- Deadline.h - until when a thread waits -------------------*- C++ -*-===//

#ifndef TORCHPROF_DEADLINE_H
#define TORCHPROF_DEADLINE_H

#include <cstdint>
#include <ctime>
#include <pthread.h>

namespace torchprof {

/// A moment on a clock that nobody sets, where the system can wait by one.
class Deadline {
public:
  /// So many milliseconds from now, 10^9 at most.
  explicit Deadline(uint64_t Milliseconds);

  /// Locks a mutex; false if that was not free until then.
  bool lock(pthread_mutex_t &Mutex) const;

  /// Waits for a condition, whose mutex the caller holds; false at the end.
  bool wait(pthread_cond_t &Condition, pthread_mutex_t &Mutex) const;

private:
  timespec End;
};

} // namespace torchprof

#endif // TORCHPROF_DEADLINE_H
