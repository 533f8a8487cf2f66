//===- NodeSelection.h - which nodes become sites ---------------*- C++ -*-===//

#ifndef TORCHPROF_PASSES_NODESELECTION_H
#define TORCHPROF_PASSES_NODESELECTION_H

#include "Compat.h"
#include "torchprof/Passes.h"

namespace torchprof {

enum class NodeClass {
  Default, ///< instrumented unless a filter says no
  Extra,   ///< instrumented with --nodes=all
  Never,   ///< moves values around, or may not be parted from its neighbours
};

/// The class of a node: Default for what produces or changes tensors (also in
/// lists, tuples and dicts), for calls, fork and wait, and for control flow
/// that contains such a node. Remembers the answer for nodes with blocks, so
/// that classifying a whole graph stays linear.
class NodeClassifier {
public:
  NodeClass classify(const torch::jit::Node *N);

private:
  NodeClass classifyControl(const torch::jit::Node *N);
  std::unordered_map<const torch::jit::Node *, NodeClass> Control;
};

/// True if one of the globs matches \p Kind or \p Path.
bool matchesAny(const std::vector<std::string> &Globs, const std::string &Kind,
                const std::string &Path);

/// The filter of the options: included and not excluded.
bool isSelected(const SiteOptions &Options, const std::string &Kind,
                const std::string &Path);

/// The at most three of \p Names that are most like one of the globs, by edit
/// distance, nearest first; ", " between them.
std::string nearMisses(const std::vector<std::string> &Globs,
                       const std::set<std::string> &Names);

} // namespace torchprof

#endif // TORCHPROF_PASSES_NODESELECTION_H
