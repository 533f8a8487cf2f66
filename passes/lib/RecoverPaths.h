//===- RecoverPaths.h - module paths of code inlined by others --*- C++ -*-===//

#ifndef TORCHPROF_PASSES_RECOVERPATHS_H
#define TORCHPROF_PASSES_RECOVERPATHS_H

#include "torchprof/Passes.h"

namespace torchprof {

/// For a method of a model without calls: derives the scopes of its nodes from
/// the submodules whose parameters they use, if there are any. \p RootScope is
/// the method's scope.
void recoverPaths(const MethodGraph &Method, uint32_t RootScope,
                  Manifest &Table, ScopeMap &Scopes);

} // namespace torchprof

#endif // TORCHPROF_PASSES_RECOVERPATHS_H
