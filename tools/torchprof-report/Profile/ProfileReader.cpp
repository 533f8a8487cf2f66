//===- ProfileReader.cpp - reads .tprof files -----------------------------===//

#include "ProfileReader.h"
#include "ProfileJson.h"
#include "torchprof/format/LiveReader.h"

#include "llvm/Support/FileSystem.h"

#include <cstring>
#include <map>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

/// Walks the segments of one file. The first damage ends the walk; what was
/// read before it stays.
class Reader {
public:
  Reader(const MemoryBuffer &File, Profile &P)
      : Bytes(File.getBuffer()), P(P) {}

  Error readHeader();
  void readSegments();
  Error finish();

private:
  /// A segment whose size and payload were checked.
  struct Segment {
    format::SegmentHeader Header;
    uint64_t Offset;
    StringRef Body; ///< everything behind the segment's header
  };

  bool damaged(uint64_t Offset, const Twine &Cause) {
    Damage = ("offset " + Twine(Offset) + ": " + Cause).str();
    return false;
  }

  /// The record that a segment's body, of a page at least, begins with.
  template <typename T> static void record(const Segment &S, T &Out) {
    static_assert(std::is_trivially_copyable_v<T> &&
                  sizeof(T) <=
                      format::PageBytes - sizeof(format::SegmentHeader));
    std::memcpy(&Out, S.Body.data(), sizeof(T));
  }

  /// A view of \p Count entries that start \p From bytes after the segment's
  /// start. The caller has checked alignment by the format's constants.
  template <typename T>
  bool entries(const Segment &S, uint64_t From, uint64_t Count,
               ArrayRef<T> &Out) {
    if (S.Header.Bytes < From || Count > (S.Header.Bytes - From) / sizeof(T))
      return damaged(S.Offset, "expected room for " + Twine(Count) +
                                   " entries of " + Twine(sizeof(T)) +
                                   " bytes, found a segment of " +
                                   Twine(S.Header.Bytes) + " bytes");
    const char *Start = Bytes.data() + S.Offset + From;
    if (reinterpret_cast<uintptr_t>(Start) % alignof(T))
      return damaged(S.Offset, "expected aligned entries, found others");
    Out = ArrayRef(reinterpret_cast<const T *>(Start), Count);
    return true;
  }

  bool readSegment(const Segment &S);
  bool readProcess(const Segment &S);
  bool readManifest(const Segment &S);
  bool readClock(const Segment &S);
  bool readLane(const Segment &S);
  bool readCells(const Segment &S);
  bool readRuns(const Segment &S);
  bool readTrace(const Segment &S);
  bool readNames(const Segment &S, ArrayRef<format::RegionRecord> &Names);
  bool readRegions(const Segment &S);
  bool readGroups(const Segment &S);
  Lane *findLane(const Segment &S);
  bool takeSlots(const Segment &S, uint64_t First, uint64_t Count);

  StringRef Bytes;
  Profile &P;
  uint64_t Limit = 0;
  std::string Damage;
  bool SawProcess = false;
  bool SawCells = false;
  std::map<uint64_t, uint64_t> TakenSlots; ///< end of a range -> its start
};

} // namespace

