//===- OpenFile.cpp - files that are no standard stream -------------------===//

#include "OpenFile.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace torchprof {

int openFile(const char *Path, int Flags, mode_t Mode) {
  int File = open(Path, Flags | O_CLOEXEC, Mode);
  if (File < 0 || File > STDERR_FILENO)
    return File;
  int Higher = fcntl(File, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  int Error = errno;
  close(File);
  errno = Error;
  return Higher;
}

} // namespace torchprof
