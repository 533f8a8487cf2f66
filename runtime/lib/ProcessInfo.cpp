//===- ProcessInfo.cpp - what the profile says of its process -------------===//

#include "ProcessInfo.h"

#include "Clock.h"
#include "Host.h"

#include <fcntl.h>
#include <unistd.h>

namespace torchprof {

using namespace format;

/// The process's arguments joined by spaces.
static void copyCommand(char (&To)[512]) {
  int File = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (File < 0)
    return;
  ssize_t Length = read(File, To, sizeof(To) - 1);
  close(File);
  if (Length < 0)
    Length = 0;
  while (Length > 0 && To[Length - 1] == '\0')
    --Length;
  for (ssize_t I = 0; I < Length; ++I)
    if (To[I] == '\0')
      To[I] = ' ';
  To[Length] = '\0';
}

void describeProcess(ProcessRecord &R, const Host &Program) {
  R.Pid = uint64_t(getpid());
  R.ParentPid = uint64_t(getppid());
  ClockAnchor Now = clock::readAnchor();
  R.StartRealtimeNs = Now.RealtimeNs;
  R.StartTicks = Now.Ticks;
  R.Clock = clock::kind();
  R.Mode =
      Program.Opts.Mode == "trace" ? RecordMode::Trace : RecordMode::Aggregate;
  R.NominalTicksPerSecond = clock::nominalTicksPerSecond();
  char HostName[256] = "";
  gethostname(HostName, sizeof(HostName) - 1);
  copyText(R.Host, HostName);
  copyCommand(R.Command);
  copyText(R.Runtime, "torchprof " TORCHPROF_VERSION);
  copyText(R.Framework, Program.Framework);
  copyText(R.Schedule, Program.Opts.Schedule.Text);
}

} // namespace torchprof
