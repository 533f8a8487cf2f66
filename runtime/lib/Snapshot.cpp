//===- Snapshot.cpp - copies of the profile while it is written -----------===//

#include "Snapshot.h"

#include "BooksCopies.h"
#include "Clock.h"
#include "InheritedFile.h"
#include "OpenFile.h"
#include "Options.h"
#include "Process.h"
#include "ProfileFile.h"
#include "system/WriteSignals.h"
#include "torchprof/format/LiveReader.h"
#include "torchprof/format/Segments.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <unistd.h>
#include <vector>

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

//===----------------------------------------------------------------------===//
// The profile
//
// Threads write down what they record while it is copied: first which sites
// there are, then cells for these; records come to the log first and into a
// cell before the log is done with them. So what is written last is copied
// first: logs, then cells and rings, then sites and all else that is written
// with the process lock held. A copied cell's site is then known, and a record
// that the copied log has no more is in a copied cell. Lanes that came to be
// since the logs were copied are left out. Which span is open is copied behind
// the cells: one that has ended in its cell must not be open as well.
//===----------------------------------------------------------------------===//

namespace {
class Copier {
public:
  Copier(const ProfileFile &Profile, int File) : Profile(Profile), File(File) {}

  /// Writes the copy. Returns 0 or an errno value. Throws std::bad_alloc.
  int run();

private:
  /// A segment, and where its copy comes to lie in the file.
  struct Place {
    const SegmentHeader *From;
    uint64_t Offset;
    std::unique_ptr<char[]> Copy = nullptr; ///< if it is made beforehand
  };

  template <typename Function> void addNew(Function IsWanted);
  bool writeLogs();
  bool writeOpenSpans();
  void copyTables();
  bool write(uint32_t Index);
  void copySegment(char *To, const SegmentHeader *From);

  const ProfileFile &Profile;
  const int File;
  const uint32_t Epoch = Process.Epoch.load(std::memory_order_relaxed);
  std::vector<Place> Places;
  size_t Seen = 0; ///< of the profile's segments
  uint64_t End = PageBytes;
  std::set<uint32_t> Lanes; ///< whose logs are copied
  std::optional<BooksCopies> Books;
  StaleSet Stale; // a root's cells precede its ring of runs
  std::unique_ptr<char[]> Header;
};
} // namespace

static bool isOfLane(SegmentType Type) {
  switch (Type) {
#define TORCHPROF_SEGMENT(TYPE, NUMBER, RECORD, ENTRY, OFFSET, OWNER, MEANING) \
  case SegmentType::TYPE:                                                      \
    return SegmentLayout<SegmentType::TYPE>::Owner == SegmentOwner::Lane;
#include "torchprof/format/SegmentTypes.def"
  }
  return false;
}

/// True of what is small, and written with the process lock held.
static bool isTable(SegmentType Type) {
  return Type == SegmentType::Lane ||
         (!isOfLane(Type) && Type != SegmentType::Blocks &&
          Type != SegmentType::Manifest);
}

void Copier::copySegment(char *To, const SegmentHeader *From) {
  switch (From->Type) {
  case SegmentType::Cells:
    return copyCells(To, From, Epoch, Stale);
  case SegmentType::Measures:
    return copyMeasures(To, From, Epoch);
  case SegmentType::Variants:
    copySmallCells<SegmentType::Variants>(To, From);
    return;
  case SegmentType::Log:
    return copyLog(To, From);
  case SegmentType::Runs: {
    copyWords(To, From, From->Bytes);
    RunsRecord &Runs = SegmentOf<SegmentType::Runs>(headerOf(To)).record();
    if (Stale.count({From->Lane, Runs.Site}))
      Runs.Count = 0;
    return;
  }
  case SegmentType::Blocks:
    memcpy(To, Books->of(From), From->Bytes);
    return;
  case SegmentType::Process: {
    copyWords(To, From, From->Bytes);
    ProcessRecord &Record =
        SegmentOf<SegmentType::Process>(headerOf(To)).record();
    Record.EndTicks = clock::ticks();
    Record.Counters[unsigned(Counter::UnsavedParts)] = 0; // the copy has them
    return;
  }
  default:
    return copyWords(To, From, From->Bytes);
  }
}

