//===- SegmentReader.h - walks the segments of a .tprof file ----*- C++ -*-===//
//
// The file as a whole and what the process has once are read by
// ProfileReader.cpp, what each lane has by LaneSegments.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_SEGMENTREADER_H
#define TORCHPROF_REPORT_SEGMENTREADER_H

#include "EnumNames.h"
#include "LaneLog.h"
#include "Profile.h"
#include "torchprof/format/LiveReader.h"
#include "torchprof/format/Segments.h"
#include "torchprof/format/SlotMap.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <variant>

namespace torchprof::report {

/// Walks the segments of one file. The first damage ends the walk; everything
/// read before it is kept.
class SegmentReader {
public:
  SegmentReader(const llvm::MemoryBuffer &File, Profile &P)
      : Bytes(File.getBuffer()), P(P) {}

  llvm::Error readHeader();
  /// True if the file ends before its header does, or before what that names.
  bool isShort() const { return IsShort; }
  void readSegments();
  llvm::Error finish();

private:
  bool damaged(const llvm::Twine &Cause) {
    Damage = ("offset " + llvm::Twine(Offset) + ": " + Cause).str();
    return false;
  }

  /// The record of a segment, which its process may be writing.
  template <format::SegmentType Type>
  static typename format::SegmentLayout<Type>::Record
  record(format::ConstSegmentOf<Type> S) {
    typename format::SegmentLayout<Type>::Record R;
    format::copyWords(&R, &S.record(), sizeof(R));
    return R;
  }

  /// Takes the first \p Used of \p Capacity entries.
  template <format::SegmentType Type, typename Entry>
  bool entries(format::ConstSegmentOf<Type> S, uint64_t Capacity, uint64_t Used,
               llvm::ArrayRef<Entry> &Out) {
    if (!fit(S, Capacity, Used, sizeof(Entry)))
      return false;
    Out = llvm::ArrayRef(S.entries(), Used);
    return true;
  }

  /// True if there are \p Used of \p Capacity entries of \p EntryBytes.
  template <format::SegmentType Type>
  bool fit(format::ConstSegmentOf<Type> S, uint64_t Capacity, uint64_t Used,
           uint64_t EntryBytes) {
    uint64_t Offset = format::SegmentLayout<Type>::EntriesOffset;
    if (Offset > S.header().Bytes ||
        Capacity > (S.header().Bytes - Offset) / EntryBytes)
      return damaged(llvm::Twine(Capacity) + " entries of " +
                     llvm::Twine(EntryBytes) +
                     " bytes do not fit into a segment of " +
                     llvm::Twine(S.header().Bytes) + " bytes");
    if (Used > Capacity)
      return damaged("expected at most " + llvm::Twine(Capacity) +
                     " entries, found " + llvm::Twine(Used));
    return true;
  }

  bool isKnown(format::LogKeep Keep) {
    return !nameOf(Keep).empty() || damaged("keep is neither 0, 1 nor 2 but " +
                                            llvm::Twine(unsigned(Keep)));
  }

  bool isKnown(format::MemoryPlace Place) {
    return !nameOf(Place).empty() ||
           damaged("the place of memory is neither 0 nor 1 but " +
                   llvm::Twine(unsigned(Place)));
  }

  bool readSegment(const format::SegmentHeader *Head);
  bool checkSegment(const format::SegmentHeader &Head);
#define TORCHPROF_SEGMENT(TYPE, NUMBER, RECORD, ENTRY, OFFSET, OWNER, MEANING) \
  bool read(format::ConstSegmentOf<format::SegmentType::TYPE> S);
#include "torchprof/format/SegmentTypes.def"
  template <format::SegmentType Type, typename Record, typename T>
  bool readRing(format::ConstSegmentOf<Type> S, const Record &R,
                llvm::StringRef Noun, llvm::Optional<KeptRing<T>> &Out);
  Lane *findLane(const format::SegmentHeader &Head);
  bool takeSlots(format::Slot First, uint64_t Count);

  llvm::StringRef Bytes;
  Profile &P;
  uint64_t Limit = 0;
  uint64_t Offset = 0; ///< of the segment that is being read
  std::string Damage;
  bool IsShort = false;
  bool SawProcess = false;
  std::map<uint32_t, size_t> LaneIndex; ///< by number, in Profile::Lanes
  format::SlotMap<std::monostate> Taken;
  std::vector<LaneLog> Logs;
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_SEGMENTREADER_H
