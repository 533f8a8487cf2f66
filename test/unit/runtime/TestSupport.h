//===- TestSupport.h - profiles for tests -----------------------*- C++ -*-===//
//
// A case records in this process, with a recording of its own, and reads the
// file with the report's reader. A child process is used where its end, or what
// it does to the process, is what is tested.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TESTSUPPORT_H
#define TORCHPROF_TESTSUPPORT_H

#include "torchprof/format/Records.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

namespace torchprof::test {

/// What a profile holds, as far as tests ask. Reading aborts the test with a
/// failure if the file is not well formed.
struct ReadProfile {
  struct TraceEvent {
    uint64_t BeginTicks, Ticks;
    format::Slot Site;
  };
  struct CellOf {
    uint32_t Lane;
    format::Cell Data;
    uint64_t count() const { return Data.Word / 2; }
  };
  struct RunsOf {
    uint32_t Lane;
    format::Slot Site;
    uint64_t Count;
    std::vector<format::RunSample> Samples; ///< in the order of the ring
  };
  struct TraceOf {
    uint32_t Lane;
    format::LogKeep Keep;
    uint64_t Capacity;
    uint64_t Written;               ///< spans offered
    std::vector<TraceEvent> Events; ///< in the order of their ends
  };
  struct LaneOf : format::LaneRecord {
    format::Slot CurrentSlot;
    uint64_t CurrentTicks;
    uint64_t ApartTicks;
  };
  format::FileHeader Header{};
  format::ProcessRecord Process{};
  std::vector<format::ModelRecord> Models;
  std::vector<std::string> Manifests;
  std::vector<format::ClockAnchor> Anchors;
  uint64_t AnchorIntervalNs = 0;
  std::vector<LaneOf> Lanes;
  std::vector<CellOf> Cells;
  std::vector<RunsOf> Runs;
  std::vector<TraceOf> Traces;
  struct ChildOf {
    format::Slot Site, Parent;
    format::DynamicKind Kind;
    uint32_t Flags;
    std::string Name;
  };
  std::vector<ChildOf> Children;
  std::vector<format::PlanEvent> Plans;
  std::vector<format::LoadEvent> Loads;
  /// A slot's share of a MeasureCell.
  struct Measured {
    format::Slot Site;
    uint64_t Word, Sum, Max, Time, Nested;
  };
  struct MeasureOf {
    uint32_t Lane;
    format::MeasureId Measure;
    Measured Data;
  };
  std::vector<MeasureOf> Measures;
  struct VariantOf {
    uint32_t Lane;
    format::VariantCell Data;
    std::string Signature;
  };
  std::vector<VariantOf> Variants; ///< of the last epoch

  struct LevelOf {
    uint32_t Lane;
    bool OfRuns;
    format::MemoryPlace Place;
    format::Level Data;
  };
  std::vector<LevelOf> Levels; ///< ring by ring, in the order of their ends
  std::vector<format::DeviceSpan> DeviceSpans; ///< lane by lane
  format::BlocksRecord Books{};                ///< of the CPU
  format::BlocksRecord DeviceBooks{};
  std::vector<format::BlockAccount> Accounts; ///< of the CPU
  std::vector<format::BlockAccount> DeviceAccounts;

  /// The account of a slot; a failure, and an empty one, if there is none.
  format::BlockAccount
  account(format::Slot Site,
          format::MemoryPlace Place = format::MemoryPlace::Cpu) const;

