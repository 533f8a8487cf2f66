//===- ProfileReader.cpp - reads .tprof files -----------------------------===//

#include "ProfileReader.h"
#include "EnumNames.h"
#include "LaneLog.h"
#include "ProfileJson.h"
#include "torchprof/format/LiveReader.h"
#include "torchprof/format/Segments.h"
#include "torchprof/format/SlotMap.h"

#include "llvm/Support/Alignment.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <map>
#include <variant>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;
using format::ConstSegmentOf;
using format::SegmentType;

namespace {

/// Walks the segments of one file. The first damage ends the walk; everything
/// read before it is kept.
class Reader {
public:
  Reader(const MemoryBuffer &File, Profile &P)
      : Bytes(File.getBuffer()), P(P) {}

  Error readHeader();
  void readSegments();
  Error finish();

private:
  bool damaged(const Twine &Cause) {
    Damage = ("offset " + Twine(Offset) + ": " + Cause).str();
    return false;
  }

  /// The record of a segment, which its process may be writing.
  template <SegmentType Type>
  static typename format::SegmentLayout<Type>::Record
  record(ConstSegmentOf<Type> S) {
    typename format::SegmentLayout<Type>::Record R;
    format::copyWords(&R, &S.record(), sizeof(R));
    return R;
  }

  /// Takes the first \p Used of \p Capacity entries.
  template <SegmentType Type, typename Entry>
  bool entries(ConstSegmentOf<Type> S, uint64_t Capacity, uint64_t Used,
               ArrayRef<Entry> &Out) {
    if (Capacity > S.room())
      return damaged(Twine(Capacity) + " entries of " + Twine(sizeof(Entry)) +
                     " bytes do not fit into a segment of " +
                     Twine(S.header().Bytes) + " bytes");
    if (Used > Capacity)
      return damaged("expected at most " + Twine(Capacity) +
                     " entries, found " + Twine(Used));
    Out = ArrayRef(S.entries(), Used);
    return true;
  }

  bool isKnown(format::LogKeep Keep) {
    return !nameOf(Keep).empty() ||
           damaged("keep is neither 0, 1 nor 2 but " + Twine(unsigned(Keep)));
  }

  bool readSegment(const format::SegmentHeader *Head);
  bool checkSegment(const format::SegmentHeader &Head);
#define TORCHPROF_SEGMENT(TYPE, NUMBER, RECORD, ENTRY, OFFSET, OWNER, MEANING) \
  bool read(ConstSegmentOf<SegmentType::TYPE> S);
#include "torchprof/format/SegmentTypes.def"
  template <SegmentType Type, typename T>
  bool readRing(ConstSegmentOf<Type> S, StringRef Noun,
                Optional<KeptRing<T>> &Out);
  bool widerCells(ConstSegmentOf<SegmentType::Measure> S,
                  const format::MeasureRecord &Record,
                  ArrayRef<format::MeasureCell> &Out);
  Lane *findLane(const format::SegmentHeader &Head);
  bool takeSlots(format::Slot First, uint64_t Count);

  StringRef Bytes;
  Profile &P;
  uint64_t Limit = 0;
  uint64_t Offset = 0; ///< of the segment that is being read
  std::string Damage;
  bool SawProcess = false;
  bool SawCells = false;
  std::map<uint32_t, size_t> LaneIndex; ///< by number, in Profile::Lanes
  format::SlotMap<std::monostate> Taken;
  std::vector<LaneLog> Logs;
  uint64_t ResetTicks = 0;
};

} // namespace

