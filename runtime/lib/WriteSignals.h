//===- WriteSignals.h - writes that raise no signal -------------*- C++ -*-===//
//
// Growing a file past RLIMIT_FSIZE raises SIGXFSZ in the calling thread, and
// writing into a pipe that nobody reads SIGPIPE; both end a host that does not
// expect them. While an object of this class lives they are blocked in its
// thread, and what our own writes raised is taken back; the writes then fail
// with EFBIG and EPIPE.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_WRITESIGNALS_H
#define TORCHPROF_WRITESIGNALS_H

#include <csignal>
#include <ctime>
#include <initializer_list>
#include <pthread.h>

namespace torchprof {

class WriteSignalsBlock {
public:
  WriteSignalsBlock() {
    sigset_t Pending, Both;
    sigpending(&Pending);
    sigemptyset(&Both);
    sigemptyset(&New);
    for (int Signal : {SIGXFSZ, SIGPIPE}) {
      sigaddset(&Both, Signal);
      if (sigismember(&Pending, Signal) != 1)
        sigaddset(&New, Signal);
    }
    pthread_sigmask(SIG_BLOCK, &Both, &Before);
  }
  ~WriteSignalsBlock() {
    timespec None{0, 0};
    while (sigtimedwait(&New, nullptr, &None) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  }
  WriteSignalsBlock(const WriteSignalsBlock &) = delete;
  WriteSignalsBlock &operator=(const WriteSignalsBlock &) = delete;

private:
  sigset_t New; ///< those that the host was not waiting for itself
  sigset_t Before;
};

} // namespace torchprof

#endif // TORCHPROF_WRITESIGNALS_H
