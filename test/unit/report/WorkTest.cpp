//===- WorkTest.cpp - what operators compute and move -------------------===//

#include "WorkSupport.h"

#include "gtest/gtest.h"

#include <set>

using namespace torchprof::report;

TEST(Work, ElementByElement) {
  Work W = known("add", "float32[2,3] float32[3] * -> float32[2,3]");
  EXPECT_EQ(W.Flops, 0);
  EXPECT_EQ(W.OtherOps, 6);
  EXPECT_EQ(W.Bytes, 4 * (6 + 3 + 6));
  EXPECT_EQ(otherOps("mul", "float32[2,1] float32[3] -> float32[2,3]"), 6);
  EXPECT_EQ(otherOps("sigmoid", "float32[5] -> float32[5]"), 20);
  EXPECT_EQ(otherOps("__and__", "bool[5] bool[5] -> bool[5]"), 5);
  EXPECT_EQ(bytes("gt", "float32[5] * -> bool[5]"), 25);
}

TEST(Work, NumbersAndNothing) {
  EXPECT_EQ(otherOps("neg", "float32[] -> float32[]"), 1);
  EXPECT_EQ(otherOps("neg", "float32[0,3] -> float32[0,3]"), 0);
  EXPECT_EQ(bytes("neg", "float32[0,3] -> float32[0,3]"), 0);
  EXPECT_EQ(flops("mm", "float32[0,3] float32[3,0] -> float32[0,0]"), 0);
  EXPECT_EQ(flops("mm", "float32[2,0] float32[0,5] -> float32[2,5]"), 0);
  // Of integers, not of tensors.
  EXPECT_EQ(otherOps("add", "* * -> *"), 0);
}

TEST(Work, InPlaceFormsShareTheirRow) {
  EXPECT_EQ(otherOps("relu_", "float32[5] -> float32[5]"), 5);
  EXPECT_EQ(bytes("relu_", "float32[5] -> float32[5]"), 40);
  EXPECT_EQ(bytes("squeeze_", "float32[5,1] * -> float32[5]"), 0);
  EXPECT_FALSE(isKnown("relu__", "float32[5] -> float32[5]"));
  EXPECT_FALSE(isKnown("__and", "bool[5] bool[5] -> bool[5]"));
  EXPECT_FALSE(isKnown("_", "bool[5] bool[5] -> bool[5]"));
}

TEST(Work, Normalizations) {
  const char *Batch = "float32[2,3,4] float32[3] float32[3] float32[3] "
                      "float32[3] * * * * -> float32[2,3,4]";
  EXPECT_EQ(otherOps("batch_norm", Batch), 48);
  EXPECT_EQ(bytes("batch_norm", Batch), 4 * (24 + 12 + 24));
  EXPECT_EQ(otherOps("batch_norm", "float32[2,3,4] - - float32[3] float32[3] "
                                   "* * * * -> float32[2,3,4]"),
            48);
  EXPECT_EQ(otherOps("layer_norm", "float32[2,3] * float32[3] float32[3] * * "
                                   "-> float32[2,3]"),
            48);
  EXPECT_EQ(otherOps("layer_norm", "float32[2,3] * - - * * -> float32[2,3]"),
            36);
  EXPECT_EQ(otherOps("native_layer_norm",
                     "float32[2,3] * float32[3] float32[3] * "
                     "-> float32[2,3] float32[2,1] float32[2,1]"),
            48);
  EXPECT_EQ(otherOps("group_norm", "float32[2,4,3] * float32[4] - * * "
                                   "-> float32[2,4,3]"),
            7 * 24);
  EXPECT_EQ(otherOps("instance_norm", "float32[2,4,3] - - - - * * * * "
                                      "-> float32[2,4,3]"),
            6 * 24);
}

TEST(Work, Reductions) {
  EXPECT_EQ(otherOps("sum", "float32[2,3] * * * -> float32[2]"), 6);
  EXPECT_EQ(bytes("sum", "float32[2,3] * * * -> float32[2]"), 32);
  EXPECT_EQ(otherOps("mean", "float32[2,3] * -> float32[]"), 6);
  EXPECT_EQ(otherOps("var", "float32[2,3] * * * -> float32[2]"), 24);
  EXPECT_EQ(otherOps("softmax", "float32[2,3] * * -> float32[2,3]"), 30);
  EXPECT_EQ(otherOps("cumsum", "float32[2,3] * * -> float32[2,3]"), 6);
}

TEST(Work, MaxOfOneTensorOrOfTwo) {
  EXPECT_EQ(otherOps("max", "float32[2,3] -> float32[]"), 6);
  EXPECT_EQ(otherOps("max", "float32[2,3] * * -> float32[2] int64[2]"), 6);
  EXPECT_EQ(otherOps("max", "float32[2,1] float32[3] -> float32[2,3]"), 6);
}

TEST(Work, WhereOfTwoTensorsOrOfACondition) {
  EXPECT_EQ(otherOps("where", "bool[2,1] float32[3] * -> float32[2,3]"), 6);
  EXPECT_EQ(otherOps("where", "bool[6] -> (int64[2])"), 6);
  EXPECT_EQ(bytes("where", "bool[6] -> (int64[2])"), 6 + 16);
}

