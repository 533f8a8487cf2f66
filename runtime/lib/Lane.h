//===- Lane.h - a thread's log and cells ------------------------*- C++ -*-===//
//
// A lane is owned by one thread at a time, which writes its log and its cells.
// When the thread ends, the next new thread continues the lane, so memory is
// bounded by the threads alive at once. The folding thread (FoldThread.h) may
// add to the cells what the owner has left to it; a lock of the lane keeps the
// two apart, and no probe takes it.
//
// Everything hot hangs from one thread-local pointer and lies in one line of
// cache: a node of a real model streams megabytes between two probes, and what
// a probe then needs is far away.
//
// The struct is in pages that a forked child finds wiped: Since is 0 there,
// which sends every probe down the cold path, and Owner is null. What a probe
// stores into the file it never loads from there.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_LANE_H
#define TORCHPROF_LANE_H

#include "LaneClock.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/Records.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <pthread.h>

namespace torchprof {

class ChildCache;
class DeviceQueue;
class FunctionRing;
class Lanes;
class PageSource;
class ProfileFile;
struct Host;
struct PairShape;
struct Options;
struct Variant;

/// What a lane knows of a slot; nothing if all bytes are zero.
struct SlotEntry {
  format::Cell *Data = nullptr;
  format::SegmentHeader *Runs = nullptr;
  /// PeriodFold's, while it looks for sites: the last position of one, plus 1.
  uint16_t BehindPosition = 0;
};

/// Number of classes in MeasureSources.
inline constexpr unsigned MeasureSourceCount = 3;

/// A number per source and measure, of one span.
using MeasureValues = uint64_t[MeasureSourceCount][format::MeasuresPerCell];

/// A bit for each class in MeasureSources.
using SourceSet = uint32_t;

/// What the nodes of a run measure beside time, and whether there is a way of
/// their own for it.
enum class NodeMeasures : uint8_t {
  None, ///< nothing at every site
  Any,
  Memory, ///< of the CPU, and nothing of it is kept by span
  Shapes,
  MemoryAndShapes,
};

/// What the sources read at the begin of a span; it belongs to the open span,
/// for a site may be entered inside itself.
struct SpanReadings {
  uint64_t Begin = 0; ///< the span's; another one if nothing was read
  SourceSet Sources;  ///< that were asked
  MeasureValues Values;
};

/// An open span whose end finds it by its begin: a pair of probes, a root, a
/// region.
struct OpenFrame {
  uint64_t Begin;
  int64_t Pair;        ///< the site of an ordinary pair; NoPair of another span
  uint64_t OuterTicks; ///< the span around it, as in Lane
  uint64_t Outer;
  LaneClock Clock; ///< Lane::Clock at its begin
  uintptr_t Stack; ///< address of a root's native frame, else 0
  format::Slot Site;
  uint32_t Region; ///< number of the region's name, one of the below, or 0
  SpanReadings Readings;
};
inline constexpr int64_t NoPair = -1;
/// OpenFrame::Region of an autograd function, whose end comes as surely.
inline constexpr uint32_t FunctionFrame = UINT32_MAX;
/// The same of a label that one node of a method opens and another one closes:
/// it lies in the run and around nodes, as a pair of probes does.
inline constexpr uint32_t MethodLabelFrame = UINT32_MAX - 1;

/// Frames at hand; deeper ones take the cold path.
inline constexpr unsigned HotFrames = 48;
/// A log is used page by page.
inline constexpr uint64_t LogPageEntries =
    format::PageBytes / sizeof(format::LogEntry);
/// Number of entries that a log uses in turn, unless it keeps more.
inline constexpr uint64_t LogRing = 8192;
/// How far ahead a fold asks for records: the processor itself would not begin
/// before it has seen some, and ends with each page.
inline constexpr uint64_t RecordsAhead = 64;

/// Lane::Since while nothing is recorded.
inline constexpr uint64_t GateShut = UINT64_MAX;

struct alignas(64) Lane {
  //===--- The line that every probe touches ------------------------------===//

