//===- ProfileReader.cpp - reads .tprof files -----------------------------===//

#include "ProfileReader.h"
#include "../../common/InputFile.h"
#include "ProfileJson.h"
#include "SegmentReader.h"

#include "llvm/Support/Alignment.h"
#include "llvm/Support/FileSystem.h"

#include <cstring>
#include <map>
#include <set>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;
using format::ConstSegmentOf;
using format::SegmentType;

static Error inputError(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

Error SegmentReader::readHeader() {
  IsShort = Bytes.size() < sizeof(format::FileHeader);
  if (Bytes.empty())
    return inputError("the file is empty");
  StringRef Magic(format::FileMagic, sizeof(format::FileMagic));
  if (!Bytes.startswith(Magic.take_front(Bytes.size())))
    return inputError("neither a profile (.tprof) nor its JSON form");
  format::FileHeader Header;
  if (Bytes.size() < sizeof(Header))
    return inputError("the file is cut short: expected a header of " +
                      Twine(sizeof(Header)) + " bytes, found " +
                      Twine(Bytes.size()));
  if (!isAddrAligned(Align(alignof(format::FileHeader)), Bytes.data()))
    return inputError("the buffer is not aligned to 8 bytes");
  std::memcpy(&Header, Bytes.data(), sizeof(Header));
  if (Header.ByteOrder != format::ByteOrderMark)
    return inputError("offset 12: expected a little-endian profile, found "
                      "byte order mark 0x" +
                      Twine::utohexstr(Header.ByteOrder));
  if (Header.Version < format::FormatVersion)
    return inputError("recorded by an older torchprof (profile format " +
                      Twine(Header.Version) + "); record again");
  if (Header.Version > format::FormatVersion)
    return inputError("recorded by a newer torchprof (profile format " +
                      Twine(Header.Version) + "); this version reads format " +
                      Twine(format::FormatVersion));
  if (Header.HeaderBytes != format::PageBytes)
    return inputError("offset 16: expected a header of " +
                      Twine(format::PageBytes) + " bytes, found " +
                      Twine(Header.HeaderBytes));
  P.State = Header.State;
  P.Epoch = Header.Epoch;
  P.ResetTicks = Header.ResetTicks;
  Limit = Header.FileBytes;
  if (Limit < format::PageBytes) {
    Offset = offsetof(format::FileHeader, FileBytes);
    damaged("expected a used size of at least " + Twine(format::PageBytes) +
            " bytes, found " + Twine(Limit));
    Limit = Bytes.size();
  } else if (Limit > Bytes.size()) {
    IsShort = true;
    Offset = Bytes.size();
    damaged("the file is cut short: expected " + Twine(Limit) +
            " bytes, found " + Twine(Bytes.size()));
    Limit = Bytes.size();
  }
  if (nameOf(P.State).empty())
    P.Warnings.push_back("offset 20: unknown file state " +
                         std::to_string(unsigned(P.State)));
  return Error::success();
}

void SegmentReader::readSegments() {
  std::string CutShort = Damage;
  Offset = format::PageBytes;
  while (Offset < Limit) {
    if (Limit - Offset < sizeof(format::SegmentHeader)) {
      damaged("the file ends inside the header of a segment");
      break;
    }
    auto *Head = static_cast<const format::SegmentHeader *>(
        static_cast<const void *>(Bytes.data() + Offset));
    if (!checkSegment(*Head) || !readSegment(Head))
      break;
    ++P.SegmentCount;
    Offset += Head->Bytes;
  }
  P.FileBytes = Offset;
  // A missing end of the file explains a segment that is not whole.
  if (!CutShort.empty())
    Damage = CutShort;
}

bool SegmentReader::checkSegment(const format::SegmentHeader &Head) {
  if (Head.Magic != format::SegmentMagic)
    return damaged("no segment begins here: expected its magic number 0x" +
                   Twine::utohexstr(format::SegmentMagic) + ", found 0x" +
                   Twine::utohexstr(Head.Magic));
  if (Head.Bytes < format::PageBytes || Head.Bytes % format::PageBytes)
    return damaged("a segment of " + Twine(Head.Bytes) +
                   " bytes, which are not whole pages");
  if (Head.Bytes > Limit - Offset)
    return damaged("expected a segment of " + Twine(Head.Bytes) +
                   " bytes, found only " + Twine(Limit - Offset));
  uint64_t Room = Head.Bytes - sizeof(Head);
  if (Head.PayloadBytes > Room)
    return damaged("expected a payload of at most " + Twine(Room) +
                   " bytes, found " + Twine(Head.PayloadBytes));
  return true;
}

bool SegmentReader::readSegment(const format::SegmentHeader *Head) {
  if (!SawProcess && Head->Type != SegmentType::Process)
    return damaged("the first segment is not the process but of type " +
                   Twine(unsigned(Head->Type)));
  switch (Head->Type) {
#define TORCHPROF_SEGMENT(TYPE, NUMBER, RECORD, ENTRY, OFFSET, OWNER, MEANING) \
  case SegmentType::TYPE:                                                      \
    return read(ConstSegmentOf<SegmentType::TYPE>(Head));
#include "torchprof/format/SegmentTypes.def"
  }
  // A later version's segment: nothing here depends on it.
  P.Warnings.push_back("offset " + std::to_string(Offset) +
                       ": stepped over a segment of unknown type " +
                       std::to_string(unsigned(Head->Type)));
  return true;
}

bool SegmentReader::read(ConstSegmentOf<SegmentType::Process> S) {
  if (SawProcess)
    return damaged("a second process segment");
  P.Process = record(S);
  SawProcess = true;
  return true;
}

bool SegmentReader::takeSlots(format::Slot First, uint64_t Count) {
  if (std::optional<format::Slot> Disputed = Taken.add(First, Count, {})) {
    if (*Disputed == format::NoSlot)
      return damaged("slots beyond the largest one, " +
                     Twine(number(format::NoSlot) - 1));
    return damaged("slot " + Twine(number(*Disputed)) +
                   " belongs to an earlier segment");
  }
  return true;
}

bool SegmentReader::read(ConstSegmentOf<SegmentType::Manifest> S) {
  format::ModelRecord Record = record(S);
  ArrayRef<char> Characters;
  if (!entries(S, Record.TextBytes, Record.TextBytes, Characters))
    return false;
  auto Table = std::make_shared<Manifest>();
  std::string Cause;
  if (!parseManifest(std::string_view(Characters.data(), Characters.size()),
                     *Table, Cause))
    return damaged(Cause);
  if (Table->ModelId != Record.ModelId ||
      Table->Sites.size() != Record.SiteCount)
    return damaged("the manifest and its record name different models or "
                   "numbers of sites");
  if (!takeSlots(Record.FirstSlot, Record.SiteCount))
    return false;
  P.Models.push_back({Record.FirstSlot, std::move(Table)});
  return true;
}

bool SegmentReader::read(ConstSegmentOf<SegmentType::Clock> S) {
  format::ClockRecord Record = record(S);
  ArrayRef<format::ClockAnchor> Anchors;
  if (!entries(S, Record.Capacity, Record.Count, Anchors))
    return false;
  P.AnchorIntervalNs = Record.IntervalNs;
  P.Anchors.assign(Anchors.begin(), Anchors.end());
  return true;
}

bool SegmentReader::read(ConstSegmentOf<SegmentType::DynamicSites> S) {
  format::DynamicSitesRecord Record = record(S);
  ArrayRef<format::DynamicSite> Sites;
  if (!entries(S, Record.Capacity, Record.Used, Sites))
    return false;
  StringRef Text(format::dynamicText(S), Record.TextCapacity);
  uint64_t Room = S.bytesBehind(Record.Capacity);
  if (Text.size() > Room)
    return damaged("expected at most " + Twine(Room) +
                   " bytes of names, found " + Twine(Text.size()));
  for (const format::DynamicSite &D : Sites) {
    if (D.NameOffset > Text.size() || D.NameBytes > Text.size() - D.NameOffset)
      return damaged("the name of slot " + Twine(number(D.Site)) +
                     " is not in the segment's text");
    if (!takeSlots(D.Site, 1))
      return false;
    P.DynamicSites.push_back({D.Site, D.Parent, D.Kind, D.Flags,
                              Text.substr(D.NameOffset, D.NameBytes).str()});
  }
  return true;
}

bool SegmentReader::read(ConstSegmentOf<SegmentType::Plans> S) {
  format::EventsRecord Record = record(S);
  ArrayRef<format::PlanEvent> Events;
  if (!entries(S, Record.Capacity, Record.Used, Events))
    return false;
  P.Plans.insert(P.Plans.end(), Events.begin(), Events.end());
  return true;
}

bool SegmentReader::read(ConstSegmentOf<SegmentType::Loads> S) {
  format::EventsRecord Record = record(S);
  ArrayRef<format::LoadEvent> Events;
  if (!entries(S, Record.Capacity, Record.Used, Events))
    return false;
  for (const format::LoadEvent &E : Events)
    if (E.NameBytes > sizeof(E.Name))
      return damaged("expected at most " + Twine(sizeof(E.Name)) +
                     " bytes of a loaded file's name, found " +
                     Twine(E.NameBytes));
  P.Loads.insert(P.Loads.end(), Events.begin(), Events.end());
  return true;
}

bool SegmentReader::read(ConstSegmentOf<SegmentType::Machine> S) {
  P.Machine = record(S);
  return true;
}

bool SegmentReader::read(ConstSegmentOf<SegmentType::Blocks> S) {
  format::BlocksRecord Record = record(S);
  ArrayRef<format::BlockAccount> Accounts;
  if (!entries(S, Record.Capacity, Record.Used, Accounts) ||
      !isKnown(Record.Place))
    return false;
  Optional<BlockBooks> &Books = P.Books[unsigned(Record.Place)];
  bool IsFirst = !Books;
  if (IsFirst)
    Books.emplace();
  addAccounts(*Books, IsFirst, Record, Accounts);
  return true;
}

/// Empties the rings of runs that the last reset emptied: where no run has
/// ended since, only the cell says so.
static void emptyOldRuns(Lane &L, uint64_t Epoch) {
  std::map<format::Slot, bool> IsOld; // of slots with a ring
  for (const RunRing &R : L.Runs)
    IsOld[R.Slot] = false;
  std::set<format::Slot> Present;
  for (ArrayRef<format::Cell> Cells : L.Cells)
    for (const format::Cell &C : Cells) {
      auto Ring = IsOld.find(C.Site);
      if (Ring == IsOld.end())
        continue;
      if (C.Epoch == static_cast<uint32_t>(Epoch))
        Present.insert(C.Site);
      else
        Ring->second = true;
    }
  for (RunRing &R : L.Runs)
    if (IsOld[R.Slot] && !Present.count(R.Slot)) {
      R.Count = 0;
      R.Samples = {};
    }
}

/// Leaves nothing from before the last reset.
static void emptyOld(Profile &P) {
  auto IsOld = [&](const auto &Event) {
    return Event.BeginTicks < P.ResetTicks;
  };
  erase_if(P.Loads, IsOld);
  erase_if(P.Plans, [&](const format::PlanEvent &E) {
    return IsOld(E) || (E.Flags & format::PF_Emptied);
  });
  if (!P.Epoch)
    return;
  for (Lane &L : P.Lanes)
    emptyOldRuns(L, P.Epoch);
  for (Optional<BlockBooks> &Books : P.Books)
    if (Books)
      followReset(*Books, static_cast<uint32_t>(P.Epoch), P.ResetTicks);
}

/// False if nothing that a lane recorded is in the part that was read. A log
/// may hold a trace, and spans that are in no cell yet, without any cells
/// behind it.
static bool hasRecords(const Profile &P) {
  return any_of(P.Lanes, [](const Lane &L) {
    auto HasEvents = [](const TraceBuffer &T) { return !T.Events.empty(); };
    auto HasRuns = [](const RunRing &R) { return !R.Samples.empty(); };
    return !L.Cells.empty() || any_of(L.Traces, HasEvents) ||
           any_of(L.Runs, HasRuns);
  });
}

Error SegmentReader::finish() {
  if (std::string Cause = P.whyTooDeep(); !Cause.empty())
    return inputError(Cause);
  // Before a run that has begun since, but not ended, makes the cell a new one.
  emptyOld(P);
  for (const LaneLog &Log : Logs)
    foldLog(P, Log, P.ResetTicks);
  forgetEndedElsewhere(P);
  if (Damage.empty())
    return Error::success();
  if (!hasRecords(P))
    return inputError(Damage);
  P.Damaged = true;
  P.Warnings.insert(P.Warnings.begin(), Damage + "; read the " +
                                            std::to_string(P.SegmentCount) +
                                            " segments before it");
  return Error::success();
}

Expected<Profile> report::readProfile(std::unique_ptr<MemoryBuffer> File,
                                      OpenAgain Open) {
  Profile P;
  P.FileName = File->getBufferIdentifier().str();
  SegmentReader R(*File, P);
  Error E = R.readHeader();
  if (R.isShort() && Open) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> Now = Open();
    if (Now && (*Now)->getBufferSize() > File->getBufferSize()) {
      consumeError(std::move(E));
      return readProfile(std::move(*Now), Open);
    }
  }
  if (!E) {
    R.readSegments();
    E = R.finish();
  }
  if (E)
    return inputError(P.FileName + ": " + toString(std::move(E)));
  P.adopt(std::move(File));
  return P;
}

