//===- Warn.cpp - messages on standard error ------------------------------===//

#include "Warn.h"
#include "system/WriteSignals.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace torchprof {

static void print(const char *Kind, const char *Format, va_list Arguments) {
  int SavedErrno = errno;
  char Line[1024];
  snprintf(Line, sizeof(Line), "torchprof: %s: ", Kind);
  size_t Length = strlen(Line);
  if (vsnprintf(Line + Length, sizeof(Line) - Length - 1, Format, Arguments) >
      0)
    Length = strlen(Line);
  Line[Length++] = '\n';
  WriteSignalsBlock Block; // it may be a file, or a pipe that nobody reads
  ssize_t Written = write(STDERR_FILENO, Line, Length);
  (void)Written; // nobody reads where there is no standard error
  errno = SavedErrno;
}

void warn(const char *Format, ...) {
  va_list Arguments;
  va_start(Arguments, Format);
  print("warning", Format, Arguments);
  va_end(Arguments);
}

void note(const char *Format, ...) {
  va_list Arguments;
  va_start(Arguments, Format);
  print("note", Format, Arguments);
  va_end(Arguments);
}

} // namespace torchprof
