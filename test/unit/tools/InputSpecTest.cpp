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
  EXPECT_EQ(errorOf("float[2"), "expected ']' at character 8");
  EXPECT_EQ(errorOf("float[x]"), "expected a size at character 7");
  EXPECT_EQ(errorOf("[1,2"), "expected ']' at character 5");
  EXPECT_EQ(errorOf("1 2"), "expected the end at character 3");
  EXPECT_EQ(errorOf("int64[2]{a:5}"), "expected a number at character 10");
  EXPECT_EQ(errorOf("'a"), "the text at character 1 has no closing quote");
  EXPECT_EQ(errorOf("?"), "expected an input such as float[1,3,224,224] at "
                          "character 1");
}

TEST(InputSpec, ErrorsNameTheWrongPart) {
  EXPECT_EQ(errorOf("flot[2]").find("unknown word 'flot'; known are float, "),
            0u);
  EXPECT_EQ(errorOf("float[-1]"), "the size -1 is negative");
  EXPECT_EQ(errorOf("int64[2]{5:5}"), "no value is from 5 to below 5");
  EXPECT_EQ(errorOf("@"), "no file after '@'");
  for (const char *Text :
       {"[@a.pt]", "[float[2], @a.pt]", "(@a.pt,)", "{'x': @a.pt}"})
    EXPECT_EQ(errorOf(Text), "a file stands alone, not in a list, a tuple or a "
                             "dict; it may hold one");
}

TEST(InputSpec, RangesFitTheType) {
  EXPECT_EQ(*parse("uint8[2]{0:256}").High, 256);
  EXPECT_EQ(*parse("bool[2]{1:2}").Low, 1);
  EXPECT_EQ(*parse("int64[2]{-9223372036854775808:9e18}").Low, -0x1p63);
  EXPECT_EQ(*parse("half[2]{-65504:65504}").High, 65504);
  EXPECT_EQ(errorOf("uint8[2]{0:300}"), "300 does not fit uint8");
  EXPECT_EQ(errorOf("uint8[2]{-1:3}"), "-1 does not fit uint8");
  EXPECT_EQ(errorOf("int64[2]{-1e19:1e19}"), "-1e19 does not fit int64");
  EXPECT_EQ(errorOf("int64[2]{0:9223372036854775808}"),
            "9223372036854775808 does not fit int64");
  EXPECT_EQ(errorOf("half[2]{0:1e6}"), "1e6 does not fit half");
  EXPECT_EQ(errorOf("int8[2]{0.5:1}"), "0.5 is not a whole number");
}

TEST(InputSpec, RangesAreFinite) {
  EXPECT_EQ(errorOf("float[2]{nan:nan}"), "nan is not a finite number");
  EXPECT_EQ(errorOf("float[2]{-inf:inf}"), "-inf is not a finite number");
  EXPECT_EQ(errorOf("double[2]{0:1e999}"), "1e999 is out of range");
  EXPECT_EQ(errorOf("double[2]{-1e308:1e308}"),
            "the range from -1e308 to 1e308 is too wide");
}

TEST(InputSpec, WhatWouldExhaustTheMachineIsAnError) {
  EXPECT_EQ(errorOf("float[1000000,1000000,1000000]"),
            "the tensor has more than 10^12 elements");
  EXPECT_EQ(errorOf("float[99999999999999999999]"),
            "99999999999999999999 is out of range");
  EXPECT_EQ(errorOf("99999999999999999999"),
            "99999999999999999999 is out of range");
  EXPECT_EQ(errorOf(std::string(100000, '[')), "lists nest more than 64 deep");
}

} // namespace