  uint64_t counter(format::Counter C) const {
    return Process.Counters[unsigned(C)];
  }
  /// Sum over lanes.
  uint64_t count(uint32_t Slot) const;
  uint64_t begins(uint32_t Slot) const;
  uint64_t cut(uint32_t Slot) const;
  uint64_t sum(uint32_t Slot) const;
  uint64_t pairs(uint32_t Slot) const;
  /// The only cell of a slot.
  const format::Cell &cell(uint32_t Slot) const;
  /// The child of a kind and name; a failure, and an empty one, if there is
  /// none.
  const ChildOf &child(format::DynamicKind Kind, const std::string &Name) const;
  /// Number of the slot of a region.
  uint32_t region(const std::string &Name) const {
    return number(child(format::DynamicKind::Region, Name).Site);
  }
  /// The only cell of a measure and slot.
  const Measured &measure(format::MeasureId Id, uint32_t Slot) const;
};

ReadProfile readProfile(const std::string &Path);

/// Expects what must hold of a cell at every moment.
void expectWhole(const format::Cell &C);

/// A folder of the test's own, empty at first, removed with its files.
class TestFolder {
public:
  TestFolder();
  ~TestFolder();
  std::string file(const std::string &Name) const { return Path + "/" + Name; }
  const std::string &path() const { return Path; }
  /// Names of the files in it, sorted.
  std::vector<std::string> names() const;

private:
  std::string Path;
};

/// How a child ended: its exit code, or minus its signal.
int runChild(const std::function<void()> &Body);

/// Runs \p Before and then \p Body in a child, and \p Check here while the
/// child is stopped before each instruction of \p Body, until one fails.
/// Returns the number of instructions, 0 if that is not possible here.
unsigned stepThrough(const std::function<void()> &Before,
                     const std::function<void()> &Body,
                     const std::function<void()> &Check);

/// Runs \p Body and, before its instruction number \p Number, \p Between, as
/// another thread could. False if Body has fewer instructions, or if this is
/// not supported here. Not for two threads at once.
bool interrupt(const std::function<void()> &Body, unsigned Number,
               const std::function<void()> &Between);

/// A manifest of \p Sites sites, the first of them a root.
std::string manifestText(uint64_t ModelId, unsigned Sites,
                         const std::string &Kind = "aten::relu");

inline format::SiteId site(uint64_t ModelId, uint64_t Index) {
  return format::SiteId(ModelId, static_cast<uint32_t>(Index));
}

//===----------------------------------------------------------------------===//
// CollectorSupport.cpp: for tests that are linked with the collector
//===----------------------------------------------------------------------===//

/// Begins anew, as a process that has just started: no options, no models, no
/// recording, the system's clock. The recording that there was stays in memory.
void startAfresh();

/// Waits until the folding thread has folded what it can. No thread records.
void waitForFold();

/// Runs \p Body with a recording of its own, whose profile is \p File, and
/// closes that as the exit handler does.
void record(const std::string &File, const std::function<void()> &Body);

/// The same on the test's clock, with a model of id 7 and so many sites.
void recordModel(const std::string &File, unsigned Sites,
                 const std::function<void()> &Body);

/// A test that records a model of its own, id 7, in a folder of its own.
class RecordedModel : public testing::Test {
protected:
  explicit RecordedModel(unsigned Sites = 3) : Sites(Sites) {}
  void recordIt(const std::function<void()> &Body) {
    recordModel(Folder.file("p.tprof"), Sites, Body);
  }
  ReadProfile profile(const char *Name = "p.tprof") {
    return readProfile(Folder.file(Name));
  }
  TestFolder Folder;

private:
  const unsigned Sites;
};

/// record() in a child process; expects exit code 0.
void recordInChild(const std::string &File, const std::function<void()> &Body);

/// Registers the model of manifestText().
void addTestModel(uint64_t ModelId, unsigned Sites);

/// A run of method 0 of the test model 7, with what \p Body does in it.
void inRun(const std::function<void()> &Body);

/// A node of the test model 7 with \p Body in it, timed, or between two probes.
void timedNode(unsigned Index, const std::function<void()> &Body);
void pairedNode(unsigned Index, const std::function<void()> &Body);

/// Resets again and again until the \p Threads have ended, and joins them.
void resetWhile(std::vector<std::thread> &Threads);

/// A clock that stands still until the test moves it.
void useTestClock(uint64_t Start = 1000);
void setClock(uint64_t Ticks);
void advanceClock(uint64_t Ticks);

/// One span of \p Ticks on the test's clock.
void span(format::SiteId Site, uint64_t Ticks);

} // namespace torchprof::test

#endif // TORCHPROF_TESTSUPPORT_H
