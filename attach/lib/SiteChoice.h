//===- SiteChoice.h - what the process was asked to profile -----*- C++ -*-===//

#ifndef TORCHPROF_ATTACH_SITECHOICE_H
#define TORCHPROF_ATTACH_SITECHOICE_H

#include "torchprof/Passes.h"

#include <ATen/core/jit_type.h>

#include <optional>

namespace torchprof {

/// True if \p Name is a method or a hook of \p Class with a graph.
bool isOwnFunction(const c10::ClassType &Class, const std::string &Name);

/// How to number the methods of \p Class, from the runtime's options; none if
/// attaching is switched off, or if no method of the class was asked for: where
/// that is so of all models, the process warns at its exit.
std::optional<InstrumentOptions> chooseSites(const c10::ClassType &Class);

/// The same for the function \p Name that belongs to no class.
std::optional<InstrumentOptions> chooseSites(const std::string &Name);

/// Notes which filters of \p Choice, which chooseSites() gave, fit a node of a
/// model. The process warns at its exit of those that fit none of any model.
/// Any thread.
void noteFilters(const InstrumentOptions &Choice,
                 const SiteNumbering &Numbering);

/// A model could not be numbered, which was said: what fits in it is unknown,
/// so there is no such warning.
void noteUnknownFilters();

/// How the sites of an instrumented model were numbered; none if its manifest
/// does not say so to this version. Warns, once, if the process was asked for
/// other ones.
std::optional<InstrumentOptions> sitesOfModel(uint64_t ModelId);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_SITECHOICE_H