  /// Spans that began before this tick take the cold path: they began before
  /// the gate opened, or a fold lies in them. 0 if all do. Others than the
  /// owner only store 0 and GateShut.
  std::atomic<uint64_t> Since;
  format::LogEntry *Page; ///< of the log, in which the next record lies
  uint64_t Written;       ///< its number
  uint64_t CurrentTicks;  ///< the innermost open span, as in LogRecord
  uint64_t Current;
  format::LogRecord *Log;
  LaneClock Clock; ///< of the owners, since the lane was made
  /// Of the owner, while a run may make autograd functions; else null.
  FunctionRing *Functions;

  //===--- What pairs of probes and chained spans need besides ------------===//

  uint64_t ModelId; ///< of the pair that began last by the cold path
  format::Slot FirstSlot;
  uint32_t SiteCount; ///< of that model; 0 if there is none
  uint32_t Depth;     ///< number of frames in use
  uint64_t LastEnd;   ///< of the span that ended last, if a ChainedSpan that
                      ///< took the hot path, and none has begun since; else 0
  OpenFrame Frames[HotFrames];

  //===--- What nodes need where more is measured -------------------------===//

  /// What Since would be, if it were not 0 because of Nodes.
  alignas(64) std::atomic<uint64_t> MeasuredSince;
  format::MeasureCell **Measured; ///< per slot and source; null without any
  Variant **Variants;             ///< per slot
  uint32_t VariantCount;          ///< number of Variants
  uint32_t SlotCount;             ///< number of Slots
  SourceSet Sources;              ///< that are asked in this run
  bool Measuring;                 ///< measures more than time in this run
  bool WithShapes;    ///< tells its nodes' signatures apart in this run
  NodeMeasures Nodes; ///< in this run; Since is 0 if they measure more than
                      ///< time. Set under the lock

  //===--- For the cold path ----------------------------------------------===//

  bool HasRecord;        ///< Record is in the file
  bool Attached;         ///< and so is Log, which can be written
  uint32_t Number;       ///< in the file, if HasRecord
  OpenFrame *MoreFrames; ///< frames from number HotFrames on
  uint32_t MoreCapacity;
  uint32_t CellCount; ///< of all segments
  uint32_t CellChain; ///< ProfileFile::chain() of these segments
  SlotEntry *Slots;
  format::LogEntry *Entries;
  format::LaneRecord *Record;
  Lanes *Owner;                 ///< null in a wiped lane
  format::SegmentHeader *Cells; ///< segment that has room, or null
  uint64_t Runs;                ///< outermost roots entered
  uint64_t RunsWritten; ///< Written at the end of the last one, for its length
  /// No span that began before this tick is recorded. The owner's to store, any
  /// thread's to load.
  uint64_t Emptied;
  format::SegmentHeader *MeasureCells[MeasureSourceCount]; ///< as Cells
  std::atomic<DeviceQueue *> Device; ///< null without any; the owner's to make
  Variant *SpareVariants;            ///< room for more, up to the next
  Variant *EndOfVariants;
  format::SegmentHeader *VariantCells; ///< as Cells
  PairShape *Pairs;                    ///< null without any
  uint32_t PairCount;                  ///< of Pairs in use
  ChildCache *Children;                ///< null without any
  FunctionRing
      *OwnFunctions; ///< also while Functions is null; null without any
  /// FunctionRings::ended() plus 1 when the owner could be given none; else 0.
  uint64_t RefusedFunctions;
  /// Null without any; by place, as HeldElsewhere.
  format::SegmentHeader *RunLevels[format::MemoryPlaceCount];
  format::SegmentHeader *SpanLevels[format::MemoryPlaceCount];
  /// What the lane's threads held before the owner, less what the owner held
  /// when it was in another process.
  int64_t HeldElsewhere[format::MemoryPlaceCount];
  /// What levels of spans have of ProcessPage::HeldOutside, less what of
  /// HeldElsewhere is in that.
  int64_t HeldOutside[format::MemoryPlaceCount];
  pthread_mutex_t FoldMutex; ///< see FoldLock
  /// Records before this one are left to the folding thread.
  std::atomic<uint64_t> FoldUpTo;
  /// As far as is known, all that is recorded has a cell of this epoch: the
  /// folding thread can add to it.
  std::atomic<bool> CellsReady;
  Lane *NextFree;
  Lane *NextLane;
};
static_assert(offsetof(Lane, ModelId) == 64);
static_assert(offsetof(Lane, Nodes) / 64 == offsetof(Lane, MeasuredSince) / 64);

/// Lane::Since, or what stands for it in a run in which more is measured.
inline std::atomic<uint64_t> &gateOf(Lane &L) {
  return L.Nodes == NodeMeasures::None ? L.Since : L.MeasuredSince;
}

extern __thread Lane *ThisLane __attribute__((tls_model("initial-exec")));

/// Holds the lock of a lane's cells. Who makes or empties a cell, adds records
/// to one or counts cut spans holds it, and who changes what the log says of
/// folding, or Lane::Slots. The owner reads what only it changes without. The
/// process lock may be taken while this one is held; who holds that one may
/// only try to take this one.
class FoldLock {
public:
  explicit FoldLock(Lane &L) : L(L) { pthread_mutex_lock(&L.FoldMutex); }
  ~FoldLock() { pthread_mutex_unlock(&L.FoldMutex); }
  FoldLock(const FoldLock &) = delete;
  FoldLock &operator=(const FoldLock &) = delete;

private:
  Lane &L;
};

/// Makes a span the innermost open one, here and in the file. Owner only.
inline void setCurrent(Lane &L, uint64_t Ticks, uint64_t Current) {
  format::LogRecord *Log = L.Log;
  L.CurrentTicks = Ticks;
  L.Current = Current;
  format::storeRelaxed(Log->CurrentTicks, Ticks);
  format::storeRelease(Log->Current, Current);
}

/// The lane's entry of a slot that has a cell, else null.
inline SlotEntry *knownEntry(Lane &L, format::Slot Site) {
  if (number(Site) >= L.SlotCount)
    return nullptr;
  SlotEntry &E = L.Slots[number(Site)];
  return E.Data ? &E : nullptr;
}

/// Which spans a log keeps.
format::LogKeep keepOf(const Options &Opts);

struct ThreadName;

/// The lanes of one recording. But for own() and first(), the caller holds the
/// process lock.
class Lanes {
public:
  Lanes(ProfileFile &File, PageSource &Pages, const Host &Program)
      : File(File), Pages(Pages), Program(Program) {}

