//===- ModelTable.h - the models of a process and their tags ----*- C++ -*-===//
//
// Which class is a model of its own, and which sites its methods have. A class
// is numbered when the first of its methods is about to run for the first time.
//
// All functions are safe from any thread. They are called while LibTorch holds
// the lock of the function that is about to run: no other function's executor
// or optimized graph may be asked for here.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_MODELTABLE_H
#define TORCHPROF_ATTACH_MODELTABLE_H

#include "NodeTable.h"

#include <ATen/core/ivalue.h>

namespace torchprof {

/// The tags of a function: its own site and its nodes'.
struct MethodTags {
  format::SiteId Root;
  std::shared_ptr<const NodeTable> Nodes;
};

/// Notes that \p Object is a module whose method the host has asked for: it may
/// be a model. Takes a lock only for classes that are not among the eight that
/// the thread has seen last.
void noteOwner(const c10::intrusive_ptr<c10::ivalue::Object> &Object);

/// The tags for \p Body, which is about to run as the function \p Name. None if
/// it is not to be profiled, or cannot be: then with one warning per cause; nor
/// for what is first called while an object is loaded or saved.
/// Registers the model with the runtime. Does not throw InstrumentError.
std::optional<MethodTags> tagsOf(const std::shared_ptr<torch::jit::Graph> &Body,
                                 const std::string &Name);

/// The tags for the original of an instrumented method, if its sites are those
/// of the probes: \p Root is its own. None if they are not: with options for
/// single sites, or probes of another version of torchprof.
std::optional<MethodTags> tagsOfOriginal(const c10::ClassTypePtr &Class,
                                         const std::string &Name,
                                         format::SiteId Root);

/// Warns, once for each class, that the method \p Name of \p Class is not
/// profiled, because it calls methods that were instrumented before, which are.
/// Nothing if nobody asked for it.
void warnOfWrapper(const c10::ClassType &Class, const std::string &Name);

/// True if tagsOf() had tags for a method of \p Class in the calling thread's
/// state of autocast: its executor was made with them.
bool wasTagged(const c10::ClassTypePtr &Class, const std::string &Name);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_MODELTABLE_H
