//===- TimeOrderTest.cpp - records that end in their order ----------------===//

#include "../../../tools/torchprof-report/Profile/TimeOrder.h"

#include "gtest/gtest.h"

using namespace torchprof::report;

namespace {

using Places = std::vector<size_t>;

TEST(TimeOrder, FindsWhatEndsAfterLaterOnes) {
  EXPECT_EQ(endsTooLate({}, 0), Places());
  EXPECT_EQ(endsTooLate({7}, 0), Places());
  EXPECT_EQ(endsTooLate({1, 2, 2, 3}, 0), Places());
  EXPECT_EQ(endsTooLate({900, 2, 3, 4}, 0), Places({0}));
  EXPECT_EQ(endsTooLate({1, 900, 2, 700, 3}, 0), Places({1, 3}));
  // Two behind each other, whose own order is right or wrong.
  EXPECT_EQ(endsTooLate({1, 900, 901, 2, 3, 4}, 0), Places({1, 2}));
  EXPECT_EQ(endsTooLate({1, 901, 900, 2, 3, 4}, 0), Places({1, 2}));
}

TEST(TimeOrder, BelievesWhatIsBehindEarlyOnes) {
  EXPECT_EQ(endsTooLate({10, 11, 12, 3, 13, 14}, 0), Places());
  EXPECT_EQ(endsTooLate({10, 11, 12, 3}, 0), Places());
  EXPECT_EQ(endsTooLate({10, 11, 0, 12, 0, 13}, 0), Places());
}

TEST(TimeOrder, AllowsSlack) {
  EXPECT_EQ(endsTooLate({1, 12, 2, 3}, 10), Places());
  EXPECT_EQ(endsTooLate({1, 13, 2, 3}, 10), Places({1}));
  EXPECT_EQ(endsTooLate({1, UINT64_MAX, 2, 3}, 10), Places({1}));
}

} // namespace
