//===- Attach.h - what libtorchprof_attach asks of the runtime --*- C++ -*-===//
//
// The library that attaches to a process links the runtime, so that there is
// one of it however it came into the process. Both are built together: the
// types here may be C++'s. All functions are safe from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_H
#define TORCHPROF_ATTACH_H

#include "torchprof/format/DynamicSite.h"
#include "torchprof/format/LoadEvent.h"
#include "torchprof/format/PlanEvent.h"
#include "torchprof/format/Site.h"
#include "torchprof/torchprof.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace c10 {
struct TensorImpl;
}
namespace torch::autograd {
struct Node;
} // namespace torch::autograd

namespace torchprof {

struct Lane;

/// The options of Options.def that say how to attach, as they were given.
struct AttachOptions {
  bool Hooks = false;  ///< do anything: recording is not switched off either
  bool Attach = false; ///< and to models that are not instrumented
  bool Shapes = false; ///< tell nodes what they work on
  bool Attributes = false;        ///< time what reads attributes of modules
  std::string Nodes, Granularity; ///< words
  std::string Include, Exclude, Methods; ///< words joined by commas, or empty
};
TORCHPROF_API AttachOptions attachOptions();

/// Registers the model of a manifest's text, as loading an instrumented file
/// does.
TORCHPROF_API void registerModel(std::string_view ManifestText);

/// The text of a registered model's manifest; empty if there is none.
TORCHPROF_API std::string manifestOf(uint64_t ModelId);

/// What was done to the tagged nodes of a graph.
struct TagCounts {
  unsigned Timed = 0;    ///< timed nodes made
  unsigned Explicit = 0; ///< pairs of probes put in
};
TORCHPROF_API void countTags(const TagCounts &Counts);

/// Notes that one timed node stands for several, of the kinds \p Members.
TORCHPROF_API void noteGroup(format::SiteId Site, std::string_view Members);
/// The same of a pair of probes that is around several.
TORCHPROF_API void noteTogether(format::SiteId Site, std::string_view Members);

/// Notes that a kernel which \p Site measures was made of these sites' nodes,
/// of the same model.
TORCHPROF_API void noteFused(format::SiteId Site,
                             const std::vector<format::SiteId> &Members);

/// Notes that a plan of its method has no node of \p Site.
TORCHPROF_API void noteLeftOut(format::SiteId Site);

/// The site of the gradient of \p Of, which is named after the node's kind;
/// null if there is no room for it, or the model is not known.
TORCHPROF_API std::optional<format::Slot> backwardSite(format::SiteId Of,
                                                       std::string_view Kind);

/// Whether a part lies in the span around or, in the graph of a fork, runs
/// beside it.
enum class PartRuns : uint8_t { Inside, Beside };

/// The site of a part of \p Of, and of nothing inside of it; null as above.
TORCHPROF_API std::optional<format::Slot>
partSite(format::SiteId Of, format::DynamicKind Kind, PartRuns How);

/// The time in the collector's ticks.
TORCHPROF_API uint64_t ticksNow() noexcept;

/// Notes a plan that LibTorch has made, on the thread that has made it. \p
/// Event has all but the sites, the thread and the run. False for a function
/// that is not profiled, unless a method that is runs on the thread.
TORCHPROF_API bool notePlan(std::optional<format::SiteId> Root,
                            std::optional<format::SiteId> First,
                            const format::PlanEvent &Event);

/// Notes that LibTorch has loaded a file, on the thread that has done so. \p
/// Event has all but the thread.
TORCHPROF_API void noteLoad(const format::LoadEvent &Event) noexcept;

/// Lets the hooks tell of the functions of a backward, in place of LibTorch's
/// callback, which the first such call removes. False before a model has run
/// under grad, and where the options forbid it: then nothing is taken over.
TORCHPROF_API bool takeOverFunctions() noexcept;

/// A span that waits for a backward, on whatever thread.
struct WaitingSpan {
  format::Slot Site = format::NoSlot; ///< NoSlot: there is none
  uint64_t Begin = 0;                 ///< ticks
  const Lane *On = nullptr;           ///< its thread's
};

/// A function of autograd that the engine has taken up.
struct OpenFunction {
  format::Slot Site;
  uint64_t Begin;
  bool WatchesOperators;
  bool OuterMakes = true;   ///< whether functions around it make functions
  WaitingSpan OuterWaiting; ///< what waits for those
};

/// The innermost span of the calling thread, which is about to wait for a
/// backward.
TORCHPROF_API WaitingSpan spanHere() noexcept;

/// Begins the span of a function, under the node that made it or, if another
/// function's site is given as \p PassedBy, under that one's node. \p
/// WaitingFor: what spanHere() was where the backward began. Null if nothing is
/// recorded.
TORCHPROF_API std::optional<OpenFunction>
openFunction(const torch::autograd::Node &Function, format::Slot PassedBy,
             WaitingSpan WaitingFor) noexcept;
/// Ends it, on the same thread.
TORCHPROF_API void closeFunction(const OpenFunction &Open) noexcept;

/// The site of what follows the gradient at \p Of behind its group, called \p
/// Name (isBehindGradient()). May throw std::bad_alloc.
TORCHPROF_API format::Slot siteBehind(format::Slot Of, const char *Name);

/// What the engine does behind a group of nodes for one of their gradients
/// (torchprof::note_gradients), while the group's function is open.
struct OpenBehind {
  format::Slot Site;
  uint64_t Begin;
};

/// True if a group has computed the gradient.
TORCHPROF_API bool isComputedByGroup(const c10::TensorImpl *Gradient) noexcept;
/// The engine adds a gradient to others. Null if no group has computed it.
TORCHPROF_API std::optional<OpenBehind>
openSum(const c10::TensorImpl *Gradient) noexcept;
/// The engine frees a tensor that the function has kept, the next one in their
/// order. Null if no node of a group needed it.
TORCHPROF_API std::optional<OpenBehind> openFreed() noexcept;
/// Ends either, on the same thread.
TORCHPROF_API void closeBehind(const OpenBehind &Open) noexcept;

/// Notes that autograd's engine has worked on the calling thread, between
/// ticks. Nothing inside of a model, where that is time of the node which asked
/// for gradients. \p WaitingFor: as in openFunction().
TORCHPROF_API void noteEngine(uint64_t Begin, uint64_t End,
                              WaitingSpan WaitingFor) noexcept;

/// Notes that LibTorch has made plans on the calling thread, between ticks, if
/// that was for a gradient: it is no time of the function that runs the plan,
/// and neither is our work for them in between.
TORCHPROF_API void notePlansMade(uint64_t Begin, uint64_t End) noexcept;

/// Prints `torchprof: warning: TEXT`. The caller sees to it that a cause is
/// named once.
TORCHPROF_API void warnOfAttach(std::string_view Text);

} // namespace torchprof

#endif // TORCHPROF_ATTACH_H
