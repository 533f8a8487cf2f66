//===- FoldThread.h - folds logs where a run must not wait ------*- C++ -*-===//
//
// With TORCHPROF_FOLD=thread, a lane's owner leaves what a run has written to
// one background thread that displaces no other when it wakes up. That thread
// only adds records to cells that are there; what needs a cell to be made,
// emptied or continued it leaves to the owner, which folds at the end of its
// next run. So it takes no lock but that of a lane, page by page, allocates
// nothing, and needs nothing that the exit of the process destroys: what it has
// not folded by then the reader folds.
//
// The thread starts when something is left to it for the first time. A child of
// fork has no such thread: its recording is a new one, with a new object of
// this class.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FOLDTHREAD_H
#define TORCHPROF_FOLDTHREAD_H

#include "Lane.h"

#include <atomic>

namespace torchprof {

class FoldThread {
public:
  FoldThread(const Lanes &Threads, bool IsWanted)
      : Threads(Threads), IsWanted(IsWanted) {}
  FoldThread(const FoldThread &) = delete;
  FoldThread &operator=(const FoldThread &) = delete;

  /// False if owners fold.
  bool isWanted() const { return IsWanted; }

  /// Takes over what the owner of \p L has written so far. False if the owner
  /// is to fold itself. Owner only; at most one system call, but for the first
  /// time.
  bool take(Lane &L);

private:
  enum class State { Absent, Running, Failed };
  /// What the thread has to do, in the word of a futex.
  enum Work : uint32_t {
    None,    ///< it is awake and has looked at what it was left
    Left,    ///< it is awake, or was woken, and will look again
    Awaited, ///< it sleeps, or is about to
  };

  /// Starts the thread at the first call. False if it could not be started.
  bool ensureRunning();
  int start();
  static void *main(void *Self);
  /// Returns when something was left to the thread. Makes no system call but
  /// those of the futex, which a host's filter (seccomp) has to allow;
  /// std::atomic::wait also yields the processor, now and then.
  void awaitWork();

  const Lanes &Threads;
  const bool IsWanted;
  std::atomic<State> Thread{State::Absent};
  std::atomic<uint32_t> HasWork{None};
};

} // namespace torchprof

#endif // TORCHPROF_FOLDTHREAD_H
