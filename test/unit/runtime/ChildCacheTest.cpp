//===- ChildCacheTest.cpp - children of spans that a lane met lately ------===//

#include "ChildCache.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

using namespace torchprof;
using format::Slot;

namespace {

const char Names[64] = {}; // of which only the addresses count

class Cache : public testing::Test {
protected:
  void keep(uint32_t Parent, unsigned Name) {
    Known->keep({&Names[Name], Slot(Name), Slot(Parent), 1});
  }
  bool knows(uint32_t Parent, unsigned Name) const {
    const ChildCache::Entry *E = Known->find(Slot(Parent), &Names[Name]);
    return E && E->Site == Slot(Name);
  }
  /// As a lane has it, in zero pages.
  std::unique_ptr<ChildCache> Known{new ChildCache()};
};

TEST_F(Cache, KnowsNothingAtFirst) {
  EXPECT_FALSE(knows(0, 0));
  EXPECT_FALSE(knows(123456, 5));
}

TEST_F(Cache, TellsParentsAndNamesApart) {
  keep(7, 1);
  EXPECT_TRUE(knows(7, 1));
  EXPECT_FALSE(knows(8, 1));
  EXPECT_FALSE(knows(7, 2));
  EXPECT_FALSE(knows(7 + (1 << 12), 1)); // whose entries lie in the same place
}

TEST_F(Cache, NewestChildOfANameCounts) {
  keep(7, 1);
  Known->keep({&Names[1], Slot(2), Slot(7), 5});
  EXPECT_EQ(Known->find(Slot(7), &Names[1])->Site, Slot(2));
  EXPECT_EQ(Known->find(Slot(7), &Names[1])->Generation, 5u);
}

TEST_F(Cache, TwoChildrenOfEachSpanOfALongModelStayKnown) {
  for (uint32_t Parent = 0; Parent < 4000; ++Parent)
    for (unsigned Name : {0, 1})
      keep(Parent, Name);
  for (uint32_t Parent = 0; Parent < 4000; ++Parent)
    for (unsigned Name : {0, 1})
      ASSERT_TRUE(knows(Parent, Name)) << Parent;
}

TEST_F(Cache, ManyChildrenOfOneSpanStayKnownAsFarAsThereIsRoom) {
  for (unsigned Name = 0; Name < 64; ++Name)
    keep(5, Name);
  std::vector<unsigned> Lost;
  for (unsigned Name = 0; Name < 64; ++Name)
    if (!knows(5, Name))
      Lost.push_back(Name);
  EXPECT_LE(Lost.size(), 4u); // 64 of 8192 places, by their addresses
}

} // namespace
