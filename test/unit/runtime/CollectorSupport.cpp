//===- CollectorSupport.cpp - recording in child processes ----------------===//

#include "Clock.h"
#include "Collector.h"
#include "Probe.h"
#include "TestSupport.h"

#include <atomic>
#include <gtest/gtest.h>

namespace torchprof::test {

void record(const std::string &File, const std::function<void()> &Body) {
  EXPECT_EQ(runChild([&] {
              ASSERT_EQ(setOption("file", File), 0);
              Body();
            }),
            0);
}

void addTestModel(uint64_t ModelId, unsigned Sites) {
  EXPECT_EQ(addModel(manifestText(ModelId, Sites)), Registration::Added);
}

static std::atomic<uint64_t> Now{1000};

void useTestClock(uint64_t Start) {
  Now = Start;
  clock::inject([] { return Now.load(std::memory_order_relaxed); });
}
void setClock(uint64_t Ticks) { Now = Ticks; }
void advanceClock(uint64_t Ticks) { Now += Ticks; }

void span(uint64_t Site, uint64_t Ticks) {
  uint64_t Begin = beginSpan(Site);
  advanceClock(Ticks);
  endSpan(Begin, Site);
}

} // namespace torchprof::test
