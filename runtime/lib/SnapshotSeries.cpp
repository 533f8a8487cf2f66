//===- SnapshotSeries.cpp - the snapshots that were made ------------------===//

#include "SnapshotSeries.h"

#include "Deadline.h"
#include "Host.h"
#include "Process.h"
#include "ProfileFile.h"
#include "Snapshot.h"
#include "Warn.h"

#include <cerrno>

namespace torchprof {

using format::Counter;

std::string SnapshotSeries::nextName() const {
  const std::string &Pattern = Program.Opts.File;
  uint64_t Number = Made + 1;
  std::string Name = expandPattern(Pattern, Number);
  // A pattern without %s names the profile itself.
  if (!namesSnapshots(Pattern))
    Name = numberedName(Name, unsigned(Number));
  return Name;
}

/// Says once why there is no copy, or that there is one. Returns its number.
int SnapshotSeries::note(const std::string &Name, Failure Why) {
  if (Why) {
    torchprof::count(Counter::FileErrors);
    if (!HasWarned)
      warn("%s: cannot write a snapshot: %s", Name.c_str(), Why.text());
    HasWarned = true;
    return Why.error();
  }
  torchprof::count(Counter::Snapshots);
  ++Made; // whoever waits for it is told at the end of the turn
  return 0;
}

int SnapshotSeries::copy(const std::string &Name, std::string &Path) {
  Failure Why;
  {
    ProcessUnlock WhileTheDiskWorks;
    Why = writeSnapshot(File, Name, Path);
  }
  return note(Name, Why);
}

int SnapshotSeries::write(const std::string &Name) {
  std::string Path;
  return copy(Name, Path);
}

int SnapshotSeries::writeNumbered(bool IsAsked, std::string &Path) {
  if (descriptorOf(Program.Opts.File))
    return note(Program.Opts.File,
                Failure(ENOTSUP, "a descriptor has no further names"));
  std::string Name = nextName();
  if (!IsAsked && Program.OpenedEarly)
    return note(Name,
                Failure(ENOTSUP, "TORCHPROF_OPEN=early opens no more files"));
  return copy(Name, Path);
}

uint64_t SnapshotSeries::waitFor(uint64_t Above, uint64_t TimeoutMs) const {
  Deadline End(TimeoutMs);
  while (TimeoutMs && Made <= Above)
    if (!End.wait(Process.CopyTurnEnded, Process.Mutex))
      break;
  return Made;
}

} // namespace torchprof
