/*===- WriteSignals.h - writes that raise no signal ---------------*- C -*-===*\
|*                                                                            *|
|* Growing a file past RLIMIT_FSIZE raises SIGXFSZ in the calling thread, and *|
|* writing into a pipe that nobody reads SIGPIPE; both end a host that does   *|
|* not expect them. While they are blocked the writes fail with EFBIG and     *|
|* EPIPE; what they raised is taken back before the host can receive it.      *|
|*                                                                            *|
|* C, because libtorchprof_preload.so includes it as well as the collector.   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TORCHPROF_WRITESIGNALS_H
#define TORCHPROF_WRITESIGNALS_H

#include <signal.h>
#include <time.h>

struct TorchprofWriteSignals {
  sigset_t New; /* those that the host was not waiting for itself */
  sigset_t Before;
};

/* Blocks both signals in the calling thread. */
static inline void
torchprofBlockWriteSignals(struct TorchprofWriteSignals *Signals) {
  const int Both[] = {SIGXFSZ, SIGPIPE};
  sigset_t Pending, Blocked;
  sigpending(&Pending);
  sigemptyset(&Blocked);
  sigemptyset(&Signals->New);
  for (unsigned I = 0; I < sizeof(Both) / sizeof(*Both); ++I) {
    sigaddset(&Blocked, Both[I]);
    if (sigismember(&Pending, Both[I]) != 1)
      sigaddset(&Signals->New, Both[I]);
  }
  pthread_sigmask(SIG_BLOCK, &Blocked, &Signals->Before);
}

/* Takes back what the thread's own writes raised, and unblocks. Leaves errno
   undefined. */
static inline void
torchprofRestoreWriteSignals(struct TorchprofWriteSignals *Signals) {
  const struct timespec None = {0, 0};
  while (sigtimedwait(&Signals->New, NULL, &None) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &Signals->Before, NULL);
}

#ifdef __cplusplus
namespace torchprof {

/* The signals are blocked in its thread while an object of this class lives. */
class WriteSignalsBlock {
public:
  WriteSignalsBlock() { torchprofBlockWriteSignals(&Signals); }
  ~WriteSignalsBlock() { torchprofRestoreWriteSignals(&Signals); }
  WriteSignalsBlock(const WriteSignalsBlock &) = delete;
  WriteSignalsBlock &operator=(const WriteSignalsBlock &) = delete;

private:
  TorchprofWriteSignals Signals;
};

} // namespace torchprof
#endif

#endif /* TORCHPROF_WRITESIGNALS_H */
