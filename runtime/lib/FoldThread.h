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

  /// Starts the thread at the first call. False if it could not be started.
  bool ensureRunning();
  int start();
  static void *main(void *Self);

  const Lanes &Threads;
  const bool IsWanted;
  std::atomic<State> Thread{State::Absent};
  std::atomic<int> HasWork{0}; ///< an int is what a futex waits on
};

} // namespace torchprof

#endif // TORCHPROF_FOLDTHREAD_H
