//===- SignatureTest.cpp - dtypes and sizes of a node's operands ----------===//

#include "../../../tools/torchprof-report/Report/Signature.h"

#include "gtest/gtest.h"

using namespace torchprof::report;

namespace {

/// The text of operands, as the runtime writes it.
std::string write(const std::vector<Operand> &Operands) {
  std::string Text;
  for (const Operand &O : Operands) {
    if (!Text.empty())
      Text += ' ';
    if (O.Kind == OperandKind::None)
      Text += '-';
    else if (O.Kind == OperandKind::Other)
      Text += '*';
    else if (O.Kind == OperandKind::String)
      Text += '"' + O.Text + '"';
    else if (O.Kind == OperandKind::List)
      Text += '(' + write(O.Elements) + ')';
    else
      Text += O.Dtype + shapesText(O);
  }
  return Text;
}

bool isWhole(llvm::StringRef Text) { return parseSignature(Text).IsWhole; }

TEST(Signature, WhatIsReadIsWrittenTheSame) {
  for (const char *Text : {
           "float32[2,3] float32[4,3] - -> float32[2,4]",
           "float32[2,3] - * * -> float32[]",
           "(float32[1] - float32[2,0]) * -> int64[7]",
           "(-) -> bool[1]",
           "float32[?]:nested -> float32[?]:nested",
           "float16[8,8]:sparse_csr@cuda:0 bfloat16[8]@cuda:1 -> "
           "float16[8]@meta",
           "float8_e4m3fn[2] quint8[3] -> complex64[4]",
           "* -> *",
           "\"ij,jk -> ik\" (float32[2,3] float32[3,4]) - -> float32[2,4]",
           "float32[2] \"\" -> \"(-) [2]\"",
           "- -> -",
       }) {
    Signature S = parseSignature(Text);
    EXPECT_TRUE(S.IsWhole) << Text;
    EXPECT_EQ(write(S.Inputs) + " -> " + write(S.Outputs), Text);
  }
}

TEST(Signature, PartsOfATensor) {
  Signature S = parseSignature("float32[2,3]:sparse_csr@cuda:0 -> int64[]");
  ASSERT_EQ(S.Inputs.size(), 1u);
  const Operand &In = S.Inputs[0];
  EXPECT_TRUE(In.isTensor());
  EXPECT_EQ(In.Dtype, "float32");
  EXPECT_EQ(In.Sizes, (llvm::SmallVector<int64_t, 4>{2, 3}));
  EXPECT_EQ(In.Layout, "sparse_csr");
  EXPECT_EQ(In.Device, "cuda:0");
  ASSERT_EQ(S.Outputs.size(), 1u);
  EXPECT_TRUE(S.Outputs[0].HasSizes);
  EXPECT_TRUE(S.Outputs[0].Sizes.empty());
  EXPECT_EQ(S.Outputs[0].Layout, "");
  EXPECT_EQ(S.Outputs[0].Device, "");
}

TEST(Signature, PartsOfAList) {
  Signature S = parseSignature("(float32[2] - int64[]) * -> float32[3]");
  ASSERT_EQ(S.Inputs.size(), 2u);
  EXPECT_EQ(S.Inputs[0].Kind, OperandKind::List);
  ASSERT_EQ(S.Inputs[0].Elements.size(), 3u);
  EXPECT_TRUE(S.Inputs[0].Elements[0].isTensor());
  EXPECT_EQ(S.Inputs[0].Elements[1].Kind, OperandKind::None);
  EXPECT_EQ(S.Inputs[0].Elements[2].Dtype, "int64");
  EXPECT_EQ(S.Inputs[1].Kind, OperandKind::Other);
}

TEST(Signature, Strings) {
  Signature S = parseSignature("\"a -> b\" float32[2] -> float32[3]");
  ASSERT_EQ(S.Inputs.size(), 2u);
  EXPECT_EQ(S.Inputs[0].Kind, OperandKind::String);
  EXPECT_EQ(S.Inputs[0].Text, "a -> b");
  EXPECT_EQ(S.Outputs.size(), 1u);
  EXPECT_EQ(shapesText(S.Inputs), "[2]"); // they are no shapes
  EXPECT_EQ(torchShapesText(S.Inputs), "[[], [2]]");
  EXPECT_FALSE(S.Inputs[0].bytes());
  EXPECT_FALSE(isWhole("\"a -> b"));
  EXPECT_FALSE(isWhole("\"a\"b -> -"));
}

TEST(Signature, SidesMayBeEmpty) {
  EXPECT_TRUE(parseSignature(" -> float32[1]").Inputs.empty());
  EXPECT_TRUE(isWhole(" -> float32[1]"));
  EXPECT_TRUE(isWhole("float32[1] -> "));
  EXPECT_TRUE(isWhole(" -> "));
}

TEST(Signature, ElementsAndBytes) {
  auto First = [](llvm::StringRef Text) {
    return parseSignature(Text).Inputs.at(0);
  };
  EXPECT_EQ(First("float32[2,3]").elements(), 6);
  EXPECT_EQ(First("float32[]").elements(), 1);
  EXPECT_EQ(First("float32[0,3]").elements(), 0);
  EXPECT_EQ(*First("float32[2,3]").bytes(), 24);
  EXPECT_EQ(*First("bfloat16[3]").bytes(), 6);
  EXPECT_EQ(*First("complex128[3]").bytes(), 48);
  EXPECT_EQ(*First("bool[3]").bytes(), 3);
  EXPECT_EQ(*First("quint8[3]").bytes(), 3);
  EXPECT_EQ(*First("float8_e5m2[3]").bytes(), 3);
  EXPECT_EQ(*First("float8_e4m3fn[3]").bytes(), 3);
}

TEST(Signature, BytesThatAreNotKnown) {
  for (const char *Text :
       {"float32[?]:nested", "quint4x2[8]", "what[2]", "int4[2]",
        "int99999999999999999999[2]", "-", "*", "(float32[2])"})
    EXPECT_FALSE(parseSignature(Text).Inputs.at(0).bytes()) << Text;
}

TEST(Signature, WhatIsCutIsNotWhole) {
  llvm::StringRef Text =
      "float32[12,3]:sparse@cuda:0 (float32[4] -) * -> float32[2,4]";
  ASSERT_TRUE(isWhole(Text));
  for (size_t Length = 0; Length < Text.find("->"); ++Length)
    EXPECT_FALSE(isWhole(Text.take_front(Length))) << Length;
  EXPECT_FALSE(isWhole(Text.drop_back()));
  EXPECT_FALSE(isWhole(Text.drop_back(2)));
}

TEST(Signature, WhatStandsBeforeTheCutIsRead) {
  Signature S = parseSignature("float32[2] int64[3,4] (float32[1] floa");
  EXPECT_FALSE(S.IsWhole);
  EXPECT_EQ(write(S.Inputs), "float32[2] int64[3,4]");
  EXPECT_TRUE(S.Outputs.empty());
}

TEST(Signature, TextsThatNobodyWrote) {
  for (std::string Text : {"",
                           " ",
                           "[",
                           "]",
                           "(",
                           ")",
                           "()",
                           "[2]",
                           "float32",
                           "float32[",
                           "float32[2",
                           "float32[,]",
                           "float32[2,]",
                           "float32[x]",
                           "float32[2]]",
                           "float32[99999999999999999999]",
                           "float32[2]float32[2]",
                           "float32 [2]",
                           "--",
                           "**",
                           "-> ->",
                           " ->  -> ",
                           "float32[?",
                           "float32[?,2]",
                           "(float32[2]",
                           "float32[2])",
                           "@",
                           ":",
                           "float32@cuda[2]",
                           "\xff[2]"})
    EXPECT_FALSE(isWhole(Text)) << Text;
}

TEST(Signature, DeepListsDoNotExhaustTheStack) {
  std::string Deep(1 << 20, '(');
  EXPECT_FALSE(isWhole(Deep));
  EXPECT_FALSE(isWhole(Deep + "float32[1]" + std::string(1 << 20, ')')));
  EXPECT_TRUE(isWhole("((float32[1]) (float32[2])) -> float32[1]"));
}

TEST(Signature, AnyBytesAreReadOrRefused) {
  const llvm::StringRef Letters = "float32[],()?:@-* >0189x\"";
  uint64_t Random = 1;
  for (unsigned Case = 0; Case < 20000; ++Case) {
    std::string Text;
    for (unsigned I = 0; I < Case % 40; ++I) {
      Random = Random * 6364136223846793005u + 1442695040888963407u;
      Text += Letters[(Random >> 33) % Letters.size()];
    }
    Signature S = parseSignature(Text);
    shapesText(S.Inputs);
    torchShapesText(S.Outputs);
    dtypesText(S.Inputs);
  }
}

TEST(Signature, Shapes) {
  Signature S = parseSignature(
      "float32[2,3] - * (float32[1] int64[?]:nested) -> float32[]");
  EXPECT_EQ(shapesText(S.Inputs), "[2,3] ([1] [?]:nested)");
  EXPECT_EQ(shapesText(S.Outputs), "[]");
  EXPECT_EQ(torchShapesText(S.Inputs), "[[2, 3], [], [], [[1], [?]]]");
  EXPECT_EQ(torchShapesText({}), "[]");
  EXPECT_EQ(dtypesText(S.Inputs), "float32 int64");
}

TEST(Signature, InputsAsTorchShowsThem) {
  EXPECT_EQ(torchInputsText("float32[2,3] * -> float32[3]"), "[[2, 3], []]");
  EXPECT_EQ(torchInputsText(" -> float32[3]"), "[]");
  EXPECT_EQ(torchInputsText(""), "");
  EXPECT_EQ(torchInputsText("3 signatures"), "3 signatures");
}

} // namespace
