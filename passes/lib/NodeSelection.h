//===- NodeSelection.h - which nodes become sites ---------------*- C++ -*-===//

#ifndef TORCHPROF_PASSES_NODESELECTION_H
#define TORCHPROF_PASSES_NODESELECTION_H

#include "torchprof/GraphAccess.h"
#include "torchprof/Passes.h"

namespace torchprof {

enum class NodeClass {
  Default, ///< instrumented unless a filter says no
  Extra,   ///< instrumented with --nodes=all
  Never,   ///< only moves values, or must stay next to its neighbours
};

/// Classifies nodes as NodeChoice says; tensors count inside lists, tuples and
/// dicts too. Caches the class of nodes with blocks, so that classifying a
/// whole graph stays linear.
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

/// True if the filters of the options accept the site.
bool isSelected(const SiteOptions &Options, const std::string &Kind,
                const std::string &Path);

/// The error for filters that reject all of \p Names: repeats the filters and
/// suggests the nearest name.
std::string describeNoMatch(const SiteOptions &Options,
                            const std::set<std::string> &Names);

} // namespace torchprof

#endif // TORCHPROF_PASSES_NODESELECTION_H
