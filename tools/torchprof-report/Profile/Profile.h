//===- Profile.h - a profile in memory --------------------------*- C++ -*-===//
//
// The contents of a .tprof file, checked but not yet added up. Cells, runs and
// trace events stay where they are (in the mapped file, or in the profile's own
// arena) because a file can hold gigabytes of them.
//
// Times are ticks of the profile's clock; TickClock.h leads to nanoseconds.
// A Profile owns everything its views point to. It is not thread-safe; two
// profiles are independent of each other.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_PROFILE_H
#define TORCHPROF_REPORT_PROFILE_H

#include "MeasuredSlot.h"
#include "MemoryRecords.h"
#include "torchprof/format/Manifest.h"
#include "torchprof/format/Records.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace torchprof::report {

/// A registered model: its slots are FirstSlot + index of the site.
struct Model {
  format::Slot FirstSlot{};
  std::shared_ptr<const Manifest> Table;
};

/// A site that came to be while the process ran: a user region, a group.
struct DynamicSite {
  format::Slot Slot{};
  format::Slot Parent = format::NoSlot;
  format::DynamicKind Kind = format::DynamicKind::Region;
  uint32_t Flags = 0; ///< format::DynamicFlags
  std::string Name;
};

/// The last runs of a root on one lane; sample i lies at i % Capacity.
struct RunRing {
  format::Slot Slot{};
  uint32_t Capacity = 0;
  uint64_t Count = 0; ///< runs ever offered to the ring
  llvm::ArrayRef<format::RunSample> Samples;
};

/// The samples of a ring, oldest first.
std::vector<format::RunSample> oldestFirst(const RunRing &R);

/// One recorded span of a trace.
struct TraceEvent {
  uint64_t BeginTicks = 0;
  uint64_t Ticks = 0;
  format::Slot Site{};
};

/// Recorded spans of one lane, in the order of their ends.
struct TraceBuffer {
  format::LogKeep Keep = format::LogKeep::First;
  uint64_t Capacity = 0; ///< the first or last so many are kept
  uint64_t Written = 0;  ///< events offered, kept or not
  llvm::ArrayRef<TraceEvent> Events;

  uint64_t dropped() const {
    return Written > Events.size() ? Written - Events.size() : 0;
  }
};

/// What a lane's slots measured beside time: one measure, a part of its cells.
struct MeasureCells {
  format::MeasureId Id{}; ///< may be one that this version does not know
  format::MeasureUnit Unit = format::MeasureUnit::Count;
  format::MeasureSum Sum = format::MeasureSum::Sum;
  std::string Name;
  llvm::ArrayRef<MeasuredSlot> Cells;
};

struct Lane {
  format::LaneRecord Record = {};
  /// Where the thread was: its innermost open span.
  format::Slot CurrentSlot = format::NoSlot;
  uint64_t CurrentTicks = 0;
  uint64_t ApartTicks = 0; ///< part of no span: folding, and device events
  std::vector<llvm::ArrayRef<format::Cell>> Cells;
  std::vector<RunRing> Runs;
  std::vector<TraceBuffer> Traces;
  std::vector<MeasureCells> Measures;
  std::vector<llvm::ArrayRef<format::VariantCell>> Variants;
  std::vector<LevelRing> Levels;
  /// What devices did, in the order in which it became known.
  std::vector<KeptRing<format::DeviceSpan>> DeviceSpans;

  std::string name() const;
};

class Profile {
public:
  Profile() = default;
  Profile(Profile &&) = default;
  Profile &operator=(Profile &&) = default;

  std::string FileName; ///< for messages
  format::FileState State = format::FileState::Closed;
  uint64_t FileBytes = 0; ///< bytes of the file that are in use
  uint64_t SegmentCount = 0;
  uint64_t Epoch = 0;      ///< number of the last reset of all cells
  uint64_t ResetTicks = 0; ///< first tick after it, or 0
  bool Damaged = false;    ///< only a part of the file could be read
  format::ProcessRecord Process = {};
  std::vector<Model> Models;
  /// In the order in which they came to be: a parent precedes its children.
  std::vector<DynamicSite> DynamicSites;
  /// In the order in which they were made on each thread.
  std::vector<format::PlanEvent> Plans;
  /// In the order in which they ended.
  std::vector<format::LoadEvent> Loads;
  uint64_t AnchorIntervalNs = 0;
  std::vector<format::ClockAnchor> Anchors;
  format::MachineRecord Machine = {}; ///< no threads: not measured
  /// By place of memory.
  llvm::Optional<BlockBooks> Books[format::MemoryPlaceCount];
  std::vector<Lane> Lanes;
  /// By slot: spans that began on these lanes and ended on others, which were
  /// left out when the profile had been read.
  std::map<format::Slot, uint64_t> EndedElsewhere;
  /// What was left out with these other lanes, one by one: what the process
  /// held is the sum of what all of its lanes say.
  std::vector<std::vector<LevelRing>> LevelsElsewhere;
  /// Findings of the reader that do not keep the profile from being used.
  std::vector<std::string> Warnings;