static Error inputError(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

Error Reader::readHeader() {
  if (Bytes.empty())
    return inputError("expected a profile, found an empty file");
  StringRef Magic(format::FileMagic, sizeof(format::FileMagic));
  if (!Bytes.startswith(Magic.take_front(Bytes.size())))
    return inputError("expected a profile (.tprof), found another kind of "
                      "file: it does not begin with the profile's magic");
  if (Bytes.size() < sizeof(format::FileHeader))
    return inputError("expected a header of " +
                      Twine(sizeof(format::FileHeader)) +
                      " bytes, found only " + Twine(Bytes.size()) +
                      ": the file is cut short");
  format::FileHeader Header;
  std::memcpy(&Header, Bytes.data(), sizeof(Header));
  if (Header.ByteOrder != format::ByteOrderMark)
    return inputError("offset 12: expected a little-endian profile, found "
                      "byte order mark 0x" +
                      Twine::utohexstr(Header.ByteOrder));
  if (Header.Version != format::FormatVersion)
    return inputError("offset 8: expected profile format version " +
                      Twine(format::FormatVersion) + ", found version " +
                      Twine(Header.Version));
  if (Header.HeaderBytes != format::PageBytes)
    return inputError("offset 16: expected a header of " +
                      Twine(format::PageBytes) + " bytes, found " +
                      Twine(Header.HeaderBytes));
  P.State = Header.State;
  P.Generation = Header.Generation;
  Limit = Header.FileBytes;
  if (Limit < format::PageBytes) {
    damaged(24, "expected a used size of at least " + Twine(format::PageBytes) +
                    " bytes, found " + Twine(Limit));
    Limit = Bytes.size();
  } else if (Limit > Bytes.size()) {
    damaged(Bytes.size(), "expected " + Twine(Limit) + " bytes, found " +
                              Twine(Bytes.size()) + ": the file is cut short");
    Limit = Bytes.size();
  }
  if (stateName(P.State) == "unknown")
    P.Warnings.push_back("offset 20: unknown file state " +
                         std::to_string(unsigned(P.State)));
  return Error::success();
}

void Reader::readSegments() {
  uint64_t Offset = format::PageBytes;
  std::string CutShort = Damage;
  while (Offset < Limit) {
    Segment S;
    S.Offset = Offset;
    if (Limit - Offset < sizeof(S.Header)) {
      damaged(Offset, "expected a segment, found the end of the file");
      break;
    }
    std::memcpy(&S.Header, Bytes.data() + Offset, sizeof(S.Header));
    if (S.Header.Magic != format::SegmentMagic) {
      damaged(Offset, "expected the mark of a segment, found 0x" +
                          Twine::utohexstr(S.Header.Magic));
      break;
    }
    if (S.Header.Bytes < format::PageBytes ||
        S.Header.Bytes % format::PageBytes) {
      damaged(Offset, "expected a segment of whole pages, found " +
                          Twine(S.Header.Bytes) + " bytes");
      break;
    }
    if (S.Header.Bytes > Limit - Offset) {
      damaged(Offset, "expected a segment of " + Twine(S.Header.Bytes) +
                          " bytes, found only " + Twine(Limit - Offset));
      break;
    }
    if (S.Header.PayloadBytes > S.Header.Bytes - sizeof(S.Header)) {
      damaged(Offset, "expected a payload of at most " +
                          Twine(S.Header.Bytes - sizeof(S.Header)) +
                          " bytes, found " + Twine(S.Header.PayloadBytes));
      break;
    }
    S.Body = Bytes.substr(Offset + sizeof(S.Header),
                          S.Header.Bytes - sizeof(S.Header));
    if (!readSegment(S))
      break;
    ++P.SegmentCount;
    Offset += S.Header.Bytes;
  }
  P.FileBytes = Offset;
  // The size that is missing explains the segment that is.
  if (!CutShort.empty())
    Damage = CutShort;
}

bool Reader::readSegment(const Segment &S) {
  if (!SawProcess && S.Header.Type != format::SegmentType::Process)
    return damaged(S.Offset, "expected the process segment first, found type " +
                                 Twine(unsigned(S.Header.Type)));
  switch (S.Header.Type) {
  case format::SegmentType::Process:
    return readProcess(S);
  case format::SegmentType::Manifest:
    return readManifest(S);
  case format::SegmentType::Clock:
    return readClock(S);
  case format::SegmentType::Lane:
    return readLane(S);
  case format::SegmentType::Cells:
    return readCells(S);
  case format::SegmentType::Runs:
    return readRuns(S);
  case format::SegmentType::Trace:
    return readTrace(S);
  case format::SegmentType::Regions:
    return readRegions(S);
  case format::SegmentType::Groups:
    return readGroups(S);
  }
  // A later version's segment: nothing here depends on it.
  P.Warnings.push_back("offset " + std::to_string(S.Offset) +
                       ": stepped over a segment of unknown type " +
                       std::to_string(unsigned(S.Header.Type)));
  return true;
}

bool Reader::readProcess(const Segment &S) {
  if (SawProcess)
    return damaged(S.Offset, "expected one process segment, found a second");
  record(S, P.Process);
  SawProcess = true;
  return true;
}

bool Reader::takeSlots(const Segment &S, uint64_t First, uint64_t Count) {
  if (First + Count >= format::NoSlot)
    return damaged(S.Offset, "expected slots below " + Twine(format::NoSlot) +
                                 ", found " + Twine(First + Count));
  if (Count == 0)
    return true;
  // The first taken range that ends behind First is the only one to compare.
  auto Next = TakenSlots.upper_bound(First);
  if (Next != TakenSlots.end() && Next->second < First + Count)
    return damaged(S.Offset, "expected slots of its own, found slot " +
                                 Twine(std::max(First, Next->second)) +
                                 " of an earlier segment");
  TakenSlots[First + Count] = First;
  return true;
}

bool Reader::readManifest(const Segment &S) {
  format::ModelRecord Record;
  record(S, Record);
  StringRef Text = S.Body.drop_front(sizeof(Record));
  if (Record.TextBytes > Text.size())
    return damaged(S.Offset, "expected a manifest of at most " +
                                 Twine(Text.size()) + " bytes, found " +
                                 Twine(Record.TextBytes));
  Text = Text.take_front(Record.TextBytes);
  auto Table = std::make_shared<Manifest>();
  std::string Cause;
  if (!parseManifest(std::string_view(Text.data(), Text.size()), *Table, Cause))
    return damaged(S.Offset, Cause);
  if (Table->ModelId != Record.ModelId ||
      Table->Sites.size() != Record.SiteCount)
    return damaged(S.Offset, "expected the model and number of sites of its "
                             "manifest, found others");
  if (!takeSlots(S, Record.FirstSlot, Record.SiteCount))
    return false;
  P.Models.push_back({Record.FirstSlot, std::move(Table)});
  return true;
}

bool Reader::readClock(const Segment &S) {
  format::ClockRecord Record;
  ArrayRef<format::ClockAnchor> Anchors;
  record(S, Record);
  if (Record.Count > Record.Capacity)
    return damaged(S.Offset, "expected at most " + Twine(Record.Capacity) +
                                 " clock anchors, found " +
                                 Twine(Record.Count));
  if (!entries(S, sizeof(S.Header) + sizeof(Record), Record.Capacity, Anchors))
    return false;
  P.AnchorIntervalNs = Record.IntervalNs;
  Anchors = Anchors.take_front(Record.Count);
  P.Anchors.assign(Anchors.begin(), Anchors.end());
  return true;
}

Lane *Reader::findLane(const Segment &S) {
  for (Lane &L : P.Lanes)
    if (L.Record.Lane == S.Header.Lane)
      return &L;
  damaged(S.Offset, "expected a segment of a known lane, found lane " +
                        Twine(S.Header.Lane));
  return nullptr;
}

bool Reader::readLane(const Segment &S) {
  Lane L;
  record(S, L.Record);
  if (L.Record.Lane != S.Header.Lane)
    return damaged(S.Offset, "expected lane " + Twine(S.Header.Lane) +
                                 ", found lane " + Twine(L.Record.Lane));
  for (const Lane &Other : P.Lanes)
    if (Other.Record.Lane == L.Record.Lane)
      return damaged(S.Offset, "expected a new lane, found lane " +
                                   Twine(L.Record.Lane) + " again");
  P.Lanes.push_back(std::move(L));
  return true;
}

bool Reader::readCells(const Segment &S) {
  format::CellsRecord Record;
  ArrayRef<format::Cell> Cells;
  Lane *L = findLane(S);
  if (!L)
    return false;
  record(S, Record);
  if (Record.Used > Record.Capacity)
    return damaged(S.Offset, "expected at most " + Twine(Record.Capacity) +
                                 " cells, found " + Twine(Record.Used));
  if (!entries(S, format::CellsOffset, Record.Capacity, Cells))
    return false;
  L->Cells.push_back(Cells.take_front(Record.Used));
  SawCells = true;
  return true;
}

bool Reader::readRuns(const Segment &S) {
  format::RunsRecord Record;
  RunRing Ring;
  Lane *L = findLane(S);
  if (!L)
    return false;
  record(S, Record);
  if (!entries(S, sizeof(S.Header) + sizeof(Record), Record.Capacity,
               Ring.Samples))
    return false;
  if (Record.Capacity == 0 && Record.Count)
    return damaged(S.Offset, "expected room for runs, found none");
  Ring.Slot = Record.Slot;
  Ring.Capacity = Record.Capacity;
  Ring.Count = Record.Count;
  Ring.Samples = Ring.Samples.take_front(
      std::min<uint64_t>(Record.Count, Record.Capacity));
  L->Runs.push_back(Ring);
  return true;
}

bool Reader::readTrace(const Segment &S) {
  format::TraceRecord Record;
  TraceBuffer Buffer;
  Lane *L = findLane(S);
  if (!L)
    return false;
  record(S, Record);
  if (Record.Keep != format::TraceKeep::First &&
      Record.Keep != format::TraceKeep::Last)
    return damaged(S.Offset, "expected keep 1 or 2, found " +
                                 Twine(unsigned(Record.Keep)));
  if (!entries(S, format::TraceOffset, Record.Capacity, Buffer.Events))
    return false;
  Buffer.Keep = Record.Keep;
  Buffer.Capacity = Record.Capacity;
  // Of an older generation: the ring was not touched since the last reset.
  if (Record.Epoch != static_cast<uint32_t>(P.Generation)) {
    Record.Written = 0;
  } else if (P.State == format::FileState::Open) {
    auto Copy = P.allocate<format::TraceEvent>(Buffer.Events.size());
    Record.Written = format::copyLiveRing(
        Copy.data(), Buffer.Events.data(), Record.Capacity,
        Record.Keep == format::TraceKeep::Last,
        reinterpret_cast<const format::TraceRecord *>(S.Body.data())->Written);
    Buffer.Events = Copy;
  }
  Buffer.Written = Record.Written;
  Buffer.Events =
      Buffer.Events.take_front(std::min(Record.Written, Record.Capacity));
  L->Traces.push_back(Buffer);
  return true;
}

bool Reader::readNames(const Segment &S,
                       ArrayRef<format::RegionRecord> &Names) {
  format::RegionsRecord Record;
  record(S, Record);
  if (Record.Used > Record.Capacity)
    return damaged(S.Offset, "expected at most " + Twine(Record.Capacity) +
                                 " names, found " + Twine(Record.Used));
  if (!entries(S, format::RegionsOffset, Record.Capacity, Names))
    return false;
  Names = Names.take_front(Record.Used);
  return true;
}

bool Reader::readGroups(const Segment &S) {
  ArrayRef<format::RegionRecord> Groups;
  if (!readNames(S, Groups))
    return false;
  for (const format::RegionRecord &R : Groups)
    P.Groups.push_back({R.Slot, fixedText(R.Name).str()});
  return true;
}

bool Reader::readRegions(const Segment &S) {
  ArrayRef<format::RegionRecord> Regions;
  if (!readNames(S, Regions))
    return false;
  for (const format::RegionRecord &R : Regions) {
    if (!takeSlots(S, R.Slot, 1))
      return false;
    P.Regions.push_back({R.Slot, fixedText(R.Name).str()});
  }
  return true;
}

Error Reader::finish() {
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
    return createStringError(inconvertibleErrorCode(),
                             P.FileName + ": " + toString(std::move(E)));
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
