//===- StandardOutput.cpp - what could not be written ---------------------===//

#include "StandardOutput.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace torchprof {

using llvm::Error;

static const char *Writer;

/// --help and --version end the process, so that it is not main() that checks.
/// LLVM's other streams may be gone then.
static void checkAtExit() {
  if (Error Failed = flushStandardOutput()) {
    std::fprintf(stderr, "%s: error: %s\n", Writer,
                 toString(std::move(Failed)).c_str());
    std::_Exit(2);
  }
  // Its messages are lost, not what the exit code says.
  llvm::errs().clear_error();
}

void watchStandardStreams(const char *Tool) {
  Writer = Tool;
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  llvm::outs(); // both are made before, so that they outlive the function
  llvm::errs();
  std::atexit(checkAtExit);
}

Error flushed(llvm::raw_fd_ostream &OS, const llvm::Twine &Name) {
  OS.flush();
  std::error_code Code = OS.error();
  OS.clear_error();
  if (!Code || Code == std::errc::broken_pipe)
    return Error::success();
  return llvm::createStringError(Code, Name + ": " + Code.message());
}

Error flushStandardOutput() { return flushed(llvm::outs(), "standard output"); }

} // namespace torchprof
