//===- FoldThread.cpp - folds logs where a run must not wait --------------===//

#include "FoldThread.h"

#include "Failure.h"
#include "LogPages.h"
#include "Warn.h"

#include <cerrno>
#include <csignal>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace torchprof {

/// The host may have locked all memory (mlockall), and then pays for it.
static constexpr size_t StackBytes = 256 * 1024;

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t) &&
              std::atomic<uint32_t>::is_always_lock_free);

/// Errors are no matter: whoever waits looks at the word again. The host keeps
/// its errno.
static void callFutex(std::atomic<uint32_t> &Word, int Operation,
                      uint32_t Value) {
  int Before = errno;
  syscall(SYS_futex, &Word, Operation, Value, nullptr, nullptr, 0);
  errno = Before;
}

bool FoldThread::take(Lane &L) {
  if (!IsWanted || !L.CellsReady.load(std::memory_order_relaxed) ||
      !ensureRunning())
    return false;
  L.FoldUpTo.store(L.Written, std::memory_order_release);
  if (HasWork.exchange(Left, std::memory_order_acq_rel) == Awaited)
    callFutex(HasWork, FUTEX_WAKE_PRIVATE, 1);
  return true;
}

bool FoldThread::ensureRunning() {
  State Is = Thread.load(std::memory_order_relaxed);
  if (Is != State::Absent) [[likely]]
    return Is == State::Running;
  if (!Thread.compare_exchange_strong(Is, State::Running))
    return Is == State::Running;
  int Error = start();
  if (!Error)
    return true;
  Thread.store(State::Failed);
  warn("cannot start the folding thread: %s; folding at the end of each run",
       errorText(Error));
  return false;
}

/// Starts the thread with all signals blocked: they are the host's. Returns 0
/// or an errno value.
int FoldThread::start() {
  pthread_attr_t Attributes;
  if (int Error = pthread_attr_init(&Attributes))
    return Error;
  pthread_attr_setdetachstate(&Attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&Attributes, StackBytes);
  // The caller may have a real-time priority.
  pthread_attr_setinheritsched(&Attributes, PTHREAD_EXPLICIT_SCHED);
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  pthread_t Started;
  int Error = pthread_create(&Started, &Attributes, main, this);
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  pthread_attr_destroy(&Attributes);
  return Error;
}

void FoldThread::awaitWork() {
  uint32_t Found = None;
  if (HasWork.compare_exchange_strong(Found, Awaited,
                                      std::memory_order_acq_rel))
    while (HasWork.load(std::memory_order_acquire) == Awaited)
      callFutex(HasWork, FUTEX_WAIT_PRIVATE, Awaited);
  HasWork.exchange(None, std::memory_order_acq_rel);
}

void *FoldThread::main(void *Argument) {
  auto &Self = *static_cast<FoldThread *>(Argument);
  pthread_setname_np(pthread_self(), "torchprof-fold");
  // It waits its turn, but has one: an owner whose log is full would else wait
  // for a thread that gets no processor while others are busy.
  sched_param Priority{};
  sched_setscheduler(0, SCHED_BATCH, &Priority);
  for (;;) {
    Self.awaitWork();
    for (Lane *L = Self.Threads.first(); L; L = L->NextLane)
      while (foldLeftPage(*L)) {
      }
  }
}

} // namespace torchprof