  /// The calling thread's lane, made or taken over if it has none. Null
  /// without memory. The lane may not be attached to the file yet. Takes the
  /// process lock unless the thread has a lane.
  Lane *own();

  /// Gives the lane its segments. False without memory. As for the next two,
  /// the owner also holds the lane's lock.
  bool attach(Lane &L);

  /// Makes room for the entries of the first \p Count slots.
  bool growEntries(Lane &L, uint32_t Count);

  /// A new empty cell for a slot of an attached lane, into which the records
  /// from number \p Folded on are folded; null without memory.
  format::Cell *newCell(Lane &L, format::Slot Site, uint64_t Folded);

  /// A ring of runs for a root of an attached lane; null without memory.
  format::SegmentHeader *newRuns(Lane &L, format::Slot Site);

  /// Lets all lanes know that the gate has changed.
  void gateChanged();

  uint32_t count() const { return Count; }
  /// From here NextLane leads to all lanes; none is ever taken away.
  Lane *first() const { return All.load(std::memory_order_acquire); }

private:
  static void endOfThread(void *Argument);
  void release(Lane &L);
  /// A free lane of that name, else any if more than \p MostLeft are free.
  Lane *takeFree(const ThreadName &Name, unsigned MostLeft);
  /// A new lane; null without memory.
  Lane *make();

  ProfileFile &File;
  PageSource &Pages;
  const Host &Program;
  std::atomic<Lane *> All{nullptr};
  Lane *Free = nullptr;
  uint32_t Count = 0; ///< attached lanes
};

/// Empties a cell and its ring of runs for an epoch. The lane's owner, which
/// holds the lane's lock.
void resetCell(SlotEntry &Entry, uint32_t Epoch);

} // namespace torchprof

#endif // TORCHPROF_LANE_H