static bool writeAll(int File, const char *Data, uint64_t Bytes,
                     uint64_t Offset) {
  while (Bytes) {
    ssize_t Written = pwrite(File, Data, Bytes, off_t(Offset));
    if (Written < 0 && errno == EINTR)
      continue;
    if (Written <= 0)
      return false;
    Data += Written;
    Offset += uint64_t(Written);
    Bytes -= uint64_t(Written);
  }
  return true;
}

bool Copier::write(uint32_t Index) {
  Place &P = Places[Index];
  if (!P.Copy) {
    P.Copy = std::make_unique<char[]>(P.From->Bytes);
    copySegment(P.Copy.get(), P.From);
  }
  headerOf(P.Copy.get())->Index = Index;
  if (!writeAll(File, P.Copy.get(), P.From->Bytes, P.Offset))
    return false;
  P.Copy.reset();
  return true;
}

/// Gives those segments a place that came to be since. The caller holds the
/// process lock.
template <typename Function> void Copier::addNew(Function IsWanted) {
  for (; Seen < Profile.segments().size(); ++Seen) {
    const SegmentHeader *Head = Profile.segments()[Seen].Head;
    if (!IsWanted(*Head))
      continue;
    Places.push_back({Head, End});
    End += Head->Bytes;
  }
}

bool Copier::writeLogs() {
  {
    ProcessLock Lock;
    addNew([](const SegmentHeader &) { return true; });
  }
  for (uint32_t I = 0; I < Places.size(); ++I) {
    if (Places[I].From->Type != SegmentType::Log)
      continue;
    Lanes.insert(Places[I].From->Lane);
    if (!write(I))
      return false;
  }
  return true;
}

bool Copier::writeOpenSpans() {
  constexpr uint64_t Begin = offsetof(LogRecord, CurrentTicks);
  constexpr uint64_t End = offsetof(LogRecord, Current) + sizeof(uint64_t);
  for (const Place &P : Places) {
    if (P.From->Type != SegmentType::Log)
      continue;
    const LogRecord &Record = ConstSegmentOf<SegmentType::Log>(P.From).record();
    char Copy[sizeof(LogRecord)];
    copyWords(Copy, &Record, End);
    uint64_t Offset = uint64_t(reinterpret_cast<const char *>(&Record) -
                               reinterpret_cast<const char *>(P.From));
    if (!writeAll(File, Copy + Begin, End - Begin, P.Offset + Offset + Begin))
      return false;
  }
  return true;
}

/// Copies what is written with the process lock held, as it is at one moment.
void Copier::copyTables() {
  Header = std::make_unique<char[]>(PageBytes);
  ProcessLock Lock;
  addNew([](const SegmentHeader &S) {
    return !isOfLane(S.Type) && S.Type != SegmentType::Blocks;
  });
  for (Place &P : Places)
    if (isTable(P.From->Type)) {
      P.Copy = std::make_unique<char[]>(P.From->Bytes);
      copySegment(P.Copy.get(), P.From);
    }
  copyWords(Header.get(), Profile.header(), PageBytes);
}

int Copier::run() {
  if (!writeLogs())
    return errno;
  Books.emplace(Profile);
  {
    ProcessLock Lock;
    addNew([this](const SegmentHeader &S) {
      if (S.Type == SegmentType::Blocks)
        return Books->of(&S) != nullptr;
      return !isOfLane(S.Type) || Lanes.count(S.Lane) != 0;
    });
  }
  auto Count = uint32_t(Places.size());
  for (uint32_t I = 0; I < Count; ++I)
    if (SegmentType Type = Places[I].From->Type;
        Type != SegmentType::Log && !isTable(Type) && !write(I))
      return errno;
  if (!writeOpenSpans())
    return errno;
  copyTables();
  for (uint32_t I = 0; I < Places.size(); ++I)
    if ((I >= Count || isTable(Places[I].From->Type)) && !write(I))
      return errno;
  auto *Head = reinterpret_cast<FileHeader *>(Header.get());
  Head->State = FileState::Snapshot;
  Head->FileBytes = End;
  Head->SegmentCount = Places.size();
  Head->Epoch = Epoch;
  return writeAll(File, Header.get(), PageBytes, 0) ? 0 : errno;
}

/// Writes the copy to an open file. Returns 0 or an errno value.
static int writeCopy(const ProfileFile &Profile, int File) try {
  return Copier(Profile, File).run();
} catch (const std::bad_alloc &) {
  return ENOMEM; // the host must not see it
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

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
  int Error = writeCopy(Profile, File);
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
