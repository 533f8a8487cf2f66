//===- Operators.cpp - what a model's own library may have ----------------===//
//
//   torchprof_test::throw_number(Tensor x) -> Tensor
//   __torch__.torch.classes.torchprof_test.Empty
//
// throw_number throws an int: LibTorch catches what is a std::exception, and
// lets all else through. Empty is a class, which a graph in text form can name.
//
//===----------------------------------------------------------------------===//

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>
#include <torch/library.h>

namespace {
struct Empty : torch::CustomClassHolder {};
} // namespace

TORCH_LIBRARY(torchprof_test, M) {
  M.def("throw_number(Tensor x) -> Tensor",
        [](const at::Tensor &) -> at::Tensor { throw 1; });
  M.class_<Empty>("Empty");
}
