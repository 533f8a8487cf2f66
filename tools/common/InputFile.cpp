//===- InputFile.cpp - why a file cannot be read --------------------------===//

#include "InputFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace torchprof {

const char *whyUnreadable(const char *Path, uint64_t &Size) {
  Size = 0;
  // Opening a pipe would wait for its other end.
  int File = open(Path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (File < 0)
    return strerror(errno);
  struct stat Found;
  const char *Reason = nullptr;
  if (fstat(File, &Found) != 0)
    Reason = strerror(errno);
  else if (S_ISDIR(Found.st_mode))
    Reason = strerror(EISDIR);
  else if (!S_ISREG(Found.st_mode))
    Reason = "not a regular file";
  else
    Size = static_cast<uint64_t>(Found.st_size);
  close(File);
  return Reason;
}

} // namespace torchprof
