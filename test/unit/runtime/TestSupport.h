//===- TestSupport.h - profiles of child processes --------------*- C++ -*-===//
//
// The collector is one per process, so each case records in a child process
// and reads the file that the child left.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TESTSUPPORT_H
#define TORCHPROF_TESTSUPPORT_H

#include "torchprof/format/Records.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace torchprof::test {

/// What a profile holds, as far as tests ask. Reading aborts the test with a
/// failure if the file is not well formed.
struct ReadProfile {
  struct CellOf {
    uint32_t Lane;
    format::Cell Data;
    uint64_t count() const { return Data.Word / 2; }
  };
  struct RunsOf {
    uint32_t Lane, Slot;
    uint64_t Count;
    std::vector<format::RunSample> Samples; ///< in the order of the ring
  };
  struct TraceOf {
    uint32_t Lane;
    format::TraceRecord Head;
    std::vector<format::TraceEvent> Events; ///< in the order of the ring
  };
  format::FileHeader Header{};
  format::ProcessRecord Process{};
  std::vector<format::ModelRecord> Models;
  std::vector<std::string> Manifests;
  std::vector<format::ClockAnchor> Anchors;
  std::vector<format::LaneRecord> Lanes;
  std::vector<CellOf> Cells;
  std::vector<RunsOf> Runs;
  std::vector<TraceOf> Traces;
  std::map<uint32_t, std::string> Regions, Groups;

  uint64_t counter(format::Counter C) const {
    return Process.Counters[unsigned(C)];
  }
  /// Sum over lanes.
  uint64_t count(uint32_t Slot) const;
  uint64_t begins(uint32_t Slot) const;
  uint64_t cut(uint32_t Slot) const;
  uint64_t sum(uint32_t Slot) const;
  /// The only cell of a slot.
  const format::Cell &cell(uint32_t Slot) const;
  /// Slot of a region, NoSlot if there is none.
  uint32_t region(const std::string &Name) const;
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

/// A manifest of \p Sites sites, the first of them a root.
std::string manifestText(uint64_t ModelId, unsigned Sites,
                         const std::string &Kind = "aten::relu");

inline uint64_t site(uint64_t ModelId, uint64_t Index) {
  return ModelId << format::SiteIndexBits | Index;
}

//===----------------------------------------------------------------------===//
// CollectorSupport.cpp: for tests that are linked with the collector
//===----------------------------------------------------------------------===//

/// As runChild, with the profile in \p File; expects exit code 0.
void record(const std::string &File, const std::function<void()> &Body);

/// Registers the model of manifestText().
void addTestModel(uint64_t ModelId, unsigned Sites);

/// A clock that stands still until the test moves it.
void useTestClock(uint64_t Start = 1000);
void setClock(uint64_t Ticks);
void advanceClock(uint64_t Ticks);

/// One span of \p Ticks on the test's clock.
void span(uint64_t Site, uint64_t Ticks);

} // namespace torchprof::test

#endif // TORCHPROF_TESTSUPPORT_H
