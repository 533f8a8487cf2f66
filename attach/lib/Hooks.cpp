//===- Hooks.cpp - what LibTorch's constructors call first ----------------===//
//
// The executor's hook tags the graph before LibTorch optimizes it; the code's
// hook turns the tags of what became of it into timed nodes. Between the two,
// the name of the function carries the number of its root behind a separator.
//
// Whatever goes wrong on our side, LibTorch gets what it would have got.
//
//===----------------------------------------------------------------------===//

#include "Hooks.h"

#include "ModelTable.h"
#include "ProbesToTags.h"
#include "TimedCopy.h"
#include "torch/Attach.h"

#include <atomic>
#include <charconv>

namespace torchprof {

using namespace torch::jit;

/// Between a function's name and its root's number. No name in Python or in
/// TorchScript holds it.
static constexpr std::string_view RootMark = "\x1ftorchprof:";

static std::string rootMark(format::SiteId Root) {
  return std::string(RootMark) + std::to_string(Root.number());
}

/// Executors that LibTorch makes for parts of what it already runs: the nodes
/// have their tags, or must not have any.
static bool isPart(const std::string &Name) {
  return Name.empty() || Name.front() == '<' || Name == "defaults" ||
         Name == "fallback_function";
}

namespace {
struct TaggedFunction {
  std::shared_ptr<Graph> Body; ///< null: not to be profiled
  std::string Name;
};
} // namespace

/// What went wrong on our side is one line, and the function runs as it would
/// without us.
static void warnOfFailure(const std::string &Function) noexcept {
  static std::atomic_flag Said;
  if (Said.test_and_set())
    return;
  try {
    throw;
  } catch (const std::exception &Error) {
    std::string Text(Error.what());
    warnOfAttach(Function +
                 " is not profiled: " + Text.substr(0, Text.find('\n')));
  } catch (...) {
    warnOfAttach(Function + " is not profiled");
  }
}

/// A copy of an instrumented method, with tags in place of its probes.
static TaggedFunction tagInstrumented(const std::shared_ptr<Graph> &Body,
                                      const std::string &Name) {
  TaggedFunction Result{Body->copy(), Name};
  std::optional<format::SiteId> Root;
  if (!attachOptions().Attach || !turnProbesIntoTags(*Result.Body, Root))
    return TaggedFunction();
  if (Root)
    Result.Name += rootMark(*Root);
  return Result;
}

static TaggedFunction tagFunction(const std::shared_ptr<Graph> &Body,
                                  const std::string &Name) noexcept {
  try {
    if (!Body)
      return TaggedFunction();
    if (hasProbes(*Body))
      return tagInstrumented(Body, Name);
    if (isPart(Name))
      return TaggedFunction();
    std::optional<MethodTags> Tags = tagsOf(Body, Name);
    if (!Tags)
      return TaggedFunction();
    TaggedFunction Result{Body->copy(), Name + rootMark(Tags->Root)};
    Tags->Nodes->tag(*Result.Body);
    return Result;
  } catch (...) {
    warnOfFailure(Name);
    return TaggedFunction();
  }
}

/// The root's number behind the name of a function, and the name alone.
static std::optional<format::SiteId> takeRoot(std::string &Name) {
  size_t Mark = Name.find(RootMark);
  if (Mark == std::string::npos)
    return std::nullopt;
  int64_t Number = 0;
  const char *Digits = Name.data() + Mark + RootMark.size();
  std::from_chars(Digits, Name.data() + Name.size(), Number);
  Name.resize(Mark);
  return format::SiteId::fromNumber(Number);
}

static const std::shared_ptr<Graph> &asGraph(const void *Pointer) {
  return *static_cast<const std::shared_ptr<Graph> *>(Pointer);
}

static std::string &asName(void *Pointer) {
  return *static_cast<std::string *>(Pointer);
}

/// \p Construct(graph, name) calls the constructor itself.
template <typename Constructor>
static void makeExecutor(const void *Body, void *Name, Constructor Construct) {
  TaggedFunction Tagged = tagFunction(asGraph(Body), asName(Name));
  if (!Tagged.Body)
    return Construct(Body, Name);
  Construct(&Tagged.Body, &Tagged.Name);
}

static void executor(TorchprofExecutor *Real, void *Self, const void *Body,
                     void *Name) {
  makeExecutor(Body, Name,
               [&](const void *Body, void *Name) { Real(Self, Body, Name); });
}

static void modeExecutor(TorchprofModeExecutor *Real, void *Self,
                         const void *Body, void *Name, int Mode) {
  makeExecutor(Body, Name, [&](const void *Body, void *Name) {
    Real(Self, Body, Name, Mode);
  });
}

static void code(TorchprofCode *Real, void *Self, const void *Body, void *Name,
                 size_t Depth) {
  std::shared_ptr<Graph> Timed;
  std::optional<format::SiteId> Root = takeRoot(asName(Name));
  try {
    if (asGraph(Body))
      Timed = timedCopy(*asGraph(Body), Root);
  } catch (...) {
    warnOfFailure(asName(Name));
    Timed = nullptr;
  }
  Real(Self, Timed ? &Timed : Body, Name, Depth);
}

static void method(TorchprofMethod *Real, void *Self, void *Object,
                   void *Function) {
  try {
    const auto &Owner =
        *static_cast<c10::intrusive_ptr<c10::ivalue::Object> *>(Object);
    if (Owner)
      noteOwner(Owner);
  } catch (...) {
    // The object is then not known as an owner.
  }
  Real(Self, Object, Function);
}

} // namespace torchprof

const TorchprofHooks torchprof_attach_hooks = {
    torchprof::executor, torchprof::modeExecutor, torchprof::code,
    torchprof::method};
