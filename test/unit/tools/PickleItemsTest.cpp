//===- PickleItemsTest.cpp - lists of one element, as LibTorch reads them -===//

#include "PickleItems.h"

#include <gtest/gtest.h>

using namespace torchprof;
using namespace std::string_literals;

namespace {

std::string marked(const std::string &Pickle) {
  return withItemsMarked(Pickle).value_or("none");
}

// What Python's pickle.dumps(VALUE, 2) makes.
TEST(PickleItems, SingleElementsAreMarked) {
  // [1]
  EXPECT_EQ(marked("\x80\x02]q\x00K\x01"
                   "a."s),
            "\x80\x02]q\x00(K\x01"
            "e."s);
  // {'a': [None]}
  EXPECT_EQ(marked("\x80\x02}q\x00X\x01\x00\x00\x00"
                   "aq\x01]q\x02Nas."s),
            "\x80\x02}q\x00(X\x01\x00\x00\x00"
            "aq\x01]q\x02(Neu."s);
  // ([1, 2], [[3.5]])
  EXPECT_EQ(marked("\x80\x02]q\x00(K\x01K\x02"
                   "e]q\x01]q\x02G\x40\x0c\x00\x00\x00\x00\x00\x00"
                   "aa\x86q\x03."s),
            "\x80\x02]q\x00(K\x01K\x02"
            "e]q\x01(]q\x02(G\x40\x0c\x00\x00\x00\x00\x00\x00"
            "ee\x86q\x03."s);
}

TEST(PickleItems, AnElementBeginsWhereItIsMade) {
  // A tuple behind a mark, and an object made by a call: [(1, 2, 3, 4)],
  // [OrderedDict()].
  EXPECT_EQ(marked("]q\x00(K\x01K\x02K\x03K\x04tq\x01"
                   "a."s),
            "]q\x00((K\x01K\x02K\x03K\x04tq\x01"
            "e."s);
  EXPECT_EQ(marked("]ccollections\nOrderedDict\nq\x01)Rq\x02"
                   "a."s),
            "](ccollections\nOrderedDict\nq\x01)Rq\x02"
            "e."s);
  // What is saved apart, as a tensor's storage is.
  EXPECT_EQ(marked("]X\x01\x00\x00\x00(QNba."s), "](X\x01\x00\x00\x00(QNbe."s);
}

TEST(PickleItems, NothingIsMarkedTwice) {
  EXPECT_FALSE(withItemsMarked("\x80\x02]q\x00(K\x01K\x02"
                               "e."s));
  EXPECT_FALSE(withItemsMarked("\x80\x02}q\x00."s));
  EXPECT_FALSE(withItemsMarked(marked("]K\x01"
                                      "a.")));
}

TEST(PickleItems, DamageIsNotRead) {
  for (const char *Text : {"", "a.", "Na.", "]", "]N", "]Na", "]Nat.", "]Nae.",
                           "}Ns.", "]NaR.", "]Na\x86", "]Nac.", "]NacX\n",
                           "]NaK", "]NaX\xff\xff\xff\xff", "]Na\x8a", "]Na?."})
    EXPECT_FALSE(withItemsMarked(Text)) << Text;
}

} // namespace
