//===- Warn.cpp - the runtime's one way to speak --------------------------===//

#include "Warn.h"
#include "FileSizeSignal.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace torchprof {

void warn(const char *Format, ...) {
  int SavedErrno = errno;
  char Line[1024] = "torchprof: warning: ";
  size_t Length = strlen(Line);
  va_list Arguments;
  va_start(Arguments, Format);
  int Printed =
      vsnprintf(Line + Length, sizeof(Line) - Length - 1, Format, Arguments);
  va_end(Arguments);
  if (Printed > 0)
    Length = strlen(Line);
  Line[Length++] = '\n';
  FileSizeSignalBlock Block; // standard error may be a file
  ssize_t Written = write(STDERR_FILENO, Line, Length);
  (void)Written; // a host without standard error hears nothing
  errno = SavedErrno;
}

} // namespace torchprof
