//===- Snapshot.cpp - copies of the profile while it is written -----------===//
//
// A snapshot is a profile of its own: cells are copied under their sequence
// locks, and what a reset has emptied is empty in it. The file appears under
// its name complete or not at all.
//
//===----------------------------------------------------------------------===//

#include "Collector.h"
#include "FileSizeSignal.h"
#include "Probe.h"
#include "Warn.h"
#include "torchprof/format/LiveReader.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <set>
#include <unistd.h>

namespace torchprof {

using namespace format;

namespace {
/// Cells that a reset emptied and whose owners have not touched them since.
using StaleSet = std::set<std::pair<uint32_t, uint32_t>>;
} // namespace

/// Copies a cell that its owner may be updating. The owner may have lost its
/// processor in the middle, so later tries wait, 100 ms in all. An odd Word in
/// the copy says that it did not get through even then.
static void copyCell(Cell &To, const Cell &From) {
  for (unsigned Try = 0; Try < 200; ++Try) {
    if (copyLiveCell(To, From))
      return;
    usleep(500);
  }
  copyWords(&To, &From, sizeof(Cell));
  To.Word |= 1;
}

static void copyCells(char *To, const SegmentHeader *From, uint32_t Epoch,
                      StaleSet &Stale) {
  copyWords(To, From, CellsOffset);
  auto *Record = reinterpret_cast<CellsRecord *>(To + sizeof(SegmentHeader));
  auto *Cells = reinterpret_cast<Cell *>(To + CellsOffset);
  auto *Source = reinterpret_cast<const Cell *>(
      reinterpret_cast<const char *>(From) + CellsOffset);
  for (uint32_t I = 0; I < Record->Used; ++I) {
    copyCell(Cells[I], Source[I]);
    if (Cells[I].Epoch == Epoch)
      continue;
    Stale.insert({From->Lane, Cells[I].Slot});
    uint32_t Slot = Cells[I].Slot;
    Cells[I] = Cell{};
    Cells[I].Slot = Slot;
    Cells[I].Epoch = Epoch;
    Cells[I].Min = UINT64_MAX;
  }
}

static void copyTrace(char *To, const SegmentHeader *From, uint32_t Epoch) {
  copyWords(To, From, TraceOffset);
  auto *Record = reinterpret_cast<TraceRecord *>(To + sizeof(SegmentHeader));
  if (Record->Epoch != Epoch) {
    Record->Epoch = Epoch;
    Record->Written = 0;
    return;
  }
  Record->Written =
      copyLiveRing(reinterpret_cast<TraceEvent *>(To + TraceOffset),
                   reinterpret_cast<const TraceEvent *>(
                       reinterpret_cast<const char *>(From) + TraceOffset),
                   Record->Capacity, Record->Keep == TraceKeep::Last,
                   reinterpret_cast<const TraceRecord *>(From + 1)->Written);
}

static void copySegment(char *To, const SegmentHeader *From, uint32_t Epoch,
                        StaleSet &Stale) {
  switch (From->Type) {
  case SegmentType::Cells:
    return copyCells(To, From, Epoch, Stale);
  case SegmentType::Trace:
    return copyTrace(To, From, Epoch);
  case SegmentType::Runs: {
    copyWords(To, From, From->Bytes);
    auto *Runs = reinterpret_cast<RunsRecord *>(To + sizeof(SegmentHeader));
    if (Stale.count({From->Lane, Runs->Slot}))
      Runs->Count = 0;
    return;
  }
  case SegmentType::Process: {
    copyWords(To, From, From->Bytes);
    auto *Record =
        reinterpret_cast<ProcessRecord *>(To + sizeof(SegmentHeader));
    Record->EndTicks = clock::ticks();
    return;
  }
  default:
    return copyWords(To, From, From->Bytes);
  }
}

static bool writeAll(int File, const char *Data, uint64_t Bytes) {
  while (Bytes) {
    ssize_t Written = write(File, Data, Bytes);
    if (Written < 0 && errno == EINTR)
      continue;
    if (Written <= 0)
      return false;
    Data += Written;
    Bytes -= uint64_t(Written);
  }
  return true;
}

/// Writes the copy to an open file. Returns 0 or an errno value.
static int writeCopy(int File) {
  uint32_t Epoch = Process.Epoch.load(std::memory_order_relaxed);
  uint64_t Bytes = PageBytes;
  for (const ProfileFile::Segment &S : State.File.segments())
    Bytes += S.Head->Bytes;
  std::unique_ptr<char[]> Page(new (std::nothrow) char[PageBytes]);
  if (!Page)
    return ENOMEM;
  copyWords(Page.get(), State.File.header(), PageBytes);
  auto *Header = reinterpret_cast<FileHeader *>(Page.get());
  Header->State = FileState::Snapshot;
  Header->FileBytes = Bytes;
  Header->SegmentCount = State.File.segments().size();
  Header->Generation = Epoch;
  if (!writeAll(File, Page.get(), PageBytes))
    return errno;
  StaleSet Stale; // a root's cells precede its ring of runs
  uint32_t Index = 0;
  for (const ProfileFile::Segment &S : State.File.segments()) {
    // Calls of operator new may throw for the set; the host must not see it.
    std::unique_ptr<char[]> Copy(new (std::nothrow) char[S.Head->Bytes]());
    if (!Copy)
      return ENOMEM;
    try {
      copySegment(Copy.get(), S.Head, Epoch, Stale);
    } catch (const std::bad_alloc &) {
      return ENOMEM;
    }
    reinterpret_cast<SegmentHeader *>(Copy.get())->Index = Index++;
    if (!writeAll(File, Copy.get(), S.Head->Bytes))
      return errno;
  }
  return 0;
}

/// Gives \p Temporary the name \p Name, or one with a number if it is taken.
static int placeFile(const std::string &Temporary, const std::string &Name,
                     std::string &Written) {
  for (unsigned Number = 0; Number < 100000; ++Number) {
    std::string Candidate = numberedName(Name, Number);
    if (link(Temporary.c_str(), Candidate.c_str()) == 0) {
      unlink(Temporary.c_str());
      Written = Candidate;
      return 0;
    }
    if (errno == EEXIST)
      continue;
    // No hard links here: the name must still be free.
    if (access(Candidate.c_str(), F_OK) == 0)
      continue;
    if (rename(Temporary.c_str(), Candidate.c_str()) != 0)
      return errno;
    Written = Candidate;
    return 0;
  }
  return EEXIST;
}

int writeSnapshot(const std::string &Name, std::string &Written) {
  Written.clear();
  FileSizeSignalBlock Block;
  std::string Temporary = Name + ".part-" + std::to_string(getpid());
  int File =
      open(Temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  int Failure = File < 0 ? errno : writeCopy(File);
  if (File >= 0 && close(File) != 0 && !Failure)
    Failure = errno;
  if (!Failure)
    Failure = placeFile(Temporary, Name, Written);
  if (Failure) {
    if (File >= 0)
      unlink(Temporary.c_str());
    count(Counter::FileErrors);
    if (!State.WarnedOfSnapshot)
      warn("%s: cannot write a snapshot: %s", Name.c_str(), strerror(Failure));
    State.WarnedOfSnapshot = true;
    return Failure;
  }
  count(Counter::Snapshots);
  announceSnapshot();
  return 0;
}

std::string nextSnapshotName() {
  uint64_t Number = State.Snapshots + 1;
  std::string Name = expandPattern(State.Opts.File, Number);
  // A pattern without %s names the profile itself.
  if (Name == expandPattern(State.Opts.File, 0))
    Name = numberedName(Name, unsigned(Number));
  return Name;
}

int snapshot(std::string_view Name) {
  ProcessLock Lock;
  makeReady();
  if (!State.File.exists())
    return ENODATA;
  addAnchor();
  std::string Written;
  return writeSnapshot(Name.empty() ? nextSnapshotName() : std::string(Name),
                       Written);
}

Totals totals() {
  ProcessLock Lock;
  Totals T{};
  uint64_t *Counters = Process.Counters.load(std::memory_order_relaxed);
  if (!Counters)
    Counters = earlyCounters();
  for (unsigned I = 0; I < CounterCapacity; ++I)
    T.Counters[I] = loadRelaxed(Counters[I]);
  T.Lanes = State.LaneCount;
  if (State.File.exists() && !State.File.path().empty())
    T.FileBytes = State.File.header()->FileBytes;
  uint32_t Epoch = Process.Epoch.load(std::memory_order_relaxed);
  for (const ProfileFile::Segment &S : State.File.segments()) {
    if (S.Head->Type != SegmentType::Cells)
      continue;
    auto *Record = reinterpret_cast<const CellsRecord *>(S.Head + 1);
    auto *Cells = reinterpret_cast<const Cell *>(
        reinterpret_cast<const char *>(S.Head) + CellsOffset);
    uint32_t Used = __atomic_load_n(&Record->Used, __ATOMIC_ACQUIRE);
    T.Cells += Used;
    for (uint32_t I = 0; I < Used; ++I) {
      if (loadRelaxed(Cells[I].Epoch) != Epoch)
        continue;
      T.Count += loadRelaxed(Cells[I].Word) / 2;
      T.Cut += loadRelaxed(Cells[I].Cut);
      T.Begins += loadRelaxed(Cells[I].Begins);
    }
  }
  return T;
}

} // namespace torchprof
