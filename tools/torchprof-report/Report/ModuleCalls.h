//===- ModuleCalls.h - how often modules were called ------------*- C++ -*-===//
//
// Nobody counts the calls of a module unless probes are on modules. But a node
// that runs once whenever its module is called has counted them: one that
// stands in the straight line of the module's code, outside of its own ifs,
// loops and forks. A node of an inner call does too if that call stands in the
// straight line. Each call in the source (a scope of the manifest) is counted
// by itself, so self.c(self.c(x)) is two calls of one instance.
//
// An if that was not instrumented (--exclude) cannot be seen here: a node in it
// is taken for one in the straight line, and the calls may be more.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_MODULECALLS_H
#define TORCHPROF_REPORT_MODULECALLS_H

#include "SiteTable.h"

#include "llvm/ADT/Optional.h"

namespace torchprof::report {

class ModuleCalls {
public:
  explicit ModuleCalls(const SiteTable &Sites);

  /// Calls of the instance at \p Path of the model with \p M; none if no node
  /// tells.
  llvm::Optional<uint64_t> of(const Manifest *M, llvm::StringRef Path) const;

private:
  struct Instance {
    uint64_t Calls = 0;
    bool Known = true;
  };
  void addModel(const SiteTable &Sites, uint32_t First, const Manifest &M);

  std::map<std::pair<const Manifest *, std::string>, Instance> Instances;
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_MODULECALLS_H
