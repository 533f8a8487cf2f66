//===- Ops.cpp - the probes as TorchScript operators ----------------------===//
//
// The interpreter shares one Operation among all nodes that have the same
// schema, so the site is read from the stack, never captured. CONSERVATIVE
// gives the ops side effects: nothing removes, merges or moves them; their
// arguments are integers, so they write to nothing and freezing still works.
//
//===----------------------------------------------------------------------===//

#include "Collector.h"
#include "ManifestClass.h"
#include "Probe.h"

#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/operator.h>

namespace torchprof {

using torch::jit::Operation;
using torch::jit::Operator;
using torch::jit::Stack;

/// begin(int site) -> int
static void beginOp(Stack &S) {
  c10::IValue &Top = S.back();
  Top = static_cast<int64_t>(beginSpan(uint64_t(Top.toInt())));
}

/// end(int begin, int site) -> ()
static void endOp(Stack &S) {
  uint64_t Site = uint64_t(S.back().toInt());
  uint64_t Begin = uint64_t(S[S.size() - 2].toInt());
  S.resize(S.size() - 2);
  endSpan(Begin, Site);
}

/// enter(Any manifest, int site) -> int
static void enterOp(Stack &S) {
  bool Hidden = Process.HasConflicts.load(std::memory_order_relaxed) != 0 &&
                manifestIsHidden(S[S.size() - 2]);
  uint64_t Site = uint64_t(S.back().toInt());
  S.pop_back();
  auto Frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  S.back() = static_cast<int64_t>(enterRoot(Site, Frame, Hidden));
}

static Operator probe(const char *Schema, void (*Function)(Stack &)) {
  return Operator(Schema, Operation(Function),
                  c10::AliasAnalysisKind::CONSERVATIVE);
}

static const torch::jit::RegisterOperators Registered_({
    probe("torchprof::begin(int site) -> int", beginOp),
    probe("torchprof::end(int begin, int site) -> ()", endOp),
    probe("torchprof::enter(Any manifest, int site) -> int", enterOp),
});

} // namespace torchprof
