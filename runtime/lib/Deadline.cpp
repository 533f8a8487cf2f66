//===- Deadline.cpp - until when a thread waits ---------------------------===//

#include "Deadline.h"

#include <algorithm>

namespace torchprof {

// Before glibc 2.30 a thread can only wait by the clock that somebody may set,
// and ThreadSanitizer does not know the newer function for a mutex.
#if __GLIBC_PREREQ(2, 30) && !defined(__SANITIZE_THREAD__)
static constexpr clockid_t Clock = CLOCK_MONOTONIC;

bool Deadline::lock(pthread_mutex_t &Mutex) const {
  return pthread_mutex_clocklock(&Mutex, Clock, &End) == 0;
}

bool Deadline::wait(pthread_cond_t &Condition, pthread_mutex_t &Mutex) const {
  return pthread_cond_clockwait(&Condition, &Mutex, Clock, &End) == 0;
}
#else
static constexpr clockid_t Clock = CLOCK_REALTIME;

bool Deadline::lock(pthread_mutex_t &Mutex) const {
  return pthread_mutex_timedlock(&Mutex, &End) == 0;
}

bool Deadline::wait(pthread_cond_t &Condition, pthread_mutex_t &Mutex) const {
  return pthread_cond_timedwait(&Condition, &Mutex, &End) == 0;
}
#endif

Deadline::Deadline(uint64_t Milliseconds) {
  Milliseconds = std::min<uint64_t>(Milliseconds, 1'000'000'000);
  clock_gettime(Clock, &End);
  uint64_t Ns = uint64_t(End.tv_nsec) + Milliseconds % 1000 * 1'000'000;
  End.tv_sec += time_t(Milliseconds / 1000 + Ns / 1'000'000'000);
  End.tv_nsec = long(Ns % 1'000'000'000);
}

} // namespace torchprof
