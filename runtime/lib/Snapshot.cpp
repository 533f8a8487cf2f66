//===- Snapshot.cpp - copies of the profile while it is written -----------===//

#include "Snapshot.h"

#include "BooksCopies.h"
#include "Clock.h"
#include "InheritedFile.h"
#include "OpenFile.h"
#include "Options.h"
#include "Process.h"
#include "ProfileFile.h"
#include "WriteSignals.h"
#include "torchprof/format/LiveReader.h"
#include "torchprof/format/Segments.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <set>
#include <unistd.h>

namespace torchprof {

using namespace format;

namespace {
/// Cells that a reset emptied and whose owners have not touched them since, by
/// lane and slot.
using StaleSet = std::set<std::pair<uint32_t, Slot>>;
} // namespace

/// Copies a cell that its owner may be updating. The owner may have been
/// preempted in the middle, so later tries wait, 100 ms in all. An odd Word in
/// the copy says that it did not get through even then.
template <typename CellType>
static void copyCell(CellType &To, const CellType &From) {
  for (unsigned Try = 0; Try < 200; ++Try) {
    if (copyLiveCell(To, From))
      return;
    usleep(500);
  }
  copyWords(&To, &From, sizeof(CellType));
  To.Word |= 1;
}

static SegmentHeader *headerOf(char *Copy) {
  return reinterpret_cast<SegmentHeader *>(Copy);
}

static void copyCells(char *To, const SegmentHeader *From, uint32_t Epoch,
                      StaleSet &Stale) {
  copyWords(To, From, SegmentLayout<SegmentType::Cells>::EntriesOffset);
  SegmentOf<SegmentType::Cells> Copy(headerOf(To));
  ConstSegmentOf<SegmentType::Cells> Source(From);
  for (uint32_t I = 0; I < Copy.record().Used; ++I) {
    Cell &C = Copy.entries()[I];
    copyCell(C, Source.entries()[I]);
    if (C.Epoch == Epoch)
      continue;
    Stale.insert({From->Lane, C.Site});
    Slot Site = C.Site;
    uint64_t Folded = C.Folded;
    C = Cell{};
    C.Folded = Folded;
    C.Site = Site;
    C.Epoch = Epoch;
    C.Min = UINT64_MAX;
  }
}

/// Copies cells of measures or of variants.
template <SegmentType Type>
static SegmentOf<Type> copySmallCells(char *To, const SegmentHeader *From) {
  copyWords(To, From, SegmentLayout<Type>::EntriesOffset);
  SegmentOf<Type> Copy(headerOf(To));
  ConstSegmentOf<Type> Source(From);
  for (uint32_t I = 0; I < Copy.record().Used; ++I)
    copyCell(Copy.entries()[I], Source.entries()[I]);
  return Copy;
}

static void copyMeasures(char *To, const SegmentHeader *From, uint32_t Epoch) {
  auto Copy = copySmallCells<SegmentType::Measures>(To, From);
  for (uint32_t I = 0; I < Copy.record().Used; ++I) {
    MeasureCell &C = Copy.entries()[I];
    if (C.Epoch != Epoch) {
      Slot Site = C.Site;
      C = MeasureCell{};
      C.Site = Site;
      C.Epoch = Epoch;
    }
  }
}

static void copyLog(char *To, const SegmentHeader *From) {
  copyWords(To, From, sizeof(SegmentHeader));
  SegmentOf<SegmentType::Log> Copy(headerOf(To));
  ConstSegmentOf<SegmentType::Log> Source(From);
  copyLiveLog(Copy.record(), Copy.entries(), Source.record(), Source.entries());
}

static void copySegment(char *To, const SegmentHeader *From, uint32_t Epoch,
                        const BooksCopies &Books, StaleSet &Stale) {
  switch (From->Type) {
  case SegmentType::Cells:
    return copyCells(To, From, Epoch, Stale);
  case SegmentType::Measures:
    return copyMeasures(To, From, Epoch);
  case SegmentType::Variants:
    copySmallCells<SegmentType::Variants>(To, From);
    return;
  case SegmentType::Log: // before the cells of its lane, as in the file
    return copyLog(To, From);
  case SegmentType::Runs: {
    copyWords(To, From, From->Bytes);
    RunsRecord &Runs = SegmentOf<SegmentType::Runs>(headerOf(To)).record();
    if (Stale.count({From->Lane, Runs.Site}))
      Runs.Count = 0;
    return;
  }
  case SegmentType::Blocks:
    memcpy(To, Books.of(From), From->Bytes);
    return;
  case SegmentType::Process:
    copyWords(To, From, From->Bytes);
    SegmentOf<SegmentType::Process>(headerOf(To)).record().EndTicks =
        clock::ticks();
    return;
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
static int writeCopy(const ProfileFile &Profile, int File) try {
  uint32_t Epoch = Process.Epoch.load(std::memory_order_relaxed);
  uint64_t Bytes = PageBytes;
  for (const ProfileFile::Segment &S : Profile.segments())
    Bytes += S.Head->Bytes;
  auto Page = std::make_unique<char[]>(PageBytes);
  copyWords(Page.get(), Profile.header(), PageBytes);
  auto *Header = reinterpret_cast<FileHeader *>(Page.get());
  Header->State = FileState::Snapshot;
  Header->FileBytes = Bytes;
  Header->SegmentCount = Profile.segments().size();
  Header->Epoch = Epoch;
  if (!writeAll(File, Page.get(), PageBytes))
    return errno;
  BooksCopies Books(Profile);
  StaleSet Stale; // a root's cells precede its ring of runs
  uint32_t Index = 0;
  for (const ProfileFile::Segment &S : Profile.segments()) {
    auto Copy = std::make_unique<char[]>(S.Head->Bytes);
    copySegment(Copy.get(), S.Head, Epoch, Books, Stale);
    headerOf(Copy.get())->Index = Index++;
    if (!writeAll(File, Copy.get(), S.Head->Bytes))
      return errno;
  }
  return 0;
} catch (const std::bad_alloc &) {
  return ENOMEM; // the host must not see it
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

/// Writes the copy to a file that the process has open already.
static Failure writeToDescriptor(const ProfileFile &Profile, int File) {
  if (Failure Why = takeFile(File, /*MustBeInherited=*/false))
    return Why;
  int Error = lseek(File, 0, SEEK_SET) != 0 ? errno : writeCopy(Profile, File);
  if (Error) {
    int Ignored = ftruncate(File, 0);
    (void)Ignored;
  }
  return Failure(Error);
}

/// A new file beside \p Name; -1 with errno if there is none. The process of
/// another container may have the same number, and have been killed with one.
static int createTemporary(const std::string &Name, std::string &Temporary) {
  int File = -1;
  for (unsigned Number = 0; Number < 1000; ++Number) {
    Temporary = Name + ".part-" + std::to_string(getpid());
    if (Number)
      (Temporary += '.') += std::to_string(Number);
    File = openFile(Temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (File >= 0 || errno != EEXIST)
      break;
  }
  return File;
}

Failure writeSnapshot(const ProfileFile &Profile, const std::string &Name,
                      std::string &Path) {
  Path.clear();
  WriteSignalsBlock Block;
  if (std::optional<int> Descriptor = descriptorOf(Name)) {
    Failure Why = writeToDescriptor(Profile, *Descriptor);
    if (!Why)
      Path = Name;
    return Why;
  }
  std::string Temporary;
  int File = createTemporary(Name, Temporary);
  int Error = File < 0 ? errno : writeCopy(Profile, File);
  if (File >= 0 && close(File) != 0 && !Error)
    Error = errno;
  if (!Error)
    Error = placeFile(Temporary, Name, Path);
  if (Error && File >= 0)
    unlink(Temporary.c_str());
  return Failure(Error);
}

} // namespace torchprof
