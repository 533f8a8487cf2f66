//===- ProcessInfo.cpp - what the profile says of its process -------------===//

#include "ProcessInfo.h"

#include "Clock.h"
#include "Host.h"

#include <unistd.h>

namespace torchprof {

using namespace format;

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
  copyText(R.Command,
           Program.Command.empty() ? commandLine() : Program.Command);
  copyText(R.Runtime, "torchprof " TORCHPROF_VERSION);
  copyText(R.Schedule, Program.Opts.Schedule.Text);
}

} // namespace torchprof
