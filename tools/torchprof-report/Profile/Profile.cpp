//===- Profile.cpp - a profile in memory ----------------------------------===//

#include "Profile.h"

using namespace llvm;

namespace torchprof::report {

// In the order of format::Counter.
static constexpr StringLiteral CounterNames[] = {
    "lost_no_memory", "lost_no_model",   "lost_conflict",  "clock_backwards",
    "clock_clamped",  "lowered_pairs",   "explicit_pairs", "dropped_pairs",
    "grouped_pairs",  "lowering_failed", "resets",         "snapshots",
    "merged",         "steps",           "file_errors",    "forks"};
static_assert(std::size(CounterNames) ==
              static_cast<size_t>(format::Counter::Forks) + 1);

StringRef counterName(unsigned Counter) {
  if (Counter >= std::size(CounterNames))
    return StringRef();
  return CounterNames[Counter];
}

StringRef stateName(format::FileState State) {
  switch (State) {
  case format::FileState::Open:
    return "open";
  case format::FileState::Closed:
    return "closed";
  case format::FileState::Snapshot:
    return "snapshot";
  case format::FileState::Merged:
    return "merged";
  }
  return "unknown";
}

StringRef clockName(format::ClockKind Clock) {
  switch (Clock) {
  case format::ClockKind::Tsc:
    return "tsc";
  case format::ClockKind::Monotonic:
    return "monotonic";
  case format::ClockKind::Injected:
    return "injected";
  }
  return "unknown";
}

std::string Lane::name() const {
  StringRef Name = fixedText(Record.Name);
  std::string Text = "lane " + std::to_string(Record.Lane);
  if (!Name.empty())
    Text += " (" + Name.str() + ")";
  return Text;
}

uint32_t Profile::slotCount() const {
  uint32_t Count = 0;
  for (const Model &M : Models)
    Count = std::max<uint32_t>(Count, M.FirstSlot + M.Table->Sites.size());
  for (const Region &R : Regions)
    Count = std::max(Count, R.Slot + 1);
  return Count;
}

} // namespace torchprof::report
