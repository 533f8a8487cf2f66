//===- Records.h - records of a .tprof file ---------------------*- C++ -*-===//
//
// The layout of profile format version 5, shared by the runtime that writes it
// through a shared mapping and by the reader. docs/profile-format.md describes
// it byte by byte; Segments.h gives typed access.
//
// A file is a FileHeader (one page) followed by segments. A segment is a
// SegmentHeader (64 bytes) and its payload, padded to whole pages, so a reader
// can step over what it does not know and any prefix of a file that ends
// behind a segment is a valid file. All numbers are little-endian. Times are
// clock ticks; the clock segment leads from ticks to nanoseconds.
//
// The records know sites and slots, not TorchScript.
//
// This header needs only the C++ standard library and has no functions with
// state; everything in it may be used from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_RECORDS_H
#define TORCHPROF_FORMAT_RECORDS_H

#include "torchprof/format/Blocks.h"
#include "torchprof/format/DeviceSpan.h"
#include "torchprof/format/DynamicSite.h"
#include "torchprof/format/EventsRecord.h"
#include "torchprof/format/Histogram.h"
#include "torchprof/format/Level.h"
#include "torchprof/format/LoadEvent.h"
#include "torchprof/format/LogRecord.h"
#include "torchprof/format/Machine.h"
#include "torchprof/format/Measure.h"
#include "torchprof/format/PlanEvent.h"
#include "torchprof/format/Site.h"
#include "torchprof/format/Variant.h"

#include <cstddef>
#include <cstdint>

namespace torchprof::format {

inline constexpr char FileMagic[8] = {'\x89', 'T', 'P',  'R',
                                      'O',    'F', '\r', '\n'};
inline constexpr uint32_t FormatVersion = 5;
inline constexpr uint32_t ByteOrderMark = 0x01020304;
inline constexpr uint32_t SegmentMagic = 0x47455354; // "TSEG"
inline constexpr uint64_t PageBytes = 4096;

enum class FileState : uint32_t {
  Open = 1,     ///< the process runs, or died without its exit handler
  Closed = 2,   ///< the exit handler ran
  Snapshot = 3, ///< a copy made while the process ran
  Merged = 4,   ///< made by torchprof-report merge
};

enum class SegmentType : uint32_t {
#define TORCHPROF_SEGMENT(TYPE, NUMBER, RECORD, ENTRY, OFFSET, OWNER, MEANING) \
  TYPE = NUMBER,
#include "torchprof/format/SegmentTypes.def"
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
  uint64_t Epoch;        ///< grows with every reset of all cells
  uint64_t ResetTicks;   ///< first tick after the last reset, or 0
  uint8_t Reserved[PageBytes - 56];
};
static_assert(sizeof(FileHeader) == PageBytes);

struct SegmentHeader {
  uint32_t Magic; ///< SegmentMagic
  SegmentType Type;
  uint64_t Bytes; ///< whole segment with this header, a multiple of PageBytes
  uint64_t PayloadBytes; ///< bytes used after this header
  uint32_t Index;        ///< ordinal of this segment in its file, from 0
  uint32_t Lane;         ///< owner, if SegmentTypes.def says so; else 0
  uint8_t Reserved[32];
};
static_assert(sizeof(SegmentHeader) == 64);

/// What a tick is.
enum class ClockKind : uint32_t {
#define TORCHPROF_CLOCK_KIND(NAME, NUMBER, TEXT, MEANING) NAME = NUMBER,
#include "torchprof/format/ClockKinds.def"
};

enum class RecordMode : uint32_t { Aggregate = 0, Trace = 1 };

/// What was lost or happened, counted by any thread with relaxed increments.
enum class Counter : uint32_t {
#define TORCHPROF_COUNTER(ENUMERATOR, NAME, SHOWN, OF, MEANING, TEXT)          \
  ENUMERATOR,
#include "torchprof/format/Counters.def"
};
inline constexpr uint32_t CounterCapacity = 64;
inline constexpr uint32_t CounterCount = 0
#define TORCHPROF_COUNTER(ENUMERATOR, NAME, SHOWN, OF, MEANING, TEXT) +1
#include "torchprof/format/Counters.def"
    ;
static_assert(CounterCount <= CounterCapacity);

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
  uint64_t LoweredProbeTicksX16;  ///< cost of one lowered probe, in 1/16 tick
  uint64_t ExplicitProbeTicksX16; ///< cost of one explicit pair, in 1/16 tick
  /// By how much an explicit pair reads a node too long, in 1/16 tick; 0 if not
  /// known.
  uint64_t PairOffsetTicksX16;
  char Host[64];
  char Command[512];  ///< arguments joined by spaces, cut at the end
  char Runtime[64];   ///< version of the runtime
  char Framework[64]; ///< version of the framework, "LibTorch 2.13.0"
  char Schedule[128]; ///< the schedule in force, empty without one
  uint64_t Counters[CounterCapacity];
};
static_assert(sizeof(ProcessRecord) == 1424);

/// A registered model. Its manifest text follows this record.
struct ModelRecord {
  uint64_t ModelId;
  Slot FirstSlot;
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
  uint64_t Reserved[10];
};
static_assert(sizeof(LaneRecord) == 120);

inline constexpr unsigned FirstSamples = 5;

/// The aggregate of one slot on one lane; a slot whose cell cannot hold more
/// in a bucket is continued in a further cell. One writer at a time, which
/// folds the records of the lane's log into it (Fold.h). Word is twice the
/// number of folded spans, plus one during an update: a reader retries when it
/// is odd, or when it or Folded has changed. In the file of a killed process an
/// odd word marks a cell whose last update the log undoes. Cut, Nested and
/// Gradients are written outside of that protection, each with one store.
struct Cell {
  Slot Site;
  uint32_t Epoch;  ///< of the last reset that this cell has seen
  uint64_t Word;   ///< 2 * count, odd while updating
  uint64_t Folded; ///< number behind that of the record folded last
#define TORCHPROF_CELL_FIELD(NAME, JSON, INITIAL, COMBINE, MEANING)            \
  uint64_t NAME;
#include "torchprof/format/CellFields.def"
  uint64_t First[FirstSamples]; ///< the first samples, ticks, in order
  uint32_t Histogram[HistogramBuckets];
};
static_assert(sizeof(Cell) == 2048);
static_assert(offsetof(Cell, Max) == 56); // see CellFields.def

/// Head of a Cells segment. Used grows (release) after a cell's Site is set.
struct CellsRecord {
  uint32_t Capacity;
  uint32_t Used;
};

/// One run of a method root.
struct RunSample {
  uint64_t EndTicks;
  uint64_t LatencyTicks;
};

/// Ring of the last runs of one root on one lane: sample i of Count lies at
/// i % Capacity. Count is stored (release) after the sample.
struct RunsRecord {
  Slot Site;
  uint32_t Capacity;
  uint64_t Count;
};
inline constexpr uint32_t RunsCapacity = 1024;

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_RECORDS_H
