//===- QuantizedWorkTest.cpp - what quantized operators compute -----------===//

#include "../../../tools/torchprof-report/Report/Work.h"

#include "gtest/gtest.h"

using namespace torchprof::report;

namespace {

/// The work of a call of quantized::\p Name.
Work workOfText(const std::string &Name, llvm::StringRef Signature) {
  llvm::Optional<Work> W =
      workOf("quantized::" + Name, parseSignature(Signature));
  EXPECT_TRUE(W) << Name << ": " << Signature.str();
  return W.getValueOr(Work{-1, -1, -1});
}

} // namespace

TEST(QuantizedWork, LinearByItsPackedWeight) {
  for (const char *Name : {"linear", "linear_relu"}) {
    Work W = workOfText(
        Name, "quint8[2,3] (qint8[5,3] float32[5]) * * -> quint8[2,5]");
    EXPECT_EQ(W.Flops, 60);
    EXPECT_EQ(W.OtherOps, 0);
    EXPECT_EQ(W.Bytes, 6 + 15 + 4 * 5 + 10);
  }
  Work W = workOfText("linear_dynamic",
                      "float32[2,3] (qint8[5,3] -) * -> float32[2,5]");
  EXPECT_EQ(W.Flops, 60);
  EXPECT_EQ(W.Bytes, 4 * 6 + 15 + 4 * 10);
}

TEST(QuantizedWork, ConvolutionsByTheirPackedWeights) {
  EXPECT_EQ(workOfText("conv2d", "quint8[1,3,8,8] (qint8[4,3,3,3] -) * * "
                                 "-> quint8[1,4,6,6]")
                .Flops,
            2 * 4 * 36 * 27);
  // The accumulator comes before the weight.
  EXPECT_EQ(workOfText("conv2d_add",
                       "quint8[1,3,8,8] quint8[1,4,6,6] (qint8[4,3,3,3] -) * * "
                       "-> quint8[1,4,6,6]")
                .Flops,
            2 * 4 * 36 * 27);
  EXPECT_EQ(workOfText("conv_transpose2d",
                       "quint8[2,4,5,5] (qint8[4,3,2,2] -) * * "
                       "-> quint8[2,3,10,10]")
                .Flops,
            2 * 2 * 4 * 25 * 3 * 4);
}

TEST(QuantizedWork, RecurrentNetworks) {
  const std::string Weights =
      " (qint8[20,3] qint8[20,5] float32[20] float32[20]) * * * * * * * * -> ";
  const double PerStep = 2 * (20 * 3 + 20 * 5);
  const std::string State = "float32[1,2,5]", States = State + " " + State;
  llvm::Optional<Work> Lstm =
      workOf("aten::quantized_lstm",
             parseSignature("float32[7,2,3] (" + States + ")" + Weights +
                            "float32[7,2,5] " + States));
  ASSERT_TRUE(Lstm);
  EXPECT_EQ(Lstm->Flops, 7 * 2 * PerStep);
  EXPECT_EQ(Lstm->Bytes,
            4 * (42 + 20) + 60 + 100 + 4 * (20 + 20) + 4 * (70 + 20));
  llvm::Optional<Work> Gru =
      workOf("aten::quantized_gru",
             parseSignature("float32[7,2,3] " + State + Weights +
                            "float32[7,2,5] " + State));
  ASSERT_TRUE(Gru);
  EXPECT_EQ(Gru->Flops, 7 * 2 * PerStep);
}

TEST(QuantizedWork, RecurrentCells) {
  EXPECT_EQ(workOfText("quantized_lstm_cell_dynamic",
                       "float32[2,3] (float32[2,5] float32[2,5]) "
                       "(qint8[20,3] float32[20]) (qint8[20,5] float32[20]) "
                       "float32[20] float32[20] -> float32[2,5] float32[2,5]")
                .Flops,
            2 * 2 * (60 + 100));
  for (const char *Name :
       {"quantized_gru_cell_dynamic", "quantized_rnn_relu_cell_dynamic",
        "quantized_rnn_tanh_cell_dynamic"})
    EXPECT_EQ(workOfText(Name, "float32[2,3] float32[2,5] (qint8[15,3] -) "
                               "(qint8[15,5] -) - - -> float32[2,5]")
                  .Flops,
              2 * 2 * (45 + 75))
        << Name;
}

TEST(QuantizedWork, OfAnUnknownWeightNothingIsKnown) {
  EXPECT_FALSE(workOf("quantized::linear",
                      parseSignature("quint8[2,3] * * * -> quint8[2,5]")));
  // The list is the state.
  EXPECT_FALSE(workOf(
      "aten::quantized_lstm",
      parseSignature("float32[7,2,3] (float32[1,2,5] float32[1,2,5]) * * * "
                     "-> float32[7,2,5] float32[1,2,5] float32[1,2,5]")));
}

TEST(QuantizedWork, ElementWise) {
  Work W = workOfText("add", "quint8[2,3] quint8[2,3] * * -> quint8[2,3]");
  EXPECT_EQ(W.OtherOps, 6);
  EXPECT_EQ(W.Bytes, 18);
  EXPECT_EQ(workOfText("add_relu", "quint8[2,3] quint8[2,3] * * -> quint8[2,3]")
                .OtherOps,
            12);
  W = workOfText("cat", "(quint8[2,3] quint8[2,3]) * * * -> quint8[4,3]");
  EXPECT_EQ(W.OtherOps, 0);
  EXPECT_EQ(W.Bytes, 24);
}
