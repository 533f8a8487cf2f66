//===- Host.cpp - what the host program asked for -------------------------===//

#include "Host.h"

#include "Clock.h"
#include "FrameworkWatch.h"

#include <fcntl.h>
#include <unistd.h>

namespace torchprof {

void Host::readEnvironment() {
  if (EnvironmentRead)
    return;
  EnvironmentRead = true;
  Opts.readEnvironment(environ);
  clock::choose(Opts.Clock);
  if (descriptorOf(Opts.File))
    readBeforehand();
  if (const FrameworkWatch *Watch = frameworkWatch())
    Watch->Begin(Opts);
}

void Host::readBeforehand() {
  if (Command.empty())
    Command = commandLine();
}

std::string commandLine() {
  char Text[512];
  int File = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (File < 0)
    return "";
  ssize_t Length = read(File, Text, sizeof(Text) - 1);
  close(File);
  while (Length > 0 && Text[Length - 1] == '\0')
    --Length;
  for (ssize_t I = 0; I < Length; ++I)
    if (Text[I] == '\0')
      Text[I] = ' ';
  return std::string(Text, Length < 0 ? 0 : size_t(Length));
}

} // namespace torchprof
