//===- CudaFunctionTest.cpp - of CUDA's driver or runtime -----------------===//

#include "CudaFunction.h"

#include <gtest/gtest.h>

using namespace torchprof;

namespace {

int DriverResult, RuntimeResult, DriverCalls, RuntimeCalls, Taken;

int driver(int *Value) {
  ++DriverCalls;
  *Value = 1;
  return DriverResult;
}
int runtime(int *Value) {
  ++RuntimeCalls;
  *Value = 2;
  return RuntimeResult;
}
int takeLastError() { return ++Taken; }

constexpr CudaFunction<int *> Both{driver, runtime, takeLastError};

class CudaFunctionTest : public testing::Test {
protected:
  CudaFunctionTest() {
    DriverResult = RuntimeResult = DriverCalls = RuntimeCalls = Taken = 0;
  }
  int Value = 0;
};

TEST_F(CudaFunctionTest, DriverIsEnough) {
  EXPECT_EQ(Both(&Value), 0);
  EXPECT_EQ(Value, 1);
  DriverResult = CudaNotReady; // an answer, and no error
  EXPECT_EQ(Both(&Value), CudaNotReady);
  EXPECT_EQ(RuntimeCalls, 0);
  EXPECT_EQ(Taken, 0);
}

TEST_F(CudaFunctionTest, ThreadWithoutContextGetsOneFromTheRuntime) {
  DriverResult = 201; // CUDA_ERROR_INVALID_CONTEXT
  EXPECT_EQ(Both(&Value), 0);
  EXPECT_EQ(Value, 2);
  EXPECT_EQ(Taken, 0);
}

TEST_F(CudaFunctionTest, NobodyElseFindsTheRuntimesError) {
  DriverResult = RuntimeResult = 900;
  EXPECT_EQ(Both(&Value), 900);
  EXPECT_EQ(Taken, 1);
  DriverResult = 201;
  RuntimeResult = CudaNotReady;
  EXPECT_EQ(Both(&Value), CudaNotReady);
  EXPECT_EQ(Taken, 2);
}

TEST_F(CudaFunctionTest, DriverMayBeMissing) {
  CudaFunction<int *> Alone{nullptr, runtime, takeLastError};
  EXPECT_EQ(Alone(&Value), 0);
  EXPECT_EQ(Value, 2);
  EXPECT_TRUE(Alone);
  EXPECT_FALSE(CudaFunction<int *>{});
}

} // namespace
