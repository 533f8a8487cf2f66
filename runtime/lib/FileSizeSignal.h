//===- FileSizeSignal.h - growing files without SIGXFSZ ---------*- C++ -*-===//
//
// Growing a file past RLIMIT_FSIZE raises SIGXFSZ in the calling thread, which
// ends a host that does not expect it. While an object of this class lives the
// signal is blocked in its thread, and what our own writes raised is taken
// back; the writes then fail with EFBIG.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FILESIZESIGNAL_H
#define TORCHPROF_FILESIZESIGNAL_H

#include <csignal>
#include <ctime>
#include <pthread.h>

namespace torchprof {

class FileSizeSignalBlock {
public:
  FileSizeSignalBlock() {
    sigset_t Pending;
    sigpending(&Pending);
    WasPending = sigismember(&Pending, SIGXFSZ) == 1;
    sigemptyset(&Signal);
    sigaddset(&Signal, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &Signal, &Before);
  }
  ~FileSizeSignalBlock() {
    timespec None{0, 0};
    if (!WasPending)
      sigtimedwait(&Signal, nullptr, &None);
    pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  }
  FileSizeSignalBlock(const FileSizeSignalBlock &) = delete;
  FileSizeSignalBlock &operator=(const FileSizeSignalBlock &) = delete;

private:
  sigset_t Signal, Before;
  bool WasPending;
};

} // namespace torchprof

#endif // TORCHPROF_FILESIZESIGNAL_H
