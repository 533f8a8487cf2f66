//===- Segments.h - typed access to a segment's payload ---------*- C++ -*-===//
//
// The one place that knows where in a segment its record and its entries lie.
// A SegmentOf<Type> is a view of a segment in memory: the runtime's own
// mapping, a copy, or a mapped file. It trusts nothing: what a count in the
// record says is compared with the segment's size by the caller, with room().
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_SEGMENTS_H
#define TORCHPROF_FORMAT_SEGMENTS_H

#include "torchprof/format/Records.h"

#include <type_traits>

namespace torchprof::format {

struct NoEntry {};

enum class SegmentOwner { Process, Lane };

template <SegmentType> struct SegmentLayout;
#define TORCHPROF_SEGMENT(TYPE, NUMBER, RECORD, ENTRY, OFFSET, OWNER, MEANING) \
  template <> struct SegmentLayout<SegmentType::TYPE> {                        \
    using Record = RECORD;                                                     \
    using Entry = ENTRY;                                                       \
    static constexpr uint64_t EntriesOffset = OFFSET;                          \
    static constexpr SegmentOwner Owner = SegmentOwner::OWNER;                 \
    static_assert(OFFSET == 0 ||                                               \
                  OFFSET >= sizeof(SegmentHeader) + sizeof(RECORD));           \
    static_assert(OFFSET % alignof(ENTRY) == 0);                               \
    static_assert(sizeof(SegmentHeader) + sizeof(RECORD) <= PageBytes);        \
    static_assert(std::is_trivially_copyable_v<RECORD>);                       \
  };
#include "torchprof/format/SegmentTypes.def"

/// A view of a segment of a known type. \p Header is SegmentHeader or const
/// SegmentHeader. Copyable, owns nothing.
template <SegmentType Type, typename Header = SegmentHeader> class SegmentOf {
  using Layout = SegmentLayout<Type>;
  template <typename T>
  using Like = std::conditional_t<std::is_const_v<Header>, const T, T>;
  using Byte = Like<char>;

public:
  using Record = Like<typename Layout::Record>;
  using Entry = Like<typename Layout::Entry>;

  explicit SegmentOf(Header *Head) : Head(Head) {}

  Header &header() const { return *Head; }
  Record &record() const { return *reinterpret_cast<Record *>(Head + 1); }

  /// The first entry; room() of them lie in the segment.
  Entry *entries() const {
    return reinterpret_cast<Entry *>(reinterpret_cast<Byte *>(Head) +
                                     Layout::EntriesOffset);
  }
  /// Number of entries that fit behind the record.
  uint64_t room() const {
    return Head->Bytes < Layout::EntriesOffset
               ? 0
               : (Head->Bytes - Layout::EntriesOffset) / sizeof(Entry);
  }

  /// Bytes behind the first \p Count entries, of which there must be room.
  uint64_t bytesBehind(uint64_t Count) const {
    return Head->Bytes - Layout::EntriesOffset - Count * sizeof(Entry);
  }

  /// PayloadBytes of a segment with \p Count entries and \p More bytes behind
  /// them.
  static constexpr uint64_t payloadBytes(uint64_t Count = 0,
                                         uint64_t More = 0) {
    if (Layout::EntriesOffset == 0)
      return sizeof(typename Layout::Record);
    return Layout::EntriesOffset - sizeof(SegmentHeader) +
           Count * sizeof(typename Layout::Entry) + More;
  }

private:
  Header *Head;
};

/// The same of a segment that is only read.
template <SegmentType Type>
using ConstSegmentOf = SegmentOf<Type, const SegmentHeader>;

/// Text behind the sites of a DynamicSites segment; TextCapacity bytes of it
/// lie in the segment if that is well formed.
template <typename Header>
auto *dynamicText(SegmentOf<SegmentType::DynamicSites, Header> S) {
  using Byte = std::conditional_t<std::is_const_v<Header>, const char, char>;
  return reinterpret_cast<Byte *>(S.entries() + S.record().Capacity);
}

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_SEGMENTS_H
