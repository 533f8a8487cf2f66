//===- Profile.cpp - a profile in memory ----------------------------------===//

#include "Profile.h"
#include "KeptRing.h"

#include <algorithm>
#include <unordered_map>

using namespace llvm;

namespace torchprof::report {

static constexpr CounterInfo Counters[] = {
#define TORCHPROF_COUNTER(ENUMERATOR, NAME, SHOWN, OF, MEANING, TEXT)          \
  {format::Counter::ENUMERATOR, #NAME, CounterShown::SHOWN, CounterOf::OF,     \
   TEXT},
#include "torchprof/format/Counters.def"
};

ArrayRef<CounterInfo> counterInfos() { return Counters; }

std::string counterName(unsigned Counter) {
  if (Counter >= std::size(Counters))
    return "counter_" + std::to_string(Counter);
  return Counters[Counter].Name.str();
}

static constexpr MeasureInfo Measures[] = {
#define TORCHPROF_MEASURE(NAME, NUMBER, ID, WORD, UNIT, SUM, MEANING)          \
  {format::MeasureId::NAME, ID, format::MeasureUnit::UNIT,                     \
   format::MeasureSum::SUM},
#include "torchprof/format/Measures.def"
};

const MeasureInfo *findMeasure(StringRef Name) {
  for (const MeasureInfo &M : Measures)
    if (M.Name == Name)
      return &M;
  return nullptr;
}

std::vector<format::RunSample> oldestFirst(const RunRing &R) {
  std::vector<format::RunSample> Samples = R.Samples;
  if (R.Capacity && R.Count > R.Capacity && Samples.size() == R.Capacity)
    std::rotate(Samples.begin(),
                Samples.begin() + ptrdiff_t(R.Count % R.Capacity),
                Samples.end());
  return Samples;
}

RunRing fullRing(Profile &P, format::Slot Slot,
                 ArrayRef<format::RunSample> Samples, uint64_t Count) {
  auto Capacity = static_cast<uint32_t>(Samples.size());
  if (!Capacity)
    return {Slot, Capacity, Count, {}};
  KeptRing<format::RunSample> Ring{format::LogKeep::Last, Capacity, Count,
                                   Samples};
  return {Slot, Capacity, Count,
          P.keep(ArrayRef<format::RunSample>(turnedEntries(Ring)))};
}

std::string Lane::name() const {
  StringRef Name = fixedText(Record.Name);
  std::string Text = "lane " + std::to_string(Record.Lane);
  if (!Name.empty())
    Text += " (" + Name.str() + ")";
  return Text;
}

std::string Profile::whyTooDeep() const {
  size_t Slots = DynamicSites.size();
  for (const Model &M : Models)
    Slots += M.Table->Sites.size();
  // Manifests have been checked when they were read.
  if (DynamicSites.empty() || Slots <= MostLevels)
    return std::string();
  std::unordered_map<uint32_t, uint32_t> Levels; // by slot
  for (const Model &M : Models)
    for (uint32_t I = 0; I < M.Table->Sites.size(); ++I) {
      uint32_t Parent = M.Table->Sites[I].Parent;
      Levels[number(M.FirstSlot) + I] =
          Parent == NoIndex ? 1 : Levels[number(M.FirstSlot) + Parent] + 1;
    }
  for (const DynamicSite &D : DynamicSites) {
    // The report knows no parent that comes later.
    auto Parent = Levels.find(number(D.Parent));
    uint32_t Level = Parent == Levels.end() ? 1 : Parent->second + 1;
    if (Level > MostLevels)
      return "slot " + std::to_string(number(D.Slot)) + ": more than " +
             std::to_string(MostLevels) + " levels deep";
    Levels[number(D.Slot)] = Level;
  }
  return std::string();
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
