//===- Command.cpp - the command that is recorded -------------------------===//

#include "Command.h"

#include "../common/IgnoredSignals.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace torchprof {

static volatile pid_t Child = 0;

/// The terminal sends its signals to the command itself, as it is in the same
/// group of processes. Whether another process meant the group, too, nothing
/// tells; in a group of its own the command would lose the terminal. An alarm
/// that was set by who started this process would be the command's without it.
static void sendOn(int Signal, siginfo_t *Info, void *) {
  if (Child > 0 && (Info->si_code != SI_KERNEL || Signal == SIGALRM))
    kill(Child, Signal);
}

/// Not what tells this process of itself: of its child, a fault, its output,
/// and that a shell stops it or lets it go on, for which the shell signals the
/// group.
static bool isSentOn(int Signal) {
  switch (Signal) {
  case SIGKILL:
  case SIGSTOP:
  case SIGTSTP:
  case SIGCONT:
  case SIGCHLD:
  case SIGPIPE:
  case SIGXFSZ:
  case SIGILL:
  case SIGTRAP:
  case SIGABRT:
  case SIGBUS:
  case SIGFPE:
  case SIGSEGV:
  case SIGSYS:
    return false;
  default:
    return true;
  }
}

static void sendSignalsOn() {
  struct sigaction Action = {};
  Action.sa_sigaction = sendOn;
  Action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (int Signal = 1; Signal <= SIGRTMAX; ++Signal) {
    // What is ignored, as under nohup, is ignored by the command too. The C
    // library keeps some for itself and refuses them.
    struct sigaction Now;
    if (isSentOn(Signal) && sigaction(Signal, nullptr, &Now) == 0 &&
        Now.sa_handler != SIG_IGN)
      sigaction(Signal, &Action, nullptr);
  }
}

/// In SA_RESETHAND and SA_NODEFER, so the default action is in force again. The
/// first process of a container is not ended by that.
static void endBy(int Signal) {
  raise(Signal);
  _exit(128 + Signal);
}

static constexpr int Ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/// Signals that end this process, once they are released.
static sigset_t Held;

/// Lets signals that mean an end end this process instead of the command, but
/// not yet. The terminal stops it, as it would without a command, when it
/// prints from the background: a handler that returns would be called for ever.
static void holdSignals() {
  sigemptyset(&Held);
  for (int Signal : Ending) {
    struct sigaction Now;
    if (sigaction(Signal, nullptr, &Now) == 0 && Now.sa_sigaction == sendOn)
      sigaddset(&Held, Signal);
  }
  sigset_t Before;
  sigprocmask(SIG_BLOCK, &Held, &Before);
  struct sigaction Action = {};
  Action.sa_handler = endBy;
  Action.sa_flags = SA_RESETHAND | SA_NODEFER;
  for (int Signal : Ending) {
    if (!sigismember(&Held, Signal))
      continue;
    sigaction(Signal, &Action, nullptr);
    if (sigismember(&Before, Signal)) // by who started this
      sigdelset(&Held, Signal);
  }
  for (int Signal : {SIGTTIN, SIGTTOU}) {
    struct sigaction Now;
    if (sigaction(Signal, nullptr, &Now) == 0 && Now.sa_sigaction == sendOn)
      signal(Signal, SIG_DFL);
  }
}

void releaseSignals() { sigprocmask(SIG_UNBLOCK, &Held, nullptr); }

static std::vector<char *> pointersTo(const std::vector<std::string> &Texts) {
  std::vector<char *> Pointers;
  for (const std::string &Text : Texts)
    Pointers.push_back(const_cast<char *>(Text.c_str()));
  Pointers.push_back(nullptr);
  return Pointers;
}

CommandResult runCommand(const std::vector<std::string> &Words,
                         const std::vector<std::string> &Environment) {
  CommandResult Result;
  int Pipe[2]; // tells why the command could not be started
  if (pipe2(Pipe, O_CLOEXEC) != 0) {
    Result.Error = strerror(errno);
    return Result;
  }
  std::vector<char *> Arguments = pointersTo(Words);
  std::vector<char *> Added = pointersTo(Environment);
  sigset_t All, Before;
  sigfillset(&All);
  sigprocmask(SIG_BLOCK, &All, &Before);
  // Where it is ignored, as a parent may have left it, there is no status.
  signal(SIGCHLD, SIG_DFL);
  pid_t Pid = fork();
  if (Pid == 0) {
    restoreSignals();
    sigprocmask(SIG_SETMASK, &Before, nullptr);
    for (char *Variable : Added)
      if (Variable)
        putenv(Variable);
    execvp(Arguments[0], Arguments.data());
    int Error = errno;
    (void)!write(Pipe[1], &Error, sizeof(Error));
    _exit(127);
  }
  int Error = errno;
  close(Pipe[1]);
  Child = Pid;
  if (Pid > 0)
    sendSignalsOn();
  sigprocmask(SIG_SETMASK, &Before, nullptr);
  ssize_t Size = 0;
  if (Pid > 0)
    while ((Size = read(Pipe[0], &Error, sizeof(Error))) < 0 && errno == EINTR)
      ;
  close(Pipe[0]);
  if (Pid < 0 || Size > 0)
    Result.Error = strerror(Error);
  int Status = 0;
  if (Pid > 0) {
    siginfo_t Ended; // its id stays its own until it is waited for
    while (waitid(P_PID, Pid, &Ended, WEXITED | WNOWAIT) < 0 && errno == EINTR)
      ;
    holdSignals();
    Child = 0;
    while (waitpid(Pid, &Status, 0) < 0 && errno == EINTR)
      ;
  }
  if (WIFSIGNALED(Status))
    Result.Signal = WTERMSIG(Status);
  else
    Result.ExitCode = WEXITSTATUS(Status);
  return Result;
}

void endAs(const CommandResult &Result) {
  if (Result.Signal) {
    // The command has left a core already, if it was to.
    rlimit None = {0, 0};
    setrlimit(RLIMIT_CORE, &None);
    signal(Result.Signal, SIG_DFL);
    raise(Result.Signal);
    _exit(128 + Result.Signal);
  }
  exit(Result.ExitCode);
}

} // namespace torchprof
