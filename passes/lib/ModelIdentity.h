//===- ModelIdentity.h - the number that stands for a model -----*- C++ -*-===//
//
// The model id says what a model computes and where its sites are. Recordings
// with one id can be merged and compared, so equal models must have equal ids,
// whichever way they were made.
//
// The id covers the methods and their signatures, the canonical code, the sites
// (parent, kind, overload, flags), their module paths, classes and functions,
// and the options that selected them. It leaves out weights, names of values,
// source positions and text, file and directory names, the Python module of a
// class, versions, and flags that are set after numbering (SF_Vanished).
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PASSES_MODELIDENTITY_H
#define TORCHPROF_PASSES_MODELIDENTITY_H

#include "torchprof/Passes.h"

#include <string>

namespace torchprof {

/// The text that the id is a hash of; compare two of them to see why two models
/// have different ids. \p Methods are inlined, \p Table holds their sites.
/// Linear in the size of the graphs.
std::string identityText(const std::vector<MethodGraph> &Methods,
                         const Manifest &Table,
                         const InstrumentOptions &Options);

/// 43 bits of a hash of identityText; never 0.
uint64_t modelIdentity(const std::vector<MethodGraph> &Methods,
                       const Manifest &Table, const InstrumentOptions &Options);

} // namespace torchprof

#endif // TORCHPROF_PASSES_MODELIDENTITY_H
