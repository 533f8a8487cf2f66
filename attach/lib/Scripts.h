//===- Scripts.h - LibTorch's scripts for operators -------------*- C++ -*-===//
//
// The scripts by which LibTorch differentiates some operators (layer_norm,
// dropout, linear, pooling) and decomposes others (addmm) come as texts without
// a file, with a function for each operator, or numbered ones for its overloads
// (add_0, add_1). A model may come as such a text, too, and a long one, so that
// a text is looked at once and not for each of its nodes.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_SCRIPTS_H
#define TORCHPROF_ATTACH_SCRIPTS_H

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace torch::jit {
struct Node;
struct Source;
} // namespace torch::jit

namespace torchprof {

/// What the texts of some nodes are. The nodes must outlive it. Not
/// thread-safe.
class Scripts {
public:
  /// The function of a script that \p N comes from, "layer_norm" or "add_1";
  /// empty if it comes from none. Valid as long as this object.
  std::string_view functionOf(const torch::jit::Node *N);

  /// The operator that such a function stands for, "add".
  static std::string_view operatorOf(std::string_view Function);

  /// True for a node that comes from a script for backward: in the place of
  /// another one, or in addition to it, for what backward has to know.
  bool isOfAutodiff(const torch::jit::Node *N);

private:
  /// Of a text that is no script it has nothing.
  struct Script {
    bool IsForBackward = false;
    /// The outer functions: where each begins, and what it is called.
    std::vector<std::pair<size_t, std::string>> Functions;

    std::string_view functionAround(size_t Place) const;
  };
  const Script &of(torch::jit::Source &Text);

  std::unordered_map<const torch::jit::Source *, Script> Known;
};

} // namespace torchprof

#endif // TORCHPROF_ATTACH_SCRIPTS_H