Expected<Profile> report::loadProfile(StringRef Path) {
  // A device such as /dev/zero may have no end; a pipe has one.
  sys::fs::file_status Status;
  if (Path != "-" && !sys::fs::status(Path, Status) &&
      Status.type() == sys::fs::file_type::character_file)
    return inputError(Path + ": not a regular file");
  // Not volatile, so that large files are mapped. A live file never shrinks.
  auto Open = [Path] {
    return MemoryBuffer::getFileOrSTDIN(Path, /*IsText=*/false,
                                        /*RequiresNullTerminator=*/false);
  };
  ErrorOr<std::unique_ptr<MemoryBuffer>> File = Open();
  if (std::error_code Code = File.getError())
    return createStringError(Code, Path + ": " + Code.message());
  StringRef Text = (*File)->getBuffer();
  if (!Text.ltrim().startswith("{")) {
    // Who reads a pipe again finds nothing.
    bool IsFile = Status.type() == sys::fs::file_type::regular_file;
    return readProfile(std::move(*File), IsFile ? OpenAgain(Open) : nullptr);
  }
  // What is read of a text is held in memory, as more than the text.
  if (Text.size() > physicalMemory())
    return inputError(Path + ": a text of " + Twine(Text.size()) +
                      " bytes, more than this machine's memory");
  Expected<Profile> P = profileFromJson(Text, Path);
  if (P)
    emptyOld(*P);
  return P;
}
