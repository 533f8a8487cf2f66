//===- ScheduleTest.cpp - windows of steps --------------------------------===//

#include "Schedule.h"

#include <gtest/gtest.h>
#include <string>

using namespace torchprof;

/// One letter per step: - off, w warm-up, a active, A the cycle's last.
static std::string phases(const char *Text, unsigned Steps) {
  Schedule S;
  EXPECT_TRUE(parseSchedule(Text, S));
  std::string Letters;
  for (unsigned I = 0; I < Steps; ++I)
    Letters += S.phase(I) == Schedule::Phase::Off      ? '-'
               : S.phase(I) == Schedule::Phase::Warmup ? 'w'
               : S.endsCycle(I)                        ? 'A'
                                                       : 'a';
  return Letters;
}

TEST(Schedule, MeansWhatTorchProfilersMeans) {
  EXPECT_EQ(phases("skip_first=10,wait=5,warmup=1,active=3,repeat=2", 32),
            "---------------waaA-----waaA----");
  EXPECT_EQ(phases("active=1", 3), "AAA");
  EXPECT_EQ(phases("repeat=1,active=2,wait=1", 6), "-aA---");
  EXPECT_EQ(phases("repeat=1, active=2,  wait=1", 6), "-aA---");
}

TEST(Schedule, IsOverBehindItsLastCycle) {
  Schedule S;
  ASSERT_TRUE(parseSchedule("skip_first=3,wait=1,active=2,repeat=2", S));
  for (uint64_t Step = 0; Step < 12; ++Step)
    EXPECT_EQ(S.isOver(Step), Step >= 9) << Step;
  ASSERT_TRUE(parseSchedule("active=1", S));
  EXPECT_FALSE(S.isOver(1'000'000));
}

TEST(Schedule, ActiveIsNeeded) {
  Schedule S;
  for (const char *Bad :
       {"wait=1", "active=0", "active", "active=", "active=x", "active=-1",
        "active=1,", ",active=1", "active=1,active=1", "active=1,wiat=2",
        "active=99999999999999999999", "active=1 "})
    EXPECT_FALSE(parseSchedule(Bad, S)) << Bad;
  EXPECT_FALSE(S.exists());
}
