//===- BackwardFunctions.cpp - whose gradient autograd computes -----------===//

#include "BackwardFunctions.h"

#include "Attach.h"
#include "Control.h"
#include "FrameworkCalls.h"
#include "GroupGradients.h"
#include "OpenFrames.h"
#include "Pages.h"
#include "Probe.h"

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <c10/core/GradMode.h>
#include <c10/util/Type.h>
#include <torch/csrc/autograd/function.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <typeinfo>
#include <utility>

namespace torchprof {

using format::Slot;

void claimMade(Lane &L, Slot Site) noexcept {
  L.Functions->claim(at::sequence_number::peek(), Site);
}

/// The child at a slot; null for a site of a model, and for none.
static const RegisteredChild *childAt(Slot Site) {
  return Site == format::NoSlot ? nullptr : Line.Children.childAt(Site);
}

Slot siteBelow(Slot Site) {
  while (const RegisteredChild *Child = childAt(Site))
    Site = Child->Parent;
  return Site;
}

/// True for a function of autograd, and for what lies over one.
static bool isOfGradient(Slot Site) {
  const RegisteredChild *Child = childAt(Site);
  while (Child && Child->Kind != format::DynamicKind::Backward)
    Child = childAt(Child->Parent);
  return Child;
}

/// False while the engine evaluates a function whose computation makes none:
/// what a hook of the host makes meanwhile is the host's.
static thread_local bool DoGradientsMake = true;

/// The span that waits for the function which is open.
static thread_local WaitingSpan SpanWaiting;

Slot nodeWaiting() noexcept { return siteBelow(SpanWaiting.Site); }

WaitingSpan spanHere() noexcept {
  Lane *L = ThisLane;
  if (!L || !L->Owner)
    return {};
  Slot Here = format::slotOfCurrent(L->Current);
  return isSuspended(Here) ? WaitingSpan()
                           : WaitingSpan{Here, L->CurrentTicks, L};
}

void claimMadeInCurrent(Lane &L) noexcept {
  uint64_t Next = at::sequence_number::peek();
  if (Next == L.Functions->claimed())
    return;
  Slot Current = format::slotOfCurrent(L.Current);
  bool IsHosts =
      isSuspended(Current) || (!DoGradientsMake && isOfGradient(Current));
  L.Functions->claim(Next, IsHosts ? format::NoSlot : siteBelow(Current));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// "DifferentiableGraphBackward" of a name in namespaces.
static std::string_view shortName(std::string_view Name) {
  size_t Space = Name.rfind("::");
  return Space == Name.npos || Name.find('<') != Name.npos
             ? Name
             : Name.substr(Space + 2);
}

static void watchBackward();

static void lookForFunctions(Lane &L) {
  watchBackward();
  uint64_t Next = at::sequence_number::peek();
  if (L.OwnFunctions) {
    L.OwnFunctions->resume(Next);
  } else if (uint64_t Asked = FunctionRings::ended() + 1;
             L.RefusedFunctions != Asked) {
    L.OwnFunctions = Line.Functions.own(at::RecordFunction::currentThreadId(),
                                        Next, PageSource::system());
    L.RefusedFunctions = L.OwnFunctions ? 0 : Asked;
  }
  L.Functions = L.OwnFunctions;
}

Slot functionSite(Slot Maker, std::string_view Name) {
  return Line.Children.childSlot(Maker, format::DynamicKind::Backward,
                                 SiteName(shortName(Name)));
}

static Slot functionSite(Slot Maker, const torch::autograd::Node &Function) {
  const char *Type = typeid(Function).name();
  Slot Known = knownFunction(Maker, Type);
  if (Known != format::NoSlot) [[likely]]
    return Known;
  std::string Name = Function.name();
  Slot Site = functionSite(Maker, Name);
  // Python's functions are of one type and have names of their own.
  if (shortName(Name) == shortName(c10::demangle(Type)))
    keepFunction(Maker, Type, Site);
  return Site;
}

static OpenFunction open(Slot Site) {
  OpenFunction Open;
  Open.Site = Site;
  Open.WatchesOperators = watchOperators();
  Open.Begin = beginFunction(Open.Site);
  if (Lane *L = ThisLane; L && !L->Functions && c10::GradMode::is_enabled())
    lookForFunctions(*L); // of second derivatives
  return Open;
}

static void close(const OpenFunction &Open) {
  endSlot(Open.Begin, Open.Site, SpanWaiting.Site, SpanWaiting.Begin,
          SpanWaiting.On);
  if (Open.WatchesOperators)
    leaveOperators();
}

//===----------------------------------------------------------------------===//
// What LibTorch calls where there are no hooks
//===----------------------------------------------------------------------===//

namespace {
struct ObservedFunction : at::ObserverContext {
  explicit ObservedFunction(const OpenFunction &Of) : Of(Of) {}
  OpenFunction Of;
};

enum class ToldBy { Nobody, LibTorch, Hooks };
} // namespace

static std::atomic<ToldBy> Told = ToldBy::Nobody;
static at::CallbackHandle Callback; ///< set before Told is LibTorch

static std::unique_ptr<at::ObserverContext>
functionBegins(const at::RecordFunction &Function) try {
  claimFunctions();
  if (!ensureRecording())
    return nullptr;
  Slot Maker = Line.Functions.makerOf(Function.forwardThreadId(),
                                      uint64_t(Function.seqNr()));
  return std::make_unique<ObservedFunction>(
      open(functionSite(Maker, Function.name())));
} catch (const std::bad_alloc &) {
  count(format::Counter::LostNoMemory);
  return nullptr;
}

static void functionEnds(const at::RecordFunction &,
                         at::ObserverContext *Context) {
  claimFunctions();
  if (Context)
    close(static_cast<ObservedFunction *>(Context)->Of);
}

/// Lets LibTorch call us for the functions that run in backward, and for
/// nothing else: operators of the forward do not ask for it.
static void watchBackward() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    Callback = at::addGlobalCallback(
        at::RecordFunctionCallback(functionBegins, functionEnds)
            .scopes({at::RecordScope::BACKWARD_FUNCTION}));
    Told.store(ToldBy::LibTorch, std::memory_order_release);
  });
}

