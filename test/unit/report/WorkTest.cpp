//===- WorkTest.cpp - what operators compute and move ---------------------===//

#include "../../../tools/torchprof-report/Report/Work.h"

#include "gtest/gtest.h"

#include <set>

using namespace torchprof::report;

namespace {

/// The work of a call of aten::\p Name.
llvm::Optional<Work> workOfText(const std::string &Name,
                                llvm::StringRef Signature) {
  return workOf("aten::" + Name, parseSignature(Signature));
}

bool isKnown(const std::string &Name, llvm::StringRef Signature) {
  return workOfText(Name, Signature).hasValue();
}

Work known(const std::string &Name, llvm::StringRef Signature) {
  llvm::Optional<Work> W = workOfText(Name, Signature);
  EXPECT_TRUE(W) << Name << ": " << Signature.str();
  return W.getValueOr(Work{-1, -1, -1});
}

double flops(const std::string &Name, llvm::StringRef Signature) {
  return known(Name, Signature).Flops;
}

double otherOps(const std::string &Name, llvm::StringRef Signature) {
  return known(Name, Signature).OtherOps;
}

double bytes(const std::string &Name, llvm::StringRef Signature) {
  return known(Name, Signature).Bytes;
}

//===----------------------------------------------------------------------===//
// Products and convolutions
//===----------------------------------------------------------------------===//

TEST(Work, MatrixProducts) {
  EXPECT_EQ(flops("mm", "float32[2,3] float32[3,5] -> float32[2,5]"), 60);
  EXPECT_EQ(flops("bmm", "float32[7,2,3] float32[7,3,5] -> float32[7,2,5]"),
            420);
  EXPECT_EQ(flops("addmm",
                  "float32[5] float32[2,3] float32[3,5] * * -> float32[2,5]"),
            60);
  EXPECT_EQ(flops("baddbmm", "float32[7,2,5] float32[7,2,3] float32[7,3,5] * * "
                             "-> float32[7,2,5]"),
            420);
  EXPECT_EQ(flops("addbmm", "float32[2,5] float32[7,2,3] float32[7,3,5] * * "
                            "-> float32[2,5]"),
            420);
}

TEST(Work, MatmulOfAnyDimensions) {
  EXPECT_EQ(flops("matmul", "float32[3] float32[3] -> float32[]"), 6);
  EXPECT_EQ(flops("matmul", "float32[2,3] float32[3] -> float32[2]"), 12);
  EXPECT_EQ(flops("matmul", "float32[3] float32[3,5] -> float32[5]"), 30);
  EXPECT_EQ(
      flops("matmul", "float32[4,1,2,3] float32[7,3,5] -> float32[4,7,2,5]"),
      2 * 4 * 7 * 2 * 5 * 3);
}

TEST(Work, VectorProducts) {
  EXPECT_EQ(flops("mv", "float32[2,3] float32[3] -> float32[2]"), 12);
  EXPECT_EQ(flops("addmv", "float32[2] float32[2,3] float32[3] * * "
                           "-> float32[2]"),
            12);
  EXPECT_EQ(flops("dot", "float32[3] float32[3] -> float32[]"), 6);
  EXPECT_EQ(flops("vdot", "float32[3] float32[3] -> float32[]"), 6);
  EXPECT_EQ(flops("inner", "float32[2,3] float32[4,3] -> float32[2,4]"), 48);
  for (const char *Name : {"outer", "ger"})
    EXPECT_EQ(flops(Name, "float32[2] float32[3] -> float32[2,3]"), 6);
}

TEST(Work, TensordotWithoutItsDimensions) {
  // [2,3,4] and [4,3,5] over 3 and 4.
  EXPECT_EQ(
      flops("tensordot", "float32[2,3,4] float32[4,3,5] * * -> float32[2,5]"),
      2 * 2 * 5 * 12);
}

TEST(Work, Linear) {
  EXPECT_EQ(flops("linear", "float32[7,2,3] float32[5,3] float32[5] "
                            "-> float32[7,2,5]"),
            2 * 14 * 3 * 5);
  EXPECT_EQ(flops("linear", "float32[3] float32[5,3] - -> float32[5]"), 30);
  EXPECT_EQ(flops("linear", "float32[2,3] float32[3] - -> float32[2]"), 12);
  EXPECT_EQ(bytes("linear", "float32[2,3] float32[5,3] - -> float32[2,5]"),
            4 * (6 + 15 + 10));
}

TEST(Work, Bilinear) {
  // 14 rows: bmm of [14, 3] and [3, 5 x 4], then of [14 x 5, 4] and [14, 4].
  EXPECT_EQ(flops("bilinear", "float32[7,2,3] float32[7,2,4] float32[5,3,4] "
                              "float32[5] -> float32[7,2,5]"),
            2 * 14 * 5 * 4 * 3 + 2 * 14 * 5 * 4);
  EXPECT_EQ(flops("bilinear", "float32[3] float32[4] float32[1,3,4] - "
                              "-> float32[1]"),
            2 * 4 * 3 + 2 * 4);
}

TEST(Work, Convolutions) {
  EXPECT_EQ(flops("conv2d", "float32[1,3,224,224] float32[64,3,7,7] - * * * * "
                            "-> float32[1,64,112,112]"),
            2. * 64 * 112 * 112 * 3 * 7 * 7);
  EXPECT_EQ(flops("conv1d", "float32[2,4,9] float32[6,2,3] float32[6] * * * * "
                            "-> float32[2,6,7]"),
            2 * 2 * 6 * 7 * 2 * 3);
  EXPECT_EQ(flops("conv3d", "float32[1,1,4,4,4] float32[2,1,2,2,2] - * * * * "
                            "-> float32[1,2,3,3,3]"),
            2 * 2 * 27 * 8);
  EXPECT_EQ(flops("conv2d", "float32[3,8,8] float32[4,3,1,1] - * * * * "
                            "-> float32[4,8,8]"),
            2 * 4 * 64 * 3);
  EXPECT_EQ(flops("conv_tbc", "float32[9,2,4] float32[3,4,6] float32[6] * "
                              "-> float32[7,2,6]"),
            2 * 7 * 2 * 6 * 3 * 4);
}

TEST(Work, TransposedConvolutions) {
  EXPECT_EQ(flops("conv_transpose2d",
                  "float32[2,4,5,5] float32[4,3,2,2] - * * * * * "
                  "-> float32[2,3,10,10]"),
            2 * 2 * 4 * 25 * 3 * 4);
}

TEST(Work, ConvolutionThatMayBeTransposed) {
  // Only one fits the channels.
  EXPECT_EQ(flops("_convolution",
                  "float32[1,3,8,8] float32[4,3,3,3] - * * * * * * * * * * "
                  "-> float32[1,4,6,6]"),
            2 * 4 * 36 * 27);
  EXPECT_EQ(flops("convolution",
                  "float32[1,4,6,6] float32[4,3,3,3] - * * * * * * "
                  "-> float32[1,3,8,8]"),
            2 * 4 * 36 * 27);
  // Both do, grouped or not: only a transposed one makes images larger.
  EXPECT_EQ(flops("_convolution",
                  "float32[1,4,6,6] float32[4,1,3,3] - * * * * * * * * * * "
                  "-> float32[1,4,4,4]"),
            2 * 4 * 16 * 9);
  EXPECT_EQ(flops("_convolution",
                  "float32[1,4,6,6] float32[4,1,3,3] - * * * * * * * * * * "
                  "-> float32[1,4,8,8]"),
            2 * 4 * 36 * 9);
  EXPECT_EQ(flops("_convolution",
                  "float32[4,6] float32[4,4,3] - * * * * * * * * * * "
                  "-> float32[4,6]"),
            2 * 24 * 12);
  // None does.
  EXPECT_FALSE(isKnown("_convolution", "float32[1,3,8,8] float32[5,3,3,3] - -> "
                                       "float32[1,4,6,6]"));
}

TEST(Work, RecurrentNetworks) {
  const std::string Weights =
      "(float32[20,3] float32[20,5] float32[20] float32[20]) * * * * * * ";
  const double PerStep = 2 * (20 * 3 + 20 * 5);
  // [time, batch, features], without batch, and packed.
  EXPECT_EQ(flops("lstm", "float32[7,2,3] (float32[1,2,5] float32[1,2,5]) " +
                              Weights +
                              "-> float32[7,2,5] float32[1,2,5] "
                              "float32[1,2,5]"),
            7 * 2 * PerStep);
  EXPECT_EQ(flops("rnn_tanh", "float32[7,3] float32[1,5] " + Weights +
                                  "-> float32[7,5] float32[1,5]"),
            7 * PerStep);
  EXPECT_EQ(flops("gru", "float32[11,3] int64[7] float32[1,2,5] " + Weights +
                             "-> float32[11,5] float32[1,2,5]"),
            11 * PerStep);
}

TEST(Work, RecurrentNetworkWithoutBiases) {
  EXPECT_EQ(flops("rnn_relu", "float32[7,2,3] float32[1,2,5] "
                              "(float32[5,3] float32[5,5]) * * * * * * "
                              "-> float32[7,2,5] float32[1,2,5]"),
            2 * 14 * (15 + 25));
  EXPECT_FALSE(isKnown("rnn_relu", "float32[7,2,3] float32[1,2,5] * "
                                   "-> float32[7,2,5] float32[1,2,5]"));
}

TEST(Work, RecurrentCells) {
  EXPECT_EQ(flops("lstm_cell", "float32[2,3] (float32[2,5] float32[2,5]) "
                               "float32[20,3] float32[20,5] - - "
                               "-> float32[2,5] float32[2,5]"),
            2 * 2 * (60 + 100));
  EXPECT_EQ(flops("gru_cell", "float32[2,3] float32[2,5] float32[15,3] "
                              "float32[15,5] float32[15] float32[15] "
                              "-> float32[2,5]"),
            2 * 2 * (45 + 75));
}

TEST(Work, Attention) {
  EXPECT_EQ(flops("scaled_dot_product_attention",
                  "float32[2,8,10,16] float32[2,8,12,16] float32[2,8,12,24] - "
                  "* * * * -> float32[2,8,10,24]"),
            2 * (2 * 8 * 10) * 12 * (16 + 24));
  // One head of keys for four of queries.
  EXPECT_EQ(flops("scaled_dot_product_attention",
                  "float32[2,8,10,16] float32[2,2,12,16] float32[2,2,12,16] - "
                  "* * * * -> float32[2,8,10,16]"),
            2 * (2 * 8 * 10) * 12 * (16 + 16));
  EXPECT_EQ(flops("_scaled_dot_product_flash_attention_for_cpu",
                  "float32[2,8,10,16] float32[2,8,10,16] float32[2,8,10,16] * "
                  "* - * -> float32[2,8,10,16] float32[2,10,8]"),
            2 * (2 * 8 * 10) * 10 * 32);
}

TEST(Work, FusedAttentionIsItsParts) {
  const double Rows = 2 * 10, Width = 16;
  const double Linear = 2 * Rows * Width * Width;
  const double Scores = 2 * Rows * 10 * Width;
  EXPECT_EQ(flops("_native_multi_head_attention",
                  "float32[2,10,16] float32[2,10,16] float32[2,10,16] * * "
                  "float32[48,16] float32[48] float32[16,16] float32[16] - * "
                  "* * -> float32[2,10,16] -"),
            4 * Linear + 2 * Scores);
  EXPECT_EQ(flops("_transformer_encoder_layer_fwd",
                  "float32[2,10,16] * * float32[48,16] float32[48] "
                  "float32[16,16] float32[16] * * * float32[16] float32[16] "
                  "float32[16] float32[16] float32[64,16] float32[64] "
                  "float32[16,64] float32[16] - * -> float32[2,10,16]"),
            (4 + 2 * 4) * Linear + 2 * Scores);
}

TEST(Work, ProductsMoveTheirOperands) {
  Work W = known("mm", "float16[2,3] float16[3,5] -> float16[2,5]");
  EXPECT_EQ(W.OtherOps, 0);
  EXPECT_EQ(W.Bytes, 2 * (6 + 15 + 10));
}

//===----------------------------------------------------------------------===//
// Other operations
//===----------------------------------------------------------------------===//

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
  for (const char *Name : {"einsum", "sort", "quantized_lstm", "", "relu2"})
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

} // namespace
