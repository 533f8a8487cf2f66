//===- SnapshotSeries.cpp - the snapshots that were made ------------------===//

#include "SnapshotSeries.h"

#include "Host.h"
#include "Process.h"
#include "ProfileFile.h"
#include "Snapshot.h"
#include "Warn.h"

#include <cerrno>
#include <ctime>

namespace torchprof {

using format::Counter;

std::string SnapshotSeries::nextName() const {
  const std::string &Pattern = Program.Opts.File;
  uint64_t Number = Made + 1;
  std::string Name = expandPattern(Pattern, Number);
  // A pattern without %s names the profile itself.
  if (Name == expandPattern(Pattern, 0))
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
  ++Made;
  pthread_cond_broadcast(&Process.SnapshotMade);
  return 0;
}

int SnapshotSeries::write(const std::string &Name) {
  std::string Path;
  return note(Name, writeSnapshot(File, Name, Path));
}

int SnapshotSeries::writeNumbered(bool IsAsked, std::string &Path) {
  if (descriptorOf(Program.Opts.File))
    return note(Program.Opts.File,
                Failure(ENOTSUP, "a descriptor has no further names"));
  std::string Name = nextName();
  if (!IsAsked && Program.OpenedEarly)
    return note(Name,
                Failure(ENOTSUP, "TORCHPROF_OPEN=early opens no more files"));
  return note(Name, writeSnapshot(File, Name, Path));
}

uint64_t SnapshotSeries::waitFor(uint64_t Above, uint64_t TimeoutMs) const {
  timespec Deadline;
  clock_gettime(CLOCK_REALTIME, &Deadline);
  constexpr uint64_t Longest = 1'000'000'000;
  TimeoutMs = TimeoutMs < Longest ? TimeoutMs : Longest;
  uint64_t Ns = uint64_t(Deadline.tv_nsec) + TimeoutMs % 1000 * 1'000'000;
  Deadline.tv_sec += time_t(TimeoutMs / 1000 + Ns / 1'000'000'000);
  Deadline.tv_nsec = long(Ns % 1'000'000'000);
  while (TimeoutMs && Made <= Above)
    if (pthread_cond_timedwait(&Process.SnapshotMade, &Process.Mutex,
                               &Deadline) != 0)
      break;
  return Made;
}

} // namespace torchprof
