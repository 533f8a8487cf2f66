//===- Profile.cpp - a profile in memory ----------------------------------===//

#include "Profile.h"

using namespace llvm;

namespace torchprof::report {

static constexpr StringLiteral CounterNames[] = {
#define TORCHPROF_COUNTER(ENUMERATOR, NAME, SHOWN, MEANING, TEXT) #NAME,
#include "torchprof/format/Counters.def"
};

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

format::Slot Profile::endOfSlots() const {
  format::Slot End{};
  for (const Model &M : Models)
    End = std::max(End,
                   M.FirstSlot + static_cast<uint32_t>(M.Table->Sites.size()));
  for (const DynamicSite &D : DynamicSites)
    End = std::max(End, D.Slot + 1);
  return End;
}

} // namespace torchprof::report
