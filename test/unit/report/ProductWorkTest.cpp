//===- ProductWorkTest.cpp - what products and convolutions compute -----===//

#include "WorkSupport.h"

#include "gtest/gtest.h"

using namespace torchprof::report;

TEST(ProductWork, MatrixProducts) {
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

TEST(ProductWork, MatrixProductsThatAreComputedAtOnce) {
  // With one left factor, with one right factor, and added up.
  EXPECT_EQ(flops("mm", "float32[2,3] float32[3,5] float32[3,7] "
                        "-> float32[2,5] float32[2,7]"),
            60 + 84);
  EXPECT_EQ(flops("mm", "float32[3,5] float32[2,3] float32[4,3] "
                        "-> float32[2,5] float32[4,5]"),
            60 + 120);
  EXPECT_EQ(flops("mm", "float32[2,3] float32[2,4] float32[3,5] float32[4,5] "
                        "-> float32[2,5]"),
            60 + 80);
  EXPECT_FALSE(isKnown("mm", "float32[2,3] float32[3,5] float32[3,7] "
                             "float32[3,9] -> float32[2,5] float32[2,7]"));
}

TEST(ProductWork, MatmulOfAnyDimensions) {
  EXPECT_EQ(flops("matmul", "float32[3] float32[3] -> float32[]"), 6);
  EXPECT_EQ(flops("matmul", "float32[2,3] float32[3] -> float32[2]"), 12);
  EXPECT_EQ(flops("matmul", "float32[3] float32[3,5] -> float32[5]"), 30);
  EXPECT_EQ(
      flops("matmul", "float32[4,1,2,3] float32[7,3,5] -> float32[4,7,2,5]"),
      2 * 4 * 7 * 2 * 5 * 3);
}

TEST(ProductWork, VectorProducts) {
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

TEST(ProductWork, TensordotWithoutItsDimensions) {
  // [2,3,4] and [4,3,5] over 3 and 4.
  EXPECT_EQ(
      flops("tensordot", "float32[2,3,4] float32[4,3,5] * * -> float32[2,5]"),
      2 * 2 * 5 * 12);
}

TEST(ProductWork, Linear) {
  EXPECT_EQ(flops("linear", "float32[7,2,3] float32[5,3] float32[5] "
                            "-> float32[7,2,5]"),
            2 * 14 * 3 * 5);
  EXPECT_EQ(flops("linear", "float32[3] float32[5,3] - -> float32[5]"), 30);
  EXPECT_EQ(flops("linear", "float32[2,3] float32[3] - -> float32[2]"), 12);
  EXPECT_EQ(bytes("linear", "float32[2,3] float32[5,3] - -> float32[2,5]"),
            4 * (6 + 15 + 10));
}

TEST(ProductWork, Bilinear) {
  // 14 rows: bmm of [14, 3] and [3, 5 x 4], then of [14 x 5, 4] and [14, 4].
  EXPECT_EQ(flops("bilinear", "float32[7,2,3] float32[7,2,4] float32[5,3,4] "
                              "float32[5] -> float32[7,2,5]"),
            2 * 14 * 5 * 4 * 3 + 2 * 14 * 5 * 4);
  EXPECT_EQ(flops("bilinear", "float32[3] float32[4] float32[1,3,4] - "
                              "-> float32[1]"),
            2 * 4 * 3 + 2 * 4);
}

TEST(ProductWork, Convolutions) {
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

TEST(ProductWork, TransposedConvolutions) {
  EXPECT_EQ(flops("conv_transpose2d",
                  "float32[2,4,5,5] float32[4,3,2,2] - * * * * * "
                  "-> float32[2,3,10,10]"),
            2 * 2 * 4 * 25 * 3 * 4);
}

TEST(ProductWork, ConvolutionThatMayBeTransposed) {
  // Only one fits the channels.
  EXPECT_EQ(flops("_convolution",
                  "float32[1,3,8,8] float32[4,3,3,3] - * * * * * * * * * * "
                  "-> float32[1,4,6,6]"),
            2 * 4 * 36 * 27);
  EXPECT_EQ(flops("convolution",
                  "float32[1,4,6,6] float32[4,3,3,3] - * * * * * * "
                  "-> float32[1,3,8,8]"),
            2 * 4 * 36 * 27);
  // Both do, grouped or not. A transposed one makes images several times as
  // large.
  EXPECT_EQ(flops("_convolution",
                  "float32[1,4,6,6] float32[4,1,3,3] - * * * * * * * * * * "
                  "-> float32[1,4,4,4]"),
            2 * 4 * 16 * 9);
  EXPECT_EQ(flops("_convolution",
                  "float32[1,4,6,6] float32[4,1,2,2] - * * * * * * * * * * "
                  "-> float32[1,4,12,12]"),
            2 * 4 * 36 * 4);
  EXPECT_EQ(flops("_convolution",
                  "float32[1,4,6,6] float32[4,1,3,4] - * * * * * * * * * * "
                  "-> float32[1,4,6,24]"),
            2 * 4 * 36 * 12);
  EXPECT_EQ(flops("_convolution",
                  "float32[1,4,1,1] float32[4,4,4,4] - * * * * * * * * * * "
                  "-> float32[1,4,4,4]"),
            2 * 4 * 64);
  // Padding makes them larger by any size.
  EXPECT_EQ(flops("_convolution",
                  "float32[1,32,100] float32[32,32,3] - * * * * * * * * * * "
                  "-> float32[1,32,228]"),
            2 * 32 * 228 * 96);
  EXPECT_EQ(flops("_convolution",
                  "float32[1,4,6,6] float32[4,4,1,1] - * * * * * * * * * * "
                  "-> float32[1,4,8,8]"),
            2 * 4 * 64 * 4);
  EXPECT_EQ(flops("_convolution",
                  "float32[1,4,6,6] float32[4,1,3,3] - * * * * * * * * * * "
                  "-> float32[1,4,8,8]"),
            2 * 4 * 64 * 9);
  EXPECT_EQ(flops("_convolution",
                  "float32[4,6] float32[4,4,3] - * * * * * * * * * * "
                  "-> float32[4,6]"),
            2 * 24 * 12);
  // None does.
  EXPECT_FALSE(isKnown("_convolution", "float32[1,3,8,8] float32[5,3,3,3] - -> "
                                       "float32[1,4,6,6]"));
}

TEST(ProductWork, RecurrentNetworks) {
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

TEST(ProductWork, RecurrentNetworkWithoutBiases) {
  EXPECT_EQ(flops("rnn_relu", "float32[7,2,3] float32[1,2,5] "
                              "(float32[5,3] float32[5,5]) * * * * * * "
                              "-> float32[7,2,5] float32[1,2,5]"),
            2 * 14 * (15 + 25));
  EXPECT_FALSE(isKnown("rnn_relu", "float32[7,2,3] float32[1,2,5] * "
                                   "-> float32[7,2,5] float32[1,2,5]"));
}

TEST(ProductWork, RecurrentCells) {
  EXPECT_EQ(flops("lstm_cell", "float32[2,3] (float32[2,5] float32[2,5]) "
                               "float32[20,3] float32[20,5] - - "
                               "-> float32[2,5] float32[2,5]"),
            2 * 2 * (60 + 100));
  EXPECT_EQ(flops("gru_cell", "float32[2,3] float32[2,5] float32[15,3] "
                              "float32[15,5] float32[15] float32[15] "
                              "-> float32[2,5]"),
            2 * 2 * (45 + 75));
}

TEST(ProductWork, Attention) {
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

TEST(ProductWork, FusedAttentionIsItsParts) {
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

TEST(ProductWork, ProductsMoveTheirOperands) {
  Work W = known("mm", "float16[2,3] float16[3,5] -> float16[2,5]");
  EXPECT_EQ(W.OtherOps, 0);
  EXPECT_EQ(W.Bytes, 2 * (6 + 15 + 10));
}