TEST(Work, Pooling) {
  EXPECT_EQ(otherOps("max_pool2d", "float32[1,2,4,4] * * * * * "
                                   "-> float32[1,2,2,2]"),
            32);
  EXPECT_EQ(
      otherOps("adaptive_avg_pool2d", "float32[1,2,4,4] * -> float32[1,2,1,1]"),
      32);
  EXPECT_EQ(otherOps("upsample_bilinear2d", "float32[1,2,2,2] * * * "
                                            "-> float32[1,2,4,4]"),
            7 * 32);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

TEST(Work, TablesAreReadWhereTheyAreNeeded) {
  Work W = known("embedding", "float32[30000,8] int64[2,3] * * * "
                              "-> float32[2,3,8]");
  EXPECT_EQ(W.Flops + W.OtherOps, 0);
  EXPECT_EQ(W.Bytes, 8 * 6 + 2 * 4 * 48);
  EXPECT_EQ(bytes("index_select", "float32[100,8] * int64[3] -> float32[3,8]"),
            8 * 3 + 2 * 4 * 24);
  EXPECT_EQ(bytes("index", "float32[100,8] (- int64[3]) -> float32[100,3]"),
            8 * 3 + 2 * 4 * 300);
}

TEST(Work, EmbeddingBagSumsUpRows) {
  Work W =
      known("embedding_bag", "float32[100,8] int64[6] int64[2] * * * - * * "
                             "-> float32[2,8] int64[6] int64[2] int64[2]");
  EXPECT_EQ(W.OtherOps, 48);
  EXPECT_EQ(W.Bytes, 4 * 48 + 8 * (6 + 2) + 4 * 16 + 8 * (6 + 2 + 2));
}

TEST(Work, WritesIntoATensor) {
  // A cache of 1000 rows of which one changes.
  EXPECT_EQ(bytes("index_put_", "float32[1000,8] (int64[1]) float32[1,8] * "
                                "-> float32[1000,8]"),
            8 + 4 * 8 + 4 * 8);
  EXPECT_EQ(bytes("index_put", "float32[1000,8] (int64[1]) float32[1,8] * "
                               "-> float32[1000,8]"),
            2 * 4 * 8000 + 8 + 4 * 8 + 4 * 8);
  EXPECT_EQ(bytes("scatter_", "float32[10,8] * int64[3] * -> float32[10,8]"),
            8 * 3 + 4 * 3);
  EXPECT_EQ(otherOps("scatter_add_", "float32[10] * int64[3] float32[3] "
                                     "-> float32[10]"),
            3);
  EXPECT_EQ(bytes("copy_", "float32[8] float16[8] * -> float32[8]"), 16 + 32);
  EXPECT_EQ(bytes("zero_", "float32[8] -> float32[8]"), 32);
}

TEST(Work, Copies) {
  Work W = known("cat", "(float32[2,3] float32[1,3]) * -> float32[3,3]");
  EXPECT_EQ(W.Flops + W.OtherOps, 0);
  EXPECT_EQ(W.Bytes, 4 * 18);
  EXPECT_EQ(bytes("repeat", "float32[2] * -> float32[6]"), 32);
  EXPECT_EQ(bytes("copy", "float32[8] float32[8] * -> float32[8]"), 64);
  // Of lists nothing is said.
  EXPECT_FALSE(isKnown("copy", "(float32[8]) -> (float32[8])"));
  EXPECT_FALSE(isKnown("mul", "(float32[8]) * -> (float32[8] float32[8])"));
}

TEST(Work, ConversionsThatChangeNothing) {
  EXPECT_EQ(bytes("to", "float32[8] * * * * -> float32[8]"), 0);
  EXPECT_EQ(bytes("to", "float32[8] * * * * -> float16[8]"), 48);
  EXPECT_EQ(bytes("to", "float32[8] * * * * -> float32[8]@cuda:0"), 64);
  EXPECT_EQ(bytes("as_tensor", "* * * -> float32[3]"), 12);
  EXPECT_EQ(bytes("type_as", "float32[8] float16[9] -> float16[8]"), 48);
}

TEST(Work, NewTensors) {
  EXPECT_EQ(bytes("zeros", "* * * * * -> float32[8]"), 32);
  EXPECT_EQ(bytes("ones_like", "float32[8] * * * * * -> float32[8]"), 32);
  EXPECT_EQ(bytes("empty", "* * * * * * -> float32[8]"), 0);
}

TEST(Work, ViewsMoveNothing) {
  for (const char *Name : {"view", "reshape", "permute", "transpose", "t",
                           "slice", "expand", "flatten", "detach", "dropout"}) {
    Work W = known(Name, "float32[2,3] * * -> float32[3,2]");
    EXPECT_EQ(W.Flops + W.OtherOps + W.Bytes, 0) << Name;
  }
  EXPECT_EQ(bytes("chunk", "float32[2] * * -> (float32[1] float32[1])"), 0);
  EXPECT_EQ(bytes("append", "* float32[2] -> (float32[2])"), 0);
  // Whatever the tensor is, and however little is known of it.
  EXPECT_EQ(bytes("view", "float32[?]:nested * -> float32[?]:nested"), 0);
  EXPECT_EQ(bytes("view", "float3"), 0);
}

//===----------------------------------------------------------------------===//
// What is not known
//===----------------------------------------------------------------------===//

TEST(Work, OperatorsWithoutFormula) {
  for (const char *Name : {"einsum", "sort", "quantized_sort", "", "relu2"})
    EXPECT_FALSE(isKnown(Name, "float32[2,2] float32[2,2] -> float32[2,2]"))
        << Name;
  EXPECT_FALSE(workOf("prim::If", parseSignature("* -> float32[2]")));
  EXPECT_FALSE(workOf("relu", parseSignature("float32[2] -> float32[2]")));
}

TEST(Work, OperandsOfUnknownSize) {
  EXPECT_FALSE(isKnown("relu", "float32[?]:nested -> float32[?]:nested"));
  EXPECT_FALSE(isKnown("mm", "float32[2,3]:sparse_csr float32[3,5] "
                             "-> float32[2,5]"));
  EXPECT_FALSE(isKnown("relu", "quint4x2[8] -> quint4x2[8]"));
  EXPECT_TRUE(isKnown("relu", "float32[8]:mkldnn -> float32[8]:mkldnn"));
}

TEST(Work, SignaturesThatWereCut) {
  llvm::StringRef Text = "float32[2,3] float32[5,3] - -> float32[2,5]";
  ASSERT_TRUE(isKnown("linear", Text));
  for (size_t Length = 0; Length < Text.size(); ++Length)
    EXPECT_FALSE(isKnown("linear", Text.take_front(Length))) << Length;
}

TEST(Work, SignaturesThatLackOperands) {
  EXPECT_FALSE(isKnown("mm", "float32[2,3] -> float32[2,5]"));
  EXPECT_FALSE(isKnown("mm", "float32[2,3] - -> float32[2,5]"));
  EXPECT_FALSE(isKnown("mm", "float32[] float32[] -> float32[]"));
  EXPECT_FALSE(isKnown("conv2d", "float32[2,3] - -> float32[2,5]"));
  EXPECT_FALSE(isKnown("relu", "float32[2,3] -> "));
  EXPECT_FALSE(isKnown("relu", "float32[2,3] -> (float32[2])"));
}

TEST(Work, SizesThatNoTensorHas) {
  EXPECT_FALSE(isKnown("relu", "float32[-2] -> float32[-2]"));
  std::string Huge = "float32[9223372036854775807";
  for (unsigned I = 0; I < 30; ++I)
    Huge += ",9223372036854775807";
  EXPECT_FALSE(isKnown("relu", Huge + "] -> " + Huge + "]"));
  EXPECT_FALSE(isKnown("mm", Huge + ",0] " + Huge + "] -> float32[1]"));
}

struct Row {
  const char *Kind, *Why;
};

const Row Rows[] = {
#define OPERATOR(KIND, FLOPS, OTHER_OPS, BYTES, WHY) {KIND, WHY},
#include "../../../tools/torchprof-report/Report/Operators.def"
};

TEST(Work, EachOperatorHasOneRowAndAReason) {
  std::set<std::string> Kinds;
  for (const Row &R : Rows) {
    llvm::StringRef Kind = R.Kind;
    EXPECT_TRUE(Kinds.insert(R.Kind).second) << R.Kind;
    EXPECT_TRUE(Kind.contains("::")) << R.Kind;
    EXPECT_TRUE(!Kind.endswith("_") || Kind.endswith("__")) << R.Kind;
    EXPECT_NE(llvm::StringRef(R.Why), "") << R.Kind;
  }
}

TEST(Work, NoSignatureBreaksARule) {
  const char *Texts[] = {
      "",
      " -> ",
      " -> float32[2]",
      "float32[2] -> ",
      "* -> *",
      "- - - - -> -",
      "- -> float32[2]",
      "* float32[2] -> float32[2]",
      "float32[] -> float32[]",
      "float32[] float32[] float32[] float32[] float32[] -> float32[]",
      "float32[0] float32[0] float32[0] float32[0] -> float32[0]",
      "float32[1] float32[1] float32[1] float32[1] (float32[]) -> float32[1]",
      "float32[2,3] float32[4] (float32[5] -) -> (float32[6])",
      "(-) (float32[0,0]) -> (float32[6] *)",
      "float32[?]:nested float32[?]:nested -> float32[?]:nested",
      "float32[9223372036854775807] float32[9223372036854775807] -> float32[]",
  };
  for (const Row &R : Rows)
    for (const char *Text : Texts)
      for (const char *Suffix : {"", "_"})
        if (llvm::Optional<Work> W =
                workOf(std::string(R.Kind) + Suffix, parseSignature(Text))) {
          EXPECT_GE(W->Flops, 0) << R.Kind << ": " << Text;
          EXPECT_GE(W->OtherOps, 0) << R.Kind << ": " << Text;
          EXPECT_GE(W->Bytes, 0) << R.Kind << ": " << Text;
        }
}