//===----------------------------------------------------------------------===//
// What the hooks call
//===----------------------------------------------------------------------===//

/// The first function that a hook sees: from now on LibTorch need not tell.
static void leaveToHooks() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    if (!currentOptions().Hooks)
      return;
    at::removeCallback(Callback);
    Told.store(ToldBy::Hooks, std::memory_order_release);
  });
}

bool takeOverFunctions() noexcept try {
  ToldBy Now = Told.load(std::memory_order_acquire);
  if (Now != ToldBy::LibTorch) [[likely]]
    return Now == ToldBy::Hooks;
  leaveToHooks();
  return Told.load(std::memory_order_acquire) == ToldBy::Hooks;
} catch (const std::exception &) {
  return false;
}

std::optional<OpenFunction> openFunction(const torch::autograd::Node &Function,
                                         Slot PassedBy,
                                         WaitingSpan WaitingFor) noexcept try {
  claimFunctions();
  if (!ensureRecording())
    return std::nullopt;
  Slot Maker =
      PassedBy == format::NoSlot
          ? Line.Functions.makerOf(Function.thread_id(), Function.sequence_nr())
          : siteBelow(PassedBy);
  OpenFunction Open = open(functionSite(Maker, Function));
  Open.OuterMakes = std::exchange(DoGradientsMake, c10::GradMode::is_enabled());
  Open.OuterWaiting = std::exchange(SpanWaiting, WaitingFor);
  beginFunctionOf(Function);
  return Open;
} catch (const std::exception &) {
  count(format::Counter::LostNoMemory);
  return std::nullopt;
}

void closeFunction(const OpenFunction &Open) noexcept {
  claimFunctions();
  endFunction();
  DoGradientsMake = Open.OuterMakes;
  close(Open);
  SpanWaiting = Open.OuterWaiting;
}

namespace {
/// The site of what backwards do that belongs to no node.
class OutsideSite {
public:
  explicit constexpr OutsideSite(const char *Name) : Name(Name) {}

  /// NoSlot without memory. May throw.
  Slot get() {
    Slot Site = Known.load(std::memory_order_relaxed);
    if (Site != format::NoSlot) [[likely]]
      return Site;
    Site = Line.Children.childSlot(
        format::NoSlot, format::DynamicKind::Backward, SiteName(Name));
    Known.store(Site, std::memory_order_relaxed);
    return Site;
  }

private:
  const char *const Name;
  std::atomic<Slot> Known = format::NoSlot;
};
} // namespace

static OutsideSite EngineSite(format::EngineName),
    PlansSite(format::BackwardPlansName);

void noteEngine(uint64_t Begin, uint64_t End, WaitingSpan WaitingFor) noexcept
    try {
  if (!ensureRecording())
    return;
  Lane *L = ThisLane;
  Slot Here = L ? format::slotOfCurrent(L->Current) : format::NoSlot;
  Slot Around = siteBelow(Here == format::NoSlot ? WaitingFor.Site : Here);
  if (Around != format::NoSlot && !isSuspended(Around))
    return;
  bookSpan(EngineSite.get(), Begin, End);
} catch (const std::bad_alloc &) {
  count(format::Counter::LostNoMemory);
}

/// The node of a model in which a backward runs on the lane, or which waits for
/// it; NoSlot in a host's.
static Slot nodeAroundBackward(Lane &L) {
  Slot Site = format::slotOfCurrent(L.Current);
  for (uint32_t I = L.Depth; I-- > 0 && isOfGradient(Site);)
    Site = format::slotOfCurrent(frameAt(L, I).Outer);
  if (Site == format::NoSlot)
    Site = SpanWaiting.Site;
  if (isOfGradient(Site))
    return format::NoSlot;
  Slot Node = siteBelow(Site);
  return isSuspended(Node) ? format::NoSlot : Node;
}

void notePlansMade(uint64_t Begin, uint64_t End) noexcept try {
  if (!ensureRecording())
    return;
  Lane *L = ThisLane;
  if (!L || !isOfGradient(format::slotOfCurrent(L->Current)))
    return;
  Slot Node = nodeAroundBackward(*L);
  bookSpan(Node == format::NoSlot
               ? PlansSite.get()
               : functionSite(Node, format::BackwardPlansName),
           Begin, End);
} catch (const std::bad_alloc &) {
  count(format::Counter::LostNoMemory);
}

//===----------------------------------------------------------------------===//
// Who makes functions
//===----------------------------------------------------------------------===//

void followGradMode() noexcept try {
  Lane *L = ThisLane;
  if (!L || !L->Owner || c10::GradMode::is_enabled() == bool(L->Functions))
    return;
  if (!L->Functions)
    lookForFunctions(*L);
  else if (openRoots(*L) <= 1)
    L->Functions = nullptr;
} catch (const std::exception &) {
  // No memory for a callback: gradients are not told apart.
}

void expectBackward() noexcept try {
  if (Told.load(std::memory_order_relaxed) != ToldBy::Nobody ||
      !c10::GradMode::is_enabled())
    return;
  static const bool MayOpen = currentOptions().Enabled;
  if (MayOpen)
    watchBackward();
} catch (const std::exception &) {
  // As above.
}

} // namespace torchprof
