//===- EinsumTest.cpp - what an Einstein summation computes ---------------===//

#include "../../../tools/torchprof-report/Report/Einsum.h"
#include "../../../tools/torchprof-report/Report/Work.h"

#include "gtest/gtest.h"

using namespace torchprof::report;

namespace {

llvm::Optional<Work> einsum(const std::string &Equation,
                            const std::string &Operands,
                            const std::string &Path = "-") {
  return workOf("aten::einsum",
                parseSignature("\"" + Equation + "\" (" + Operands + ") " +
                               Path + " -> float32[1]"));
}

/// Multiplications and additions of products, and other operations.
using Counts = std::pair<double, double>;

Counts counts(const std::string &Equation, const std::string &Operands) {
  llvm::Optional<Work> W = einsum(Equation, Operands);
  EXPECT_TRUE(W) << Equation << " of " << Operands;
  return W ? Counts(W->Flops, W->OtherOps) : Counts(-1, -1);
}

} // namespace

TEST(Einsum, PairsAreBatchedProducts) {
  EXPECT_EQ(counts("ij,jk->ik", "float32[2,3] float32[3,5]"), Counts(60, 0));
  EXPECT_EQ(counts("bij,bjk->bik", "float32[7,2,3] float32[7,3,5]"),
            Counts(420, 0));
  EXPECT_EQ(counts("bhid,bhjd->bhij", "float32[2,4,6,8] float32[2,4,5,8]"),
            Counts(2 * 2 * 4 * 6 * 5 * 8, 0));
  EXPECT_EQ(counts("i,i->", "float32[9] float32[9]"), Counts(18, 0));
  EXPECT_EQ(counts(" ij , jk ->  ik ", "float32[2,3] float32[3,5]"),
            Counts(60, 0));
}

TEST(Einsum, WithoutAnOutputItIsWhatOccursOnce) {
  EXPECT_EQ(counts("ij,jk", "float32[2,3] float32[3,5]"), Counts(60, 0));
  EXPECT_EQ(counts("...ij,...jk", "float32[7,2,3] float32[7,3,5]"),
            Counts(420, 0));
}

TEST(Einsum, DotsStandForDimensionsThatMayBeBroadcast) {
  EXPECT_EQ(counts("...ij,...jk->...ik", "float32[4,1,2,3] float32[7,3,5]"),
            Counts(2 * 4 * 7 * 2 * 3 * 5, 0));
  EXPECT_EQ(counts("i...,i...->...", "float32[3,2] float32[3,2]"),
            Counts(12, 0));
}

TEST(Einsum, ProductsWithoutASumAreElementWise) {
  EXPECT_EQ(counts("i,j->ij", "float32[2] float32[3]"), Counts(0, 6));
  EXPECT_EQ(counts("bi,bi->bi", "float32[2,3] float32[2,3]"), Counts(0, 6));
  EXPECT_EQ(counts("bi,bj->ij", "float32[1,3] float32[1,5]"), Counts(0, 15));
}

TEST(Einsum, WhatOneOperandHasAloneIsSummedFirst) {
  EXPECT_EQ(counts("bi,bj->ij", "float32[1,3] float32[4,5]"), Counts(0, 35));
  EXPECT_EQ(counts("ijx,jk->ik", "float32[2,3,4] float32[3,5]"),
            Counts(60, 24));
  EXPECT_EQ(counts("ij,jky->ik", "float32[2,3] float32[3,5,4]"),
            Counts(60, 60));
}

TEST(Einsum, OneOperandIsSummedOrMoved) {
  EXPECT_EQ(counts("ij->ji", "float32[2,3]"), Counts(0, 0));
  EXPECT_EQ(counts("ij->i", "float32[2,3]"), Counts(0, 6));
  EXPECT_EQ(counts("ii->i", "float32[3,3]"), Counts(0, 0));
}

TEST(Einsum, MoreOperandsAreContractedFromTheLeft) {
  // [2,3] and [3,5], and then their product and [5,7].
  EXPECT_EQ(counts("ij,jk,kl->il", "float32[2,3] float32[3,5] float32[5,7]"),
            Counts(60 + 2 * 2 * 5 * 7, 0));
  // j is needed later.
  EXPECT_EQ(counts("ij,jk,jl->il", "float32[2,3] float32[3,5] float32[3,7]"),
            Counts(2 * 2 * 3 * 7, 15 + 6));
}

TEST(Einsum, EmptyOperandsComputeNothing) {
  EXPECT_EQ(counts("ij,jk->ik", "float32[0,3] float32[3,5]"), Counts(0, 0));
  EXPECT_EQ(counts("ij,jk->ik", "float32[2,0] float32[0,5]"), Counts(0, 0));
}

TEST(Einsum, WhatDoesNotFitIsNotKnown) {
  for (auto [Equation, Operands] :
       std::initializer_list<std::pair<const char *, const char *>>{
           {"ij,jk->ik", "float32[2,3]"},
           {"ij->i", "float32[2,3] float32[3]"},
           {"ij->i", "float32[2,3,4]"},
           {"i...j->i", "float32[2]"},
           {"i->k", "float32[2]"},
           {"i->ii", "float32[2]"},
           {"i1->i", "float32[2,3]"},
           {"......->", "float32[2]"},
           {"i->i", "float32[?]:nested"},
           {"i->i", "-"},
           {"", ""}})
    EXPECT_FALSE(einsum(Equation, Operands)) << Equation;
  // Its equation is too long for a signature, or another path is taken.
  EXPECT_FALSE(
      workOf("aten::einsum", parseSignature("* (float32[2]) - -> float32[2]")));
  EXPECT_FALSE(einsum("i,i,i->i", "float32[2] float32[2] float32[2]", "*"));
  EXPECT_TRUE(einsum("i,i->i", "float32[2] float32[2]", "*"));
}
