//===- ModuleTree.h - time by module hierarchy ------------------*- C++ -*-===//
//
// The module instances of the profiled models as a tree. With probes on nodes
// a module's self time is that of the nodes written in it directly, its total
// that of all nodes inside, and its calls are those of a node that runs once
// per call (ModuleCalls.h). With probes on modules all three were measured.
// Self times are those of SiteTable::self() and plansOf(), so the tree adds up
// to what the summary does. Ticks.
//
// What ran beside its parent (a fork's body) is in neither time, but has one of
// its own. So have the gradients of a module's nodes, those of such nodes among
// them. What is no time, such as bytes and FLOPs, is that of all nodes.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_MODULETREE_H
#define TORCHPROF_REPORT_MODULETREE_H

#include "PlaceMeasures.h"
#include "Selection.h"
#include "SiteTable.h"
#include "SiteWork.h"

#include "llvm/ADT/Optional.h"

#include <vector>

namespace torchprof::report {

/// The nodes of one kind that are written in one module.
struct ModuleOps {
  std::string Kind;
  uint32_t Nodes = 0;
  uint64_t Calls = 0;
  UInt128 Self = 0;
  GradientSum Backward;
  PlaceMeasures Measures;
  SiteWork Done;
  bool Async = false;
  bool Clipped = false; ///< the self time of one of them would be below 0
  /// The operators inside of them, if they are sites.
  std::vector<ModuleOps> Inner;

  /// Self times of all inside.
  UInt128 total() const {
    UInt128 Sum = Self;
    for (const ModuleOps &Op : Inner)
      Sum += Op.total();
    return Sum;
  }
  /// Those that ran beside their parents.
  UInt128 asyncTotal() const { return Async ? total() : 0; }
};

struct ModuleNode {
  /// Last component of the path. Of the root "(root)", where several models ran
  /// the model's.
  std::string Name;
  std::string Model;   ///< of the root: what its model is called
  std::string ModelId; ///< of the root: ModelNames::idOf()
  std::string Path;    ///< whole path
  std::string Class;
  UInt128 Self = 0;
  UInt128 Total = 0;
  UInt128 Async = 0;         ///< of all inside that ran beside their parents
  GradientSum Backward;      ///< of the nodes written in it directly
  GradientSum TotalBackward; ///< of all nodes inside
  PlaceMeasures Measures;
  SiteWork Done;                  ///< by all nodes inside
  bool Clipped = false;           ///< as of ModuleOps
  llvm::Optional<uint64_t> Calls; ///< none: no node tells
  std::vector<ModuleOps> Ops;
  std::vector<ModuleNode> Children; ///< in the order of execution
};

/// One tree per model, in the order of the models.
std::vector<ModuleNode> makeModuleTrees(const SiteTable &Sites,
                                        const Selection &Selected);

/// Sorts children and ops of every node: by each key in turn of order,
/// total_ns, self_ns, asynchronous_ns, calls, name, backward_ns,
/// total_backward_ns, flops, bytes, or the id of a measure's column. The error
/// lists the keys.
llvm::Error sortModuleTree(ModuleNode &Root, llvm::ArrayRef<std::string> Keys);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_MODULETREE_H
