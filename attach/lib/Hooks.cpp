//===- Hooks.cpp - what LibTorch's functions call first -------------------===//
//
// The executor's hook tags the graph before LibTorch optimizes it; the code's
// hook turns the tags of what became of it into timed nodes. Between the two,
// the name of the function carries the number of its root behind a separator,
// and that of a part of a function what part it is.
//
// The hooks around plans, readers and autograd's functions only look at the
// clock.
//
// Whatever goes wrong on our side, LibTorch gets what it would have got.
//
//===----------------------------------------------------------------------===//

#include "Hooks.h"

#include "BackwardWatch.h"
#include "GradientTags.h"
#include "LoadWatch.h"
#include "ModelTable.h"
#include "PlanWatch.h"
#include "ProbesToTags.h"
#include "RootOrders.h"
#include "TimedCopy.h"
#include "torch/Attach.h"

#include <caffe2/serialize/read_adapter_interface.h>

#include <atomic>
#include <charconv>

namespace torchprof {

using namespace torch::jit;
using format::PlanPart;

/// Between a function's name and what we have to say of it: the number of its
/// root, and of a part the number of PlanPart. No name in Python or in
/// TorchScript holds it.
static constexpr std::string_view OwnerMark = "\x1ftorchprof:";

static std::string rootMark(format::SiteId Root) {
  return std::string(OwnerMark) + std::to_string(Root.number());
}

/// What of a function has the name \p Name. For what is not the whole, LibTorch
/// makes executors out of what it already runs: the nodes have their tags, or
/// must not have any.
static PlanPart partOf(const std::string &Name) {
  if (Name == "<forward op>" || Name == "<foward op>")
    return PlanPart::Forward;
  if (Name == "<backward op>")
    return PlanPart::Backward;
  if (Name == "fallback_function")
    return PlanPart::Fallback;
  if (Name == "<forked function>")
    return PlanPart::Fork;
  if (Name.empty() || Name.front() == '<' || Name == "defaults")
    return PlanPart::Other;
  return PlanPart::Whole;
}

/// The name of a part with its owner's mark; the name alone if there is none. A
/// default value of an operator, say, is no part of the method that needs it.
static std::string nameOfPart(const std::string &Name) {
  PlanOwner Owner = MakingScope::ownerHere();
  if (!Owner.Root || partOf(Name) == PlanPart::Other)
    return Name;
  if (Owner.Part != PlanPart::Backward)
    Owner.Part = partOf(Name);
  return Name + rootMark(*Owner.Root) + ',' +
         std::to_string(static_cast<uint32_t>(Owner.Part));
}

namespace {
struct TaggedFunction {
  std::shared_ptr<Graph> Body; ///< null: stays as it is
  std::string Name;            ///< empty: stays as it is
  std::optional<format::SiteId> Root = {};
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

static void setTags(Graph &Body, const MethodTags &Tags) {
  Tags.Nodes->tag(Body);
  rememberOrder(Tags.Root, Tags.Nodes->order());
}

/// The class that the function with the graph \p Body may be a method of.
static c10::ClassTypePtr classOf(Graph &Body) {
  return Body.inputs().empty()
             ? nullptr
             : Body.inputs()[0]->type()->cast<c10::ClassType>();
}

/// The original of an instrumented method, with tags, so that LibTorch makes
/// the same of it. Nothing if it cannot be had, or has other sites than the
/// probes.
static TaggedFunction tagOriginal(Graph &Body, const std::string &Name) {
  std::optional<format::SiteId> Root = rootOfProbes(Body);
  auto Class = classOf(Body);
  if (!Root || !Class)
    return TaggedFunction();
  std::optional<MethodTags> Tags = tagsOfOriginal(Class, Name, *Root);
  if (!Tags)
    return TaggedFunction();
  TaggedFunction Result{originalToRun(*Class, Name), Name + rootMark(*Root),
                        Root};
  // What is inlined from other modules may have probes of its own.
  if (!Result.Body || hasProbes(*Result.Body))
    return TaggedFunction();
  setTags(*Result.Body, *Tags);
  return Result;
}

/// An instrumented method, with tags in place of its probes.
static TaggedFunction tagInstrumented(const std::shared_ptr<Graph> &Body,
                                      const std::string &Name) {
  if (!attachOptions().Hooks)
    return TaggedFunction();
  if (TaggedFunction Original = tagOriginal(*Body, Name); Original.Body)
    return Original;
  TaggedFunction Result{Body->copy(), Name, rootOfProbes(*Body)};
  if (!turnProbesIntoTags(*Result.Body)) {
    auto Class = classOf(*Body);
    if (Class && partOf(Name) == PlanPart::Whole && holdsInstrumented(*Body))
      warnOfWrapper(*Class, Name);
    return TaggedFunction();
  }
  if (Result.Root)
    Result.Name += rootMark(*Result.Root);
  return Result;
}

/// A part of what runs already. The nodes of a group have their tags; its
/// backward graph is new.
static TaggedFunction tagPart(const std::shared_ptr<Graph> &Body,
                              const std::string &Name) {
  TaggedFunction Result{nullptr, nameOfPart(Name)};
  PlanPart Part = partOf(Name);
  if (Part == PlanPart::Forward)
    noteForward(*Body);
  if (Part == PlanPart::Backward)
    Result.Body = tagGradients(*Body, MakingScope::ownerHere().Root);
  return Result;
}

static TaggedFunction tagFunction(const std::shared_ptr<Graph> &Body,
                                  const std::string &Name) noexcept {
  try {
    if (!Body)
      return TaggedFunction();
    if (hasProbes(*Body))
      return tagInstrumented(Body, Name);
    if (partOf(Name) != PlanPart::Whole)
      return tagPart(Body, Name);
    std::optional<MethodTags> Tags = tagsOf(Body, Name);
    if (!Tags)
      return TaggedFunction();
    TaggedFunction Result{Body->copy(), Name + rootMark(Tags->Root),
                          Tags->Root};
    setTags(*Result.Body, *Tags);
    return Result;
  } catch (...) {
    warnOfFailure(Name);
    return TaggedFunction();
  }
}

/// What the mark behind the name of a function says; leaves the name alone.
static PlanOwner takeOwner(std::string &Name) {
  PlanOwner Owner;
  size_t Mark = Name.find(OwnerMark);
  if (Mark == std::string::npos) {
    Owner.Part = partOf(Name);
    return Owner;
  }
  const char *End = Name.data() + Name.size();
  int64_t Root = 0;
  uint32_t Part = static_cast<uint32_t>(PlanPart::Whole);
  const char *Rest =
      std::from_chars(Name.data() + Mark + OwnerMark.size(), End, Root).ptr;
  if (Rest != End)
    std::from_chars(Rest + 1, End, Part);
  Name.resize(Mark);
  return {format::SiteId::fromNumber(Root), static_cast<PlanPart>(Part)};
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
  uint64_t Begin = ticksNow();
  TaggedFunction Tagged = tagFunction(asGraph(Body), asName(Name));
  MakingScope::addOwn(Begin, Tagged.Root);
  Construct(Tagged.Body ? &Tagged.Body : Body,
            Tagged.Name.empty() ? Name : &Tagged.Name);
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
  if (!asGraph(Body))
    return Real(Self, Body, Name, Depth);
  std::shared_ptr<Graph> Timed;
  PlanOwner Owner = takeOwner(asName(Name));
  CodeScope Making(Owner);
  try {
    // A fused kernel that cannot run as one runs its own nodes, in its time.
    if (Owner.Part != PlanPart::Other)
      Timed = timedCopy(*asGraph(Body), Owner);
  } catch (...) {
    warnOfFailure(asName(Name));
    Timed = nullptr;
  }
  Making.ownWorkEnds();
  Real(Self, Timed ? &Timed : Body, Name, Depth);
  Making.made(*asGraph(Body));
}

/// The depth that is passed, in two registers, if one is.
static std::optional<size_t> passedDepth(size_t HasDepth, size_t Depth) {
  // Of the register for a bool, the lowest byte counts.
  return static_cast<uint8_t>(HasDepth) ? std::optional(Depth) : std::nullopt;
}

static void *plan(TorchprofPlan *Real, void *Self, void *Stack, size_t Depth,
                  size_t HasDepth) {
  PlanScope Making(Self, passedDepth(HasDepth, Depth));
  return Real(Self, Stack, Depth, HasDepth);
}

static void *oldPlan(TorchprofOldPlan *Real, void *Self, void *Stack,
                     size_t HasDepth, size_t Depth) {
  PlanScope Making(Self, passedDepth(HasDepth, Depth));
  return Real(Self, Stack, HasDepth, Depth);
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

static std::string_view asFile(const void *Name) {
  return *static_cast<const std::string *>(Name);
}

static void fileAdapter(TorchprofFileAdapter *Real, void *Self,
                        const void *Name) {
  Real(Self, Name);
  fileOpened(Self, asFile(Name));
}

static void adapterReader(TorchprofAdapterReader *Real, void *Self,
                          void *Adapter) {
  // An adapter has one base class: its address is that of the interface.
  const caffe2::serialize::ReadAdapterInterface *Interface =
      static_cast<std::shared_ptr<caffe2::serialize::ReadAdapterInterface> *>(
          Adapter)
          ->get();
  ReaderScope Reading(Self, static_cast<const void *>(Interface));
  Real(Self, Adapter);
}

static void fileReader(TorchprofFileReader *Real, void *Self,
                       const void *Name) {
  ReaderScope Reading(Self, asFile(Name));
  Real(Self, Name);
}

static void streamReader(TorchprofStreamReader *Real, void *Self,
                         void *Stream) {
  ReaderScope Reading(Self, std::string_view());
  Real(Self, Stream);
}

static void readerEnd(TorchprofReaderEnd *Real, void *Self) {
  readerEnds(Self);
  Real(Self);
}

static void dependencies(TorchprofDependencies *Real, void *Self, void *Root,
                         void *Task, uint64_t Least) {
  backwardBegins(Task);
  Real(Self, Root, Task, Least);
}

static void evaluation(TorchprofEvaluation *Real, void *Self, void *Task,
                       void *Function, void *Inputs, const void *Queue) {
  EvaluationScope Evaluating(Task, Function);
  Real(Self, Task, Function, Inputs, Queue);
}

static void release(TorchprofRelease *Real, void *Self) {
  ReleaseScope Releasing;
  Real(Self);
}

static void addition(TorchprofAddition *Real, void *Self, size_t Position,
                     void *Gradient, const void *Producer, const void *Consumer,
                     void *Function) {
  AdditionScope Adding(Self, Position, Gradient);
  Real(Self, Position, Gradient, Producer, Consumer, Function);
}

} // namespace torchprof

const TorchprofHooks torchprof_attach_hooks = {
    .Executor = torchprof::executor,
    .ModeExecutor = torchprof::modeExecutor,
    .Code = torchprof::code,
    .Method = torchprof::method,
    .Plan = torchprof::plan,
    .OldPlan = torchprof::oldPlan,
    .FileAdapter = torchprof::fileAdapter,
    .AdapterReader = torchprof::adapterReader,
    .FileReader = torchprof::fileReader,
    .StreamReader = torchprof::streamReader,
    .ReaderEnd = torchprof::readerEnd,
    .Dependencies = torchprof::dependencies,
    .Evaluation = torchprof::evaluation,
    .Release = torchprof::release,
    .Addition = torchprof::addition,
};
