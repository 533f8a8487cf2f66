//===- SequenceMatchTest.cpp ----------------------------------------------===//

#include "SequenceMatch.h"

#include <gtest/gtest.h>

#include <string>

using namespace torchprof;

/// The partners of the letters of \p Left in \p Right, a digit each; '.' where
/// none is certain.
static std::string match(const std::string &Left, const std::string &Right) {
  std::string Text;
  for (std::optional<size_t> Partner :
       certainMatches(Left.size(), Right.size(),
                      [&](size_t L, size_t R) { return Left[L] == Right[R]; }))
    Text += Partner ? std::to_string(*Partner) : ".";
  return Text;
}

TEST(SequenceMatch, SequencesThatAreTheSameMatchThroughout) {
  EXPECT_EQ(match("", ""), "");
  EXPECT_EQ(match("abab", "abab"), "0123");
  EXPECT_EQ(match("aaaa", "aaaa"), "0123");
}

TEST(SequenceMatch, ItemsThatAreMissingOnOneSideAreSkipped) {
  EXPECT_EQ(match("abd", "abcd"), "013");
  EXPECT_EQ(match("abcd", "abd"), "01.2");
  EXPECT_EQ(match("abc", ""), "...");
  EXPECT_EQ(match("", "abc"), "");
}

TEST(SequenceMatch, WhatCouldBeOneOfSeveralIsNotCertain) {
  EXPECT_EQ(match("a", "aa"), ".");
  EXPECT_EQ(match("aa", "a"), "..");
  EXPECT_EQ(match("cab", "caab"), "0.3");
  EXPECT_EQ(match("caab", "cab"), "0..2");
  // Either of the two can be the one that is the same in both.
  EXPECT_EQ(match("ab", "ba"), "..");
}

TEST(SequenceMatch, SequencesTooLongToCompareMatchOnlyAsAWhole) {
  std::string Long(3000, 'a');
  EXPECT_EQ(match(Long, Long + "b"), std::string(3000, '.'));
  std::string Same = match(Long, Long);
  EXPECT_EQ(Same.find('.'), std::string::npos);
  EXPECT_EQ(Same.substr(Same.size() - 4), "2999");
}
