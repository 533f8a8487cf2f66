//===- Records.h - records of a .tprof file ---------------------*- C++ -*-===//
//
// The layout of profile format version 1, shared by the runtime that writes it
// through a shared mapping and by the reader. docs/profile-format.md describes
// it byte by byte.
//
// A file is a FileHeader (one page) followed by segments. A segment is a
// SegmentHeader (64 bytes) and its payload, padded to whole pages, so a reader
// can step over what it does not know and any prefix of a file that ends
// behind a segment is a valid file. All numbers are little-endian. Times are
// clock ticks; the clock segment leads from ticks to nanoseconds.
//
// The records know sites and slots, not TorchScript: site = model id << 20 |
// index; slot = firstSlot of the model's manifest segment + index.
//
// This header needs only the C++ standard library and has no functions with
// state; everything in it may be used from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_RECORDS_H
#define TORCHPROF_FORMAT_RECORDS_H

#include <bit>
#include <cstddef>
#include <cstdint>

namespace torchprof::format {

inline constexpr char FileMagic[8] = {'\x89', 'T', 'P',  'R',
                                      'O',    'F', '\r', '\n'};
inline constexpr uint32_t FormatVersion = 1;
inline constexpr uint32_t ByteOrderMark = 0x01020304;
inline constexpr uint32_t SegmentMagic = 0x47455354; // "TSEG"
inline constexpr uint64_t PageBytes = 4096;

/// Number of bits of a site that hold the index within its model.
inline constexpr unsigned SiteIndexBits = 20;
inline constexpr uint64_t MaxSitesPerModel = uint64_t(1) << SiteIndexBits;
/// A model id has 43 bits, so that a site is a positive 64-bit integer.
inline constexpr unsigned ModelIdBits = 43;

/// No slot: the value of LaneRecord::CurrentSlot between runs.
inline constexpr uint32_t NoSlot = 0xffffffff;

enum class FileState : uint32_t {
  Open = 1,     ///< the process runs, or died without its exit handler
  Closed = 2,   ///< the exit handler ran
  Snapshot = 3, ///< a copy made while the process ran
  Merged = 4,   ///< made by torchprof-report merge
};

enum class SegmentType : uint32_t {
  Process = 1,  ///< one ProcessRecord; the first segment of a file
  Manifest = 2, ///< ModelRecord, then TextBytes bytes of manifest text
  Clock = 3,    ///< ClockRecord, then AnchorCapacity ClockAnchor
  Lane = 4,     ///< one LaneRecord
  Cells = 5,    ///< CellsRecord, then Capacity Cell
  Runs = 6,     ///< RunsRecord, then Capacity RunSample
  Trace = 7,    ///< TraceRecord, then Capacity TraceEvent
  Regions = 8,  ///< RegionsRecord, then Capacity RegionRecord
  Groups = 9,   ///< the same, of groups: Name holds the members' kinds
};

/// Page 0 of a file. FileBytes is stored last (release) when a segment has
/// been initialized, so everything before it is well formed.
struct FileHeader {
  char Magic[8];
  uint32_t Version;
  uint32_t ByteOrder;
  uint32_t HeaderBytes; ///< PageBytes; the first segment's offset
  FileState State;
  uint64_t FileBytes;    ///< end of the last complete segment
  uint64_t SegmentCount; ///< number of complete segments
  uint64_t Generation;   ///< grows with every reset of all cells
  uint8_t Reserved[PageBytes - 48];
};
static_assert(sizeof(FileHeader) == PageBytes);

struct SegmentHeader {
  uint32_t Magic; ///< SegmentMagic
  SegmentType Type;
  uint64_t Bytes; ///< whole segment with this header, a multiple of PageBytes
  uint64_t PayloadBytes; ///< bytes used after this header
  uint32_t Index;        ///< ordinal of this segment in its file, from 0
  uint32_t Lane;         ///< owner of Lane, Cells, Runs, Trace; else 0
  uint8_t Reserved[32];
};
static_assert(sizeof(SegmentHeader) == 64);

enum class ClockKind : uint32_t {
  Tsc = 1,       ///< raw rdtsc ticks
  Monotonic = 2, ///< CLOCK_MONOTONIC, one tick is one nanosecond
  Injected = 3,  ///< a test's clock
};

enum class RecordMode : uint32_t { Aggregate = 0, Trace = 1 };

/// What was lost or happened, counted process-wide by any thread with relaxed
/// atomic increments. The order is part of the format; new counters go to the
/// end. Sums over lanes of begins, counts and cuts are not repeated here.
enum class Counter : uint32_t {
  LostNoMemory,   ///< spans lost because no lane or cell could be had
  LostNoModel,    ///< spans whose model was never registered
  LostConflict,   ///< spans of a model id that is taken by other sites
  ClockBackwards, ///< spans whose end lay before their begin (counted as 0)
  ClockClamped,   ///< spans clamped because their length was absurd
  LoweredPairs,   ///< pairs replaced by torchprof::timed
  ExplicitPairs,  ///< pairs the lowering pass had to leave explicit
  DroppedPairs,   ///< pairs dropped: an optimization removed what was inside
  GroupedPairs,   ///< lowered pairs that measure more than one node
  LoweringFailed, ///< graphs left alone because lowering met a surprise
  Resets,         ///< resets of all cells
  Snapshots,      ///< snapshot files written
  Merged,         ///< number of profiles merged into this file
  Steps,          ///< steps of the schedule
  FileErrors,     ///< failed attempts to create or grow the file
  Forks,          ///< 1 in a child that was forked from a recording process
};
inline constexpr uint32_t CounterCapacity = 64;

/// The process that recorded. Text fields end with a NUL byte.
struct ProcessRecord {
  uint64_t Pid;
  uint64_t ParentPid;
  uint64_t StartRealtimeNs; ///< CLOCK_REALTIME when the file was created
  uint64_t StartTicks;      ///< ticks when the file was created
  uint64_t EndTicks;        ///< ticks at the last close or snapshot, else 0
  ClockKind Clock;
  RecordMode Mode;
  uint64_t NominalTicksPerSecond; ///< from calibration; 0 if not known
  uint64_t LoweredProbeTicks;     ///< cost of one lowered probe, in 1/16 tick
  uint64_t ExplicitProbeTicks;    ///< cost of one explicit pair, in 1/16 tick
  char Host[64];
  char Command[512];  ///< arguments joined by spaces, cut at the end
  char Runtime[64];   ///< version of the runtime
  char Framework[64]; ///< version of the framework, "LibTorch 2.13.0"
  char Schedule[128]; ///< the schedule in force, empty without one
  uint64_t Counters[CounterCapacity];
};
static_assert(sizeof(ProcessRecord) == 1416);

/// A registered model. Its manifest text follows this record.
struct ModelRecord {
  uint64_t ModelId;
  uint32_t FirstSlot;
  uint32_t SiteCount;
  uint64_t TextBytes;
};
static_assert(sizeof(ModelRecord) == 24);

/// One simultaneous reading of the tick clock and two system clocks.
/// The ticks were read between two readings of the system clocks;
/// UncertaintyNs is the length of that bracket.
struct ClockAnchor {
  uint64_t Ticks;
  uint64_t MonotonicNs;
  uint64_t RealtimeNs;
  uint64_t UncertaintyNs;
};
static_assert(sizeof(ClockAnchor) == 32);

/// A fixed table of anchors that halves its density when it is full: Count is
/// stored last; the first and the newest anchor are always kept.
struct ClockRecord {
  uint32_t Count;
  uint32_t Capacity;
  uint64_t IntervalNs; ///< least distance of two anchors
};
static_assert(sizeof(ClockRecord) == 16);

enum class LaneState : uint32_t {
  Live = 1, ///< a thread owns the lane
  Free = 2, ///< the last owner ended; the next new thread continues the lane
};

/// A lane: the row of cells that one thread at a time writes.
struct LaneRecord {
  uint32_t Lane; ///< dense number, from 0
  LaneState State;
  uint64_t Thread;  ///< kernel thread id of the present or last owner
  uint64_t Threads; ///< number of threads that have owned the lane
  char Name[16];    ///< name of the present or last owner
  /// Slot of the innermost open span, NoSlot between runs. The start of that
  /// span is stored before the slot.
  uint32_t CurrentSlot;
  uint32_t Reserved0;
  uint64_t CurrentTicks;
  uint64_t Reserved[8];
};
static_assert(sizeof(LaneRecord) == 120);

/// Histogram: log-linear, 4 buckets per octave. Values below 8 ticks are
/// exact; above, a bucket is at most a quarter of its lower bound wide, so
/// that its middle is within 12.5 % of every value in it. The last bucket is
/// open; Cell::Max bounds it.
inline constexpr unsigned HistogramBuckets = 148;

/// Bucket of a value in ticks.
constexpr unsigned histogramBucket(uint64_t Ticks) {
  if (Ticks < 8)
    return static_cast<unsigned>(Ticks);
  unsigned Octave = std::bit_width(Ticks) - 3; // Ticks >> Octave is 4..7
  unsigned Bucket = Octave * 4 + static_cast<unsigned>(Ticks >> Octave);
  return Bucket < HistogramBuckets ? Bucket : HistogramBuckets - 1;
}

/// Smallest value in ticks that falls into a bucket.
constexpr uint64_t histogramLowerBound(unsigned Bucket) {
  if (Bucket < 8)
    return Bucket;
  unsigned Octave = Bucket / 4 - 1;
  return uint64_t(Bucket % 4 + 4) << Octave;
}

inline constexpr unsigned FirstSamples = 7;

/// The aggregate of one slot on one lane. One writer. Word is twice the number
/// of recorded spans, plus one while the owner updates the record: a reader
/// retries when it is odd or changed; in the file of a killed process an odd
/// word marks a torn cell. Begins and Cut are written outside of that
/// protection, each with one store.
struct Cell {
  uint32_t Slot;
  uint32_t Epoch;      ///< generation of the last reset this cell has seen
  uint64_t Word;       ///< 2 * count, odd while updating
  uint64_t Begins;     ///< spans begun, recorded or not
  uint64_t Cut;        ///< spans that a window's edge cut: closed, not counted
  uint64_t Sum;        ///< ticks
  uint64_t SquaresLow; ///< sum of squares of ticks, 128 bit
  uint64_t SquaresHigh;
  uint64_t Min;    ///< ticks; valid if the count is not 0
  uint64_t Max;    ///< ticks
  uint64_t Nested; ///< ticks of roots and regions that ran directly inside
  uint64_t First[FirstSamples]; ///< the first samples, ticks, in order
  uint32_t HistogramLow[HistogramBuckets];
  uint16_t HistogramHigh[HistogramBuckets]; ///< bits 32 to 47 of each count
};
static_assert(sizeof(Cell) == 1024);

/// Head of a Cells segment. The cells start CellsOffset bytes after the
/// segment's start. Used grows (release) after a cell's Slot is set.
struct CellsRecord {
  uint32_t Capacity;
  uint32_t Used;
};
inline constexpr uint64_t CellsOffset = 1024;

/// One run of a method root.
struct RunSample {
  uint64_t EndTicks;
  uint64_t LatencyTicks;
};

/// Ring of the last runs of one root on one lane: sample i of Count lies at
/// i % Capacity. Count is stored (release) after the sample.
struct RunsRecord {
  uint32_t Slot;
  uint32_t Capacity;
  uint64_t Count;
};
inline constexpr uint32_t RunsCapacity = 1024;

/// One recorded span of the trace mode. Packed is slot << 40 | duration in
/// ticks; durations saturate at 2^40 - 1.
struct TraceEvent {
  uint64_t BeginTicks;
  uint64_t Packed;
};
inline constexpr unsigned TraceDurationBits = 40;
/// Packed of an event that was overwritten while it was copied.
inline constexpr uint64_t BlankEvent = UINT64_MAX;
static_assert(sizeof(TraceEvent) == 16);

enum class TraceKeep : uint32_t { First = 1, Last = 2 };

/// Head of a Trace segment. Written counts every event that was offered; with
/// keep=first the first Capacity of them are kept, with keep=last the last,
/// event i at i % Capacity. Dropped = max(0, Written - Capacity). The events
/// start TraceOffset bytes after the segment's start. Events are in the order
/// of their ends.
struct TraceRecord {
  TraceKeep Keep;
  uint32_t Epoch; ///< as in Cell: of an older generation, the ring is empty
  uint64_t Capacity;
  uint64_t Written;
};
inline constexpr uint64_t TraceOffset = 128;

/// A user region: a named site that does not belong to a model. In a Groups
/// segment: a site whose pair an optimization left with several nodes, and the
/// kinds of these, joined by ", ".
struct RegionRecord {
  uint32_t Slot;
  char Name[124]; ///< NUL-terminated, cut at the end
};
static_assert(sizeof(RegionRecord) == 128);

/// Head of a Regions segment. Records start RegionsOffset bytes after the
/// segment's start; Used grows (release) after a record is complete.
struct RegionsRecord {
  uint32_t Capacity;
  uint32_t Used;
};
inline constexpr uint64_t RegionsOffset = 128;

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_RECORDS_H
