//===- OpenFile.h - files that are no standard stream -----------*- C++ -*-===//

#ifndef TORCHPROF_OPENFILE_H
#define TORCHPROF_OPENFILE_H

#include <sys/types.h>

namespace torchprof {

/// open(2) with O_CLOEXEC, but never as descriptor 0, 1 or 2: the host may have
/// closed those, and what it or a library prints there must not come into the
/// file. -1 with errno. Any thread may call it.
int openFile(const char *Path, int Flags, mode_t Mode = 0);

} // namespace torchprof

#endif // TORCHPROF_OPENFILE_H
