//===- BackwardFunctions.cpp - whose gradient autograd computes -----------===//

#include "BackwardFunctions.h"

#include "FrameworkCalls.h"
#include "OpenFrames.h"
#include "Pages.h"
#include "Probe.h"

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <c10/core/GradMode.h>

#include <memory>
#include <mutex>
#include <new>
#include <string_view>

namespace torchprof {

using format::Slot;

void claimMade(Lane &L, Slot Site) noexcept {
  L.Functions->claim(at::sequence_number::peek(), Site);
}

/// The method or node that a span lies over, or the span's own site.
static Slot siteBelow(Slot Site) {
  while (const RegisteredChild *Child =
             Site == format::NoSlot ? nullptr : Line.Children.childAt(Site))
    Site = Child->Parent;
  return Site;
}

void claimMadeInCurrent(Lane &L) noexcept {
  uint64_t Next = at::sequence_number::peek();
  if (Next != L.Functions->claimed())
    L.Functions->claim(Next, siteBelow(format::slotOfCurrent(L.Current)));
}

//===----------------------------------------------------------------------===//
// What LibTorch calls
//===----------------------------------------------------------------------===//

namespace {
struct OpenFunction : at::ObserverContext {
  Slot Site;
  uint64_t Begin;
  bool WatchesOperators;
};
} // namespace

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
  L.Functions =
      Line.Functions.own(at::RecordFunction::currentThreadId(),
                         at::sequence_number::peek(), PageSource::system());
}

static std::unique_ptr<at::ObserverContext>
functionBegins(const at::RecordFunction &Function) try {
  claimFunctions();
  if (!ensureRecording())
    return nullptr;
  Slot Maker = Line.Functions.makerOf(Function.forwardThreadId(),
                                      uint64_t(Function.seqNr()));
  auto Open = std::make_unique<OpenFunction>();
  Open->Site = Line.Children.childSlot(Maker, format::DynamicKind::Backward,
                                       SiteName(shortName(Function.name())));
  Open->WatchesOperators = watchOperators();
  Open->Begin = beginFunction(Open->Site);
  if (Lane *L = ThisLane; L && !L->Functions && c10::GradMode::is_enabled())
    lookForFunctions(*L); // of second derivatives
  return Open;
} catch (const std::bad_alloc &) {
  count(format::Counter::LostNoMemory);
  return nullptr;
}

static void functionEnds(const at::RecordFunction &,
                         at::ObserverContext *Context) {
  claimFunctions();
  auto *Open = static_cast<OpenFunction *>(Context);
  if (!Open)
    return;
  endFunction(Open->Begin, Open->Site);
  if (Open->WatchesOperators)
    leaveOperators();
}

/// Lets LibTorch call us for the functions that run in backward, and for
/// nothing else: operators of the forward do not ask for it.
static void watchBackward() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    at::addGlobalCallback(
        at::RecordFunctionCallback(functionBegins, functionEnds)
            .scopes({at::RecordScope::BACKWARD_FUNCTION}));
  });
}

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

} // namespace torchprof
