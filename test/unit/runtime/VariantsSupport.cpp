//===- VariantsSupport.cpp - nodes with operands, for tests ---------------===//

#include "VariantsSupport.h"

#include "Control.h"
#include "Probe.h"
#include "Variants.h"

#include <algorithm>

namespace torchprof::test {

using namespace format;

std::atomic<unsigned> TextsWritten = 0;

static uint64_t keyOf(const void *Stack, unsigned Count) {
  const auto &Values = *static_cast<const Numbers *>(Stack);
  uint64_t Key = 1;
  for (size_t I = Values.size() - Count; I < Values.size(); ++I) {
    if (Values[I] == 0)
      return 0;
    Key = Key * 1000 + uint64_t(Values[I]);
  }
  return Key;
}

/// Sizes from 100 on read as size 100.
static std::string textOf(const void *Stack, unsigned Count) {
  ++TextsWritten;
  const auto &Values = *static_cast<const Numbers *>(Stack);
  std::string Text;
  for (size_t I = Values.size() - Count; I < Values.size(); ++I)
    Text.append(Text.empty() ? "float32[" : " float32[")
        .append(std::to_string(std::min(Values[I], 100)))
        .append("]");
  return Text;
}

static constexpr SignatureReader Reader{keyOf, textOf};

VariantsTest::VariantsTest() {
  setSignatureReader(&Reader);
  TextsWritten = 0;
}

VariantsTest::~VariantsTest() { setSignatureReader(nullptr); }

ReadProfile VariantsTest::recorded(
    const std::function<void()> &Body,
    std::initializer_list<std::pair<const char *, const char *>> More,
    bool IsStill) {
  record(Folder.file("p.tprof"), [&] {
    if (IsStill)
      useTestClock();
    EXPECT_EQ(setOption("record", "shapes"), 0);
    for (auto [Name, Value] : More)
      EXPECT_EQ(setOption(Name, Value), 0);
    addTestModel(7, 4);
    Body();
  });
  return readProfile(Folder.file("p.tprof"));
}

void node(unsigned Site, Numbers Stack, uint64_t Ticks,
          const std::function<void()> &Body) {
  FrameSpan Span(Slot(Site), {&Stack, uint16_t(Stack.size()), 1});
  int Output = Stack.front();
  Stack = {Output};
  Body();
  advanceClock(Ticks);
  Span.end();
}

std::ostream &operator<<(std::ostream &OS, const Expected &E) {
  return OS << E.Signature << ": " << E.Count << " spans, " << E.Time
            << " ticks, " << E.Min << " to " << E.Max << ", first at "
            << E.First;
}

std::vector<Expected> variantsOf(const ReadProfile &P, unsigned Site) {
  std::vector<Expected> Found;
  for (const ReadProfile::VariantOf &V : P.Variants)
    if (V.Data.Site == Slot(Site) && V.Data.Word)
      Found.push_back({V.Signature, V.Data.Word / 2, V.Data.Time, V.Data.Min,
                       V.Data.Max, V.Data.FirstTicks});
  return Found;
}

std::vector<int64_t> netsOf(const ReadProfile &P, unsigned Site) {
  std::vector<int64_t> Found;
  for (const ReadProfile::VariantOf &V : P.Variants)
    if (V.Data.Site == Slot(Site) && V.Data.Word)
      Found.push_back(V.Data.NetBytes);
  return Found;
}

} // namespace torchprof::test
