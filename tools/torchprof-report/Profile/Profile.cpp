//===- Profile.cpp - a profile in memory ----------------------------------===//

#include "Profile.h"

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