static Error inputError(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

Error Reader::readHeader() {
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
  ResetTicks = Header.ResetTicks;
  Limit = Header.FileBytes;
  if (Limit < format::PageBytes) {
    Offset = offsetof(format::FileHeader, FileBytes);
    damaged("expected a used size of at least " + Twine(format::PageBytes) +
            " bytes, found " + Twine(Limit));
    Limit = Bytes.size();
  } else if (Limit > Bytes.size()) {
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

void Reader::readSegments() {
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

bool Reader::checkSegment(const format::SegmentHeader &Head) {
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

bool Reader::readSegment(const format::SegmentHeader *Head) {
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

bool Reader::read(ConstSegmentOf<SegmentType::Process> S) {
  if (SawProcess)
    return damaged("a second process segment");
  P.Process = record(S);
  SawProcess = true;
  return true;
}

bool Reader::takeSlots(format::Slot First, uint64_t Count) {
  if (std::optional<format::Slot> Disputed = Taken.add(First, Count, {})) {
    if (*Disputed == format::NoSlot)
      return damaged("slots beyond the largest one, " +
                     Twine(number(format::NoSlot) - 1));
    return damaged("slot " + Twine(number(*Disputed)) +
                   " belongs to an earlier segment");
  }
  return true;
}

bool Reader::read(ConstSegmentOf<SegmentType::Manifest> S) {
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

bool Reader::read(ConstSegmentOf<SegmentType::Clock> S) {
  format::ClockRecord Record = record(S);
  ArrayRef<format::ClockAnchor> Anchors;
  if (!entries(S, Record.Capacity, Record.Count, Anchors))
    return false;
  P.AnchorIntervalNs = Record.IntervalNs;
  P.Anchors.assign(Anchors.begin(), Anchors.end());
  return true;
}

Lane *Reader::findLane(const format::SegmentHeader &Head) {
  auto It = LaneIndex.find(Head.Lane);
  if (It != LaneIndex.end())
    return &P.Lanes[It->second];
  damaged("a segment of lane " + Twine(Head.Lane) + ", which is not known");
  return nullptr;
}

bool Reader::read(ConstSegmentOf<SegmentType::Lane> S) {
  Lane L;
  L.Record = record(S);
  if (L.Record.Lane != S.header().Lane)
    return damaged("expected lane " + Twine(S.header().Lane) + ", found lane " +
                   Twine(L.Record.Lane));
  if (!LaneIndex.emplace(L.Record.Lane, P.Lanes.size()).second)
    return damaged("a second segment of lane " + Twine(L.Record.Lane));
  P.Lanes.push_back(std::move(L));
  return true;
}

bool Reader::read(ConstSegmentOf<SegmentType::Cells> S) {
  format::CellsRecord Record = record(S);
  ArrayRef<format::Cell> Cells;
  Lane *L = findLane(S.header());
  if (!L || !entries(S, Record.Capacity, Record.Used, Cells))
    return false;
  L->Cells.push_back(Cells);
  SawCells = true;
  return true;
}

bool Reader::read(ConstSegmentOf<SegmentType::Runs> S) {
  format::RunsRecord Record = record(S);
  RunRing Ring = {Record.Site, Record.Capacity, Record.Count, {}};
  Lane *L = findLane(S.header());
  if (!L ||
      !entries(S, Record.Capacity,
               std::min<uint64_t>(Record.Count, Record.Capacity), Ring.Samples))
    return false;
  if (Record.Capacity == 0 && Record.Count)
    return damaged(Twine(Record.Count) + " runs in a ring without room");
  L->Runs.push_back(Ring);
  return true;
}

bool Reader::read(ConstSegmentOf<SegmentType::Log> S) {
  format::LogRecord Record = record(S);
  Lane *L = findLane(S.header());
  if (!L)
    return false;
  if (!isKnown(Record.Keep))
    return false;
  ArrayRef<format::LogEntry> Entries;
  if (!isPowerOf2_64(Record.Ring))
    return damaged("a log of " + Twine(Record.Ring) +
                   " entries in turn, which is no power of two");
  if (!entries(S, SaturatingAdd(Record.Kept, Record.Ring), 0, Entries))
    return false;
  if (Record.Folded < Record.Written &&
      Record.Written - Record.Folded > Record.Ring)
    return damaged(Twine(Record.Written - Record.Folded) +
                   " unfolded records in a log of " + Twine(Record.Ring));
  Logs.push_back({LaneIndex[S.header().Lane],
                  {},
                  P.allocate<format::LogEntry>(Record.Kept + Record.Ring),
                  &S.record(),
                  S.entries()});
  LaneLog &Log = Logs.back();
  format::copyLiveLog(Log.Head, Log.Entries.data(), S.record(), S.entries());
  return true;
}

bool Reader::read(ConstSegmentOf<SegmentType::DynamicSites> S) {
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

bool Reader::read(ConstSegmentOf<SegmentType::Plans> S) {
  format::EventsRecord Record = record(S);
  ArrayRef<format::PlanEvent> Events;
  if (!entries(S, Record.Capacity, Record.Used, Events))
    return false;
  P.Plans.insert(P.Plans.end(), Events.begin(), Events.end());
  return true;
}

bool Reader::read(ConstSegmentOf<SegmentType::Loads> S) {
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

/// Copies the part that this version knows of a later version's cells.
bool Reader::widerCells(ConstSegmentOf<SegmentType::Measure> S,
                        const format::MeasureRecord &Record,
                        ArrayRef<format::MeasureCell> &Out) {
  ArrayRef<char> Bytes(
      static_cast<const char *>(static_cast<const void *>(S.entries())),
      S.room() * sizeof(format::MeasureCell));
  if (Record.Used > Record.Capacity ||
      Record.Capacity > Bytes.size() / Record.Stride)
    return damaged("expected room for " + Twine(Record.Used) + " cells of " +
                   Twine(Record.Stride) + " bytes, found " +
                   Twine(Bytes.size()) + " bytes");
  auto Cells = P.allocate<format::MeasureCell>(Record.Used);
  for (uint32_t I = 0; I < Record.Used; ++I)
    format::copyLiveCell(
        Cells[I], *static_cast<const format::MeasureCell *>(
                      static_cast<const void *>(&Bytes[I * Record.Stride])));
  Out = Cells;
  return true;
}

bool Reader::read(ConstSegmentOf<SegmentType::Measure> S) {
  format::MeasureRecord Record = record(S);
  ArrayRef<format::MeasureCell> Cells;
  Lane *L = findLane(S.header());
  if (!L)
    return false;
  constexpr uint64_t CellBytes = sizeof(format::MeasureCell);
  if (Record.Stride < CellBytes || Record.Stride % sizeof(uint64_t))
    return damaged("expected a stride of at least " + Twine(CellBytes) +
                   " bytes and whole words, found " + Twine(Record.Stride));
  if (Record.Stride == CellBytes) {
    if (!entries(S, Record.Capacity, Record.Used, Cells))
      return false;
  } else if (!widerCells(S, Record, Cells)) {
    return false;
  }
  L->Measures.push_back({Record.Measure, Record.Unit, Record.Sum,
                         fixedText(Record.Name).str(), Cells});
  return true;
}

bool Reader::read(ConstSegmentOf<SegmentType::Machine> S) {
  P.Machine = record(S);
  return true;
}

bool Reader::read(ConstSegmentOf<SegmentType::Variants> S) {
  format::VariantsRecord Record = record(S);
  ArrayRef<format::VariantCell> Cells;
  Lane *L = findLane(S.header());
  if (!L || !entries(S, Record.Capacity, Record.Used, Cells))
    return false;
  L->Variants.push_back(Cells);
  return true;
}

/// Reads the ring of a lane. True with none if it is of an older epoch.
template <SegmentType Type, typename T>
bool Reader::readRing(ConstSegmentOf<Type> S, StringRef Noun,
                      Optional<KeptRing<T>> &Out) {
  auto Record = record(S);
  ArrayRef<T> Ring;
  if (!isKnown(Record.Keep) ||
      !entries(S, Record.Capacity,
               std::min<uint64_t>(Record.Count, Record.Capacity), Ring))
    return false;
  if (Record.Capacity == 0 && Record.Count)
    return damaged(Twine(Record.Count) + " " + Noun +
                   " in a ring without room");
  if (Record.Epoch != static_cast<uint32_t>(P.Epoch))
    return true;
  std::vector<T> Entries = entriesOfRing(Record, S.entries());
  Out = KeptRing<T>{Record.Keep, Record.Capacity, Record.Count,
                    P.keep(ArrayRef<T>(Entries))};
  return true;
}

bool Reader::read(ConstSegmentOf<SegmentType::Levels> S) {
  Lane *L = findLane(S.header());
  Optional<KeptRing<format::Level>> Ring;
  if (!L || !readRing(S, "levels", Ring))
    return false;
  if (Ring)
    L->Levels.push_back({*Ring, record(S).OfRuns != 0});
  return true;
}

bool Reader::read(ConstSegmentOf<SegmentType::DeviceSpans> S) {
  Lane *L = findLane(S.header());
  Optional<KeptRing<format::DeviceSpan>> Ring;
  if (!L || !readRing(S, "device spans", Ring))
    return false;
  if (Ring)
    L->DeviceSpans.push_back(*Ring);
  return true;
}

bool Reader::read(ConstSegmentOf<SegmentType::Blocks> S) {
  format::BlocksRecord Record = record(S);
  ArrayRef<format::BlockAccount> Accounts;
  if (!entries(S, Record.Capacity, Record.Used, Accounts))
    return false;
  bool IsFirst = !P.Books;
  if (IsFirst)
    P.Books.emplace();
  addAccounts(*P.Books, IsFirst, Record, Accounts);
  return true;
}

Error Reader::finish() {
  for (const LaneLog &Log : Logs)
    foldLog(P, Log, ResetTicks);
  if (Damage.empty())
    return Error::success();
  if (!SawCells)
    return inputError(Damage);
  P.Damaged = true;
  P.Warnings.insert(P.Warnings.begin(), Damage + "; read the " +
                                            std::to_string(P.SegmentCount) +
                                            " segments before it");
  return Error::success();
}

Expected<Profile> report::readProfile(std::unique_ptr<MemoryBuffer> File) {
  Profile P;
  P.FileName = File->getBufferIdentifier().str();
  Reader R(*File, P);
  Error E = R.readHeader();
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
  ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFileOrSTDIN(
      Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (std::error_code Code = File.getError())
    return createStringError(Code, Path + ": " + Code.message());
  StringRef Text = (*File)->getBuffer();
  if (Text.ltrim().startswith("{"))
    return profileFromJson(Text, Path);
  return readProfile(std::move(*File));
}
