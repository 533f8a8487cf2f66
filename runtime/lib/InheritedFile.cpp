//===- InheritedFile.cpp - files that are descriptors already -------------===//

#include "InheritedFile.h"

#include "system/WriteSignals.h"
#include "torchprof/format/Records.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace torchprof {

using namespace format;

/// What is wrong with how the descriptor was opened.
static Failure checkFlags(int Descriptor, bool MustBeInherited) {
  int Flags = fcntl(Descriptor, F_GETFL);
  if (Flags < 0)
    return Failure(errno, "the descriptor is not open");
  if (MustBeInherited && fcntl(Descriptor, F_GETFD) & FD_CLOEXEC)
    return Failure(EBADF, "the descriptor is one that the program has opened");
  if ((Flags & O_ACCMODE) != O_RDWR)
    return Failure(EACCES,
                   "the descriptor is not open for reading and writing");
  if (Flags & O_APPEND) // pwrite() then ignores its offset
    return Failure(EINVAL, "the descriptor is open for appending");
  return Failure();
}

static bool isProfile(int Descriptor) {
  char Magic[sizeof(FileMagic)];
  return pread(Descriptor, Magic, sizeof(Magic), 0) == sizeof(Magic) &&
         memcmp(Magic, FileMagic, sizeof(Magic)) == 0;
}

/// What is wrong with the file; if nothing is, it is no longer empty.
static Failure takeEmpty(int Descriptor) {
  struct stat Status;
  if (fstat(Descriptor, &Status) != 0)
    return Failure(errno);
  if (!S_ISREG(Status.st_mode))
    return Failure(EINVAL, "the descriptor is not that of a regular file");
  if (Status.st_size != 0)
    return isProfile(Descriptor) ? Failure(EEXIST, "it already holds a profile")
                                 : Failure(EEXIST, "the file is not empty");
  WriteSignalsBlock Block;
  ssize_t Written = pwrite(Descriptor, FileMagic, sizeof(FileMagic), 0);
  if (Written == sizeof(FileMagic))
    return Failure();
  return Failure(Written < 0 ? errno : ENOSPC);
}

Failure takeFile(int Descriptor, bool MustBeInherited) {
  if (Failure Why = checkFlags(Descriptor, MustBeInherited))
    return Why;
  // Of processes that look at the same time, one is to find the file empty.
  // Where the file system has no locks, they are not told apart.
  struct flock Lock {};
  Lock.l_type = F_WRLCK;
  Lock.l_whence = SEEK_SET;
  if (fcntl(Descriptor, F_SETLK, &Lock) != 0 &&
      (errno == EACCES || errno == EAGAIN))
    return Failure(EEXIST, "another process is using it");
  Failure Why = takeEmpty(Descriptor);
  Lock.l_type = F_UNLCK;
  fcntl(Descriptor, F_SETLK, &Lock);
  return Why;
}

} // namespace torchprof
