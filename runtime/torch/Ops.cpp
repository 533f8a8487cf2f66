//===- Ops.cpp - the probes as TorchScript operators ----------------------===//
//
// The interpreter shares one Operation among all nodes that have the same
// schema, so the site is read from the stack, never captured. CONSERVATIVE
// gives the ops side effects: nothing removes, merges or moves them; their
// arguments are integers, so they write to nothing and freezing still works.
// Those that take operands besides exist where neither is done any more.
//
//===----------------------------------------------------------------------===//

#include "BackwardFunctions.h"
#include "Calibrate.h"
#include "GroupGradients.h"
#include "OpenFrames.h"
#include "Probe.h"

#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/operator.h>

namespace torchprof {

using torch::jit::drop;
using torch::jit::Operation;
using torch::jit::Operator;
using torch::jit::peek;
using torch::jit::Stack;

template <typename Function>
static Operator probe(const char *Schema, Function Run) {
  return Operator(Schema, Operation(Run), c10::AliasAnalysisKind::CONSERVATIVE);
}

static format::Slot toSlot(const c10::IValue &Number) {
  return format::Slot(static_cast<uint32_t>(Number.toInt()));
}

/// Takes the number of an operator's arguments from the stack, which LibTorch
/// puts there for a vararg one. Returns how many there are beside \p Fixed
/// ones.
static uint16_t takeOperandCount(Stack &S, unsigned Fixed) {
  auto Count = uint16_t(S.back().toInt() - Fixed);
  S.pop_back();
  return Count;
}

/// Begins a method's root, as enterRoot() says.
static int64_t enter(format::SiteId Site, uintptr_t Frame, const Operands &Of) {
  calibrateBeforeFirstRun();
  claimFunctions();
  uint64_t Begin = enterRoot(Site, Frame, Of);
  if (beganShut(Begin))
    expectBackward();
  else
    followGradMode();
  return static_cast<int64_t>(Begin);
}

/// True in a run that is recorded. A task, and what follows a wait on another
/// thread, have no root on theirs, which may not even have a lane yet.
static bool isRecorded() {
  Lane *L = ThisLane;
  return (L && L->Owner && hasOpenRoot(*L)) || ensureLane();
}

// Lambdas, not functions: the interpreter then makes one indirect call, not
// two.
static const torch::jit::RegisterOperators ProbeOps({
    probe("torchprof::begin(int site) -> int",
          [](Stack &S) {
            claimFunctions();
            c10::IValue &Top = S.back();
            Top = static_cast<int64_t>(
                beginSpan(format::SiteId::fromNumber(Top.toInt())));
          }),
    probe("torchprof::end(int begin, int site) -> ()",
          [](Stack &S) {
            auto Site = format::SiteId::fromNumber(S.back().toInt());
            S.pop_back();
            auto Begin = uint64_t(S.back().toInt());
            S.pop_back();
            claimFunctions();
            endSpan(Begin, Site);
          }),
    probe("torchprof::begin_slot(int slot) -> int",
          [](Stack &S) {
            claimFunctions();
            c10::IValue &Top = S.back();
            Top = static_cast<int64_t>(beginSlot(toSlot(Top)));
          }),
    probe("torchprof::end_slot(int begin, int slot) -> ()",
          [](Stack &S) {
            auto Site = toSlot(S.back());
            S.pop_back();
            auto Begin = uint64_t(S.back().toInt());
            S.pop_back();
            claimFunctions();
            endSlot(Begin, Site);
          }),
    probe("torchprof::begin_part(int slot) -> int",
          [](Stack &S) {
            claimFunctions(); // those of the span around
            c10::IValue &Top = S.back();
            Top = static_cast<int64_t>(beginPart(toSlot(Top)));
          }),
    probe("torchprof::end_part(int begin, int slot) -> ()",
          [](Stack &S) {
            auto Site = toSlot(S.back());
            S.pop_back();
            auto Begin = uint64_t(S.back().toInt());
            S.pop_back();
            endPart(Begin, Site);
          }),
    probe("torchprof::pause_part() -> int",
          [](Stack &S) {
            claimFunctions();
            S.emplace_back(int64_t(format::number(pausePart())));
          }),
    probe("torchprof::resume_part(int slot) -> ()",
          [](Stack &S) {
            auto Site = toSlot(S.back());
            S.pop_back();
            claimFunctions();
            if (Site != format::NoSlot)
              beginPart(Site);
          }),
    probe("torchprof::follow_grad_mode() -> ()",
          [](Stack &) {
            claimFunctions();
            if (isRecorded())
              followGradMode();
          }),
    probe("torchprof::leave() -> ()",
          [](Stack &) { // as far below the interpreter's frame as enter
            auto Frame =
                reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
            claimFunctions();
            leaveRoots(Frame);
          }),
    // Slots, and as many gradients, each of which is of its slot's site.
    probe("torchprof::note_gradients(int[] needing, int[] unused, ...) -> ()",
          [](Stack &S) {
            uint16_t Count = takeOperandCount(S, 2);
            beginGradients(peek(S, 0, Count + 2u));
            c10::ArrayRef<c10::IValue> Unused =
                peek(S, 1, Count + 2u).toListRef();
            for (unsigned I = 0; I < Count; ++I)
              noteGradient(peek(S, I + 2, Count + 2u), toSlot(Unused[I]));
            endGradients();
            drop(S, Count + 2u);
          }),
    // Slots, and as many tensors, whose time to be freed is of their slots'.
    probe("torchprof::free_inputs(int[] freed, ...) -> ()",
          [](Stack &S) {
            uint16_t Count = takeOperandCount(S, 1);
            c10::IValue Freed = peek(S, 0, Count + 1u);
            for (unsigned I = Count; I-- > 0; S.pop_back())
              freeInput(S.back(), toSlot(Freed.toListRef()[I]));
            endGradients();
            S.pop_back();
          }),
    probe("torchprof::enter(Any manifest, int site) -> int",
          [](Stack &S) {
            auto Site = format::SiteId::fromNumber(S.back().toInt());
            S.pop_back();
            auto Frame =
                reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
            S.back() = enter(Site, Frame, {});
          }),
    probe("torchprof::begin_with(int site, ...) -> int",
          [](Stack &S) {
            uint16_t Count = takeOperandCount(S, 1);
            auto Site =
                format::SiteId::fromNumber(peek(S, 0, Count + 1).toInt());
            claimFunctions();
            uint64_t Begin = beginSpan(Site, {&S, Count, 0});
            drop(S, Count);
            S.back() = static_cast<int64_t>(Begin);
          }),
    probe("torchprof::end_with(int begin, int site, ...) -> ()",
          [](Stack &S) {
            uint16_t Count = takeOperandCount(S, 2);
            auto Begin = uint64_t(peek(S, 0, Count + 2).toInt());
            auto Site =
                format::SiteId::fromNumber(peek(S, 1, Count + 2).toInt());
            claimFunctions();
            endSpan(Begin, Site, {&S, 0, Count});
            drop(S, Count + 2);
          }),
    probe("torchprof::enter_with(int site, ...) -> int",
          [](Stack &S) { // as far below the interpreter's frame as enter
            auto Frame =
                reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
            uint16_t Count = takeOperandCount(S, 1);
            auto Site =
                format::SiteId::fromNumber(peek(S, 0, Count + 1).toInt());
            int64_t Begin = enter(Site, Frame, {&S, Count, 0});
            drop(S, Count);
            S.back() = Begin;
          }),
});

} // namespace torchprof