  uint64_t counter(format::Counter C) const {
    return Process.Counters[static_cast<unsigned>(C)];
  }

  /// True while the process may still write: what the views show may then
  /// change while it is read.
  bool maybeLive() const { return Buffer && State == format::FileState::Open; }

  /// Says which slot lies in more than MostLevels others; empty if none does.
  std::string whyTooDeep() const;

  /// The smallest slot above those of all models and dynamic sites.
  format::Slot endOfSlots() const;

  /// Copies \p Source into memory that lives as long as the profile.
  template <typename T> llvm::ArrayRef<T> keep(llvm::ArrayRef<T> Source) {
    // An arena that has no memory yet would return null, which it must not.
    return Source.empty() ? Source : Source.copy(*Arena);
  }

  /// \p Count zeroed records that live as long as the profile.
  template <typename T> llvm::MutableArrayRef<T> allocate(size_t Count) {
    if (Count == 0)
      return {};
    T *Records = Arena->Allocate<T>(Count);
    std::uninitialized_value_construct_n(Records, Count);
    return llvm::MutableArrayRef(Records, Count);
  }

  /// True if it was read from a .tprof file, not from its JSON form.
  bool isBinary() const { return Buffer != nullptr; }

  /// Makes the profile the owner of the file its views point into.
  void adopt(std::unique_ptr<llvm::MemoryBuffer> File) {
    Buffer = std::move(File);
  }

private:
  std::unique_ptr<llvm::MemoryBuffer> Buffer;
  std::unique_ptr<llvm::BumpPtrAllocator> Arena =
      std::make_unique<llvm::BumpPtrAllocator>();
};

/// A ring of \p P that is full of the last \p Samples, oldest first, of \p
/// Count runs.
RunRing fullRing(Profile &P, format::Slot Slot,
                 llvm::ArrayRef<format::RunSample> Samples, uint64_t Count);

/// Name of a counter, below CounterCapacity, in JSON and in messages:
/// "lost_no_memory". One that only a later version knows is "counter_40".
std::string counterName(unsigned Counter);

/// How the report says that a counter is not 0: in its line of losses, as
/// what makes these unknown, as a note, or not at all.
enum class CounterShown { Lost, Unsaved, Note, Silent };

/// What a counter counts: since the last reset, or since the process began.
enum class CounterOf { Epoch, Process };

/// A row of Counters.def.
struct CounterInfo {
  format::Counter Id;
  llvm::StringLiteral Name;
  CounterShown Shown;
  CounterOf Of;
  llvm::StringLiteral Text; ///< what follows the number
};

/// All counters of this version, in the order of the file.
llvm::ArrayRef<CounterInfo> counterInfos();

/// A row of Measures.def.
struct MeasureInfo {
  format::MeasureId Id;
  llvm::StringLiteral Name;
  format::MeasureUnit Unit;
  format::MeasureSum Sum;
};

/// The measure of a name, null if this version does not know it.
const MeasureInfo *findMeasure(llvm::StringRef Name);

/// Text of a record's character array up to its NUL or end.
template <size_t N> llvm::StringRef fixedText(const char (&Text)[N]) {
  return llvm::StringRef(Text, N).take_until([](char C) { return C == 0; });
}

/// Stores \p Text into a record's character array, cut to leave a NUL.
template <size_t N> void setFixedText(char (&Out)[N], llvm::StringRef Text) {
  Text = Text.take_front(N - 1);
  std::copy(Text.begin(), Text.end(), Out);
  std::fill(Out + Text.size(), Out + N, '\0');
}

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_PROFILE_H
