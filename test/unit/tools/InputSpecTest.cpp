//===- InputSpecTest.cpp - the grammar of --input -------------------------===//

#include "InputSpec.h"

#include <gtest/gtest.h>

using namespace torchprof;

namespace {

InputSpec parse(const std::string &Text) {
  InputSpec Spec;
  std::string Error;
  EXPECT_TRUE(parseInputSpec(Text, Spec, Error)) << Text << ": " << Error;
  return Spec;
}

std::string errorOf(const std::string &Text) {
  InputSpec Spec;
  std::string Error;
  EXPECT_FALSE(parseInputSpec(Text, Spec, Error)) << Text;
  return Error;
}

TEST(InputSpec, Tensors) {
  InputSpec Spec = parse("float[5,3,224,224]");
  EXPECT_EQ(Spec.Type, InputSpec::Kind::Tensor);
  EXPECT_EQ(Spec.Word, "float");
  EXPECT_EQ(Spec.Sizes, (std::vector<int64_t>{5, 3, 224, 224}));
  EXPECT_FALSE(Spec.Low);

  Spec = parse("int64[ 2, 16 ]{0:1000}");
  EXPECT_EQ(Spec.Word, "int64");
  EXPECT_EQ(*Spec.Low, 0);
  EXPECT_EQ(*Spec.High, 1000);

  EXPECT_EQ(parse("long[1]").Word, "int64");
  EXPECT_EQ(parse("float16[1]").Word, "half");
  EXPECT_TRUE(parse("bool[]").Sizes.empty());
  EXPECT_EQ(*parse("float[1]{-1.5:2e3}").Low, -1.5);
}

TEST(InputSpec, Scalars) {
  EXPECT_EQ(parse("-3").Integer, -3);
  EXPECT_EQ(parse("3").Type, InputSpec::Kind::Integer);
  EXPECT_EQ(parse("1.5").Real, 1.5);
  EXPECT_EQ(parse("1e3").Type, InputSpec::Kind::Real);
  EXPECT_EQ(parse("true").Type, InputSpec::Kind::Boolean);
  EXPECT_EQ(parse("None").Type, InputSpec::Kind::None);
  EXPECT_EQ(parse("'a b'").Word, "a b");
  EXPECT_EQ(parse("\"a'b\"").Word, "a'b");
  EXPECT_EQ(parse("@some file.pt").Word, "some file.pt");
}

TEST(InputSpec, Containers) {
  InputSpec Spec = parse("[float[2], [1, 2], ('x', None), {'k': 3}, []]");
  ASSERT_EQ(Spec.Items.size(), 5u);
  EXPECT_EQ(Spec.Items[1].Items[1].Integer, 2);
  EXPECT_EQ(Spec.Items[2].Type, InputSpec::Kind::Tuple);
  EXPECT_EQ(Spec.Items[3].Items[0].Word, "k");
  EXPECT_EQ(Spec.Items[3].Items[1].Integer, 3);
  EXPECT_TRUE(Spec.Items[4].Items.empty());
}

TEST(InputSpec, ErrorsNameThePosition) {
  EXPECT_EQ(errorOf("float[2"), "expected ']' at character 8, found the end");
  EXPECT_EQ(errorOf("float[-1]"),
            "expected a size of 0 or more at character 7, found '-1]'");
  EXPECT_EQ(errorOf("int64[2]{5:5}"),
            "expected a value above the lowest at character 12, found '5}'");
  EXPECT_EQ(errorOf("[1,2"), "expected ']' at character 5, found the end");
  EXPECT_EQ(errorOf("1 2"), "expected the end at character 3, found '2'");
  EXPECT_EQ(errorOf("int64[2]{a:5}"),
            "expected a finite number at character 10, found 'a:5}'");
  EXPECT_EQ(errorOf("?"), "expected an input such as float[1,3,224,224] at "
                          "character 1, found '?'");
  EXPECT_EQ(errorOf("@"), "expected a file after '@' at character 1, found "
                          "'@'");
}

TEST(InputSpec, RangesFitTheType) {
  EXPECT_EQ(*parse("uint8[2]{0:256}").High, 256);
  EXPECT_EQ(*parse("bool[2]{1:2}").Low, 1);
  EXPECT_EQ(*parse("int64[2]{-9223372036854775808:9e18}").Low, -0x1p63);
  EXPECT_EQ(*parse("half[2]{-65504:65504}").High, 65504);
  EXPECT_EQ(errorOf("uint8[2]{0:300}"),
            "expected a value that fits uint8 at character 12, found '300}'");
  EXPECT_EQ(errorOf("uint8[2]{-1:3}"),
            "expected a value that fits uint8 at character 10, found '-1:3}'");
  EXPECT_EQ(errorOf("int64[2]{-1e19:1e19}"),
            "expected a value that fits int64 at character 10, found "
            "'-1e19:1e19}'");
  EXPECT_EQ(errorOf("int64[2]{0:9223372036854775808}")
                .find("expected a value that fits int64 at character 12"),
            0u);
  EXPECT_EQ(errorOf("half[2]{0:1e6}"),
            "expected a value that fits half at character 11, found '1e6}'");
  EXPECT_EQ(errorOf("int8[2]{0.5:1}"),
            "expected a whole number at character 9, found '0.5:1}'");
}

TEST(InputSpec, RangesAreFinite) {
  EXPECT_EQ(errorOf("float[2]{nan:nan}"),
            "expected a finite number at character 10, found 'nan:nan}'");
  EXPECT_EQ(errorOf("float[2]{-inf:inf}"),
            "expected a finite number at character 10, found '-inf:inf}'");
  EXPECT_EQ(errorOf("double[2]{0:1e999}").find("expected a finite number"), 0u);
  EXPECT_EQ(errorOf("double[2]{-1e308:1e308}"),
            "expected a narrower range at character 18, found '1e308}'");
}

TEST(InputSpec, WhatWouldExhaustTheMachineIsAnError) {
  EXPECT_EQ(errorOf("float[1000000,1000000,1000000]"),
            "expected at most 10^12 elements at character 30, found ']'");
  EXPECT_NE(errorOf("float[99999999999999999999]"), "");
  EXPECT_EQ(errorOf(std::string(100000, '[')).find("expected fewer nested "),
            0u);
}

} // namespace
