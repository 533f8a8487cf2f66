//===- model.cpp - a TorchScript model behind a C interface ---------------===//
//
// What programs in other languages link with: see examples/jni, fortran and
// rust. It knows nothing of torchprof.
//
// A model maps a matrix of floats to floats. Functions print what goes wrong,
// and return null or -1; no exception leaves them.
//
//===----------------------------------------------------------------------===//

#include <torch/script.h>

#include <algorithm>
#include <cstdint>
#include <iostream>

#define MODEL_API extern "C" __attribute__((visibility("default")))

MODEL_API void *model_load(const char *Path) try {
  return new torch::jit::Module(torch::jit::load(Path));
} catch (const std::exception &Error) {
  std::cerr << "model: error: " << Error.what() << '\n';
  return nullptr;
}

/// Runs the model on Rows x Columns floats at \p In, and copies at most \p
/// Capacity floats of its result to \p Out. Returns how many there are.
MODEL_API int64_t model_run(void *Model, const float *In, int64_t Rows,
                            int64_t Columns, float *Out, int64_t Capacity) try {
  torch::NoGradGuard NoGrad;
  torch::Tensor X =
      torch::from_blob(const_cast<float *>(In), {Rows, Columns}).clone();
  torch::Tensor Y = static_cast<torch::jit::Module *>(Model)
                        ->forward({X})
                        .toTensor()
                        .to(torch::kFloat)
                        .contiguous();
  std::copy_n(Y.data_ptr<float>(), std::min(Y.numel(), Capacity), Out);
  return Y.numel();
} catch (const std::exception &Error) {
  std::cerr << "model: error: " << Error.what() << '\n';
  return -1;
}

MODEL_API void model_free(void *Model) {
  delete static_cast<torch::jit::Module *>(Model);
}
