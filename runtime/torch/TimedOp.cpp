//===- TimedOp.cpp - the operation of a timed node ------------------------===//
//
// torchprof::timed is vararg, so the interpreter makes an Operation for each
// of its nodes and the site can be captured here. A vararg operator that has
// one Operation for all of its nodes is called with the number of its inputs
// on top of the stack; one that makes an Operation per node, as this one does,
// is not.
//
//===----------------------------------------------------------------------===//

#include "Collector.h"
#include "Probe.h"
#include "Symbols.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <stdexcept>
#include <unordered_map>

namespace torchprof {

using namespace torch::jit;

namespace {

/// Runs one operation between two readings of the clock.
template <typename Run> class Timed {
public:
  Timed(Run Inner, uint64_t Site)
      : Inner(std::move(Inner)), Site(Site), KnownSlot(slotOf(Site)) {}

  void operator()(Stack &S) {
    uint32_t Slot = KnownSlot;
    if (Slot == format::NoSlot) [[unlikely]]
      Slot = slotOf(Site);
    if (!gateIsOpen()) [[unlikely]] {
      Inner(S);
      // The window may have opened meanwhile: then the span is cut.
      if (Process.Open.load(std::memory_order_relaxed)) [[unlikely]]
        endSlot(0, Slot);
      return;
    }
    uint64_t Begin = beginSlot(Slot);
    try {
      Inner(S);
    } catch (...) {
      abandonSpan(Slot, Begin);
      throw;
    }
    endSlot(Begin, Slot);
  }

private:
  Run Inner;
  uint64_t Site;
  uint32_t KnownSlot; ///< NoSlot if the model was not registered in time
};

/// True if the operation takes the number of its inputs from the stack.
bool takesCount(const Node &N) {
  const Operator &Op = N.getOperator();
  return Op.hasOperation() && Op.schema().is_vararg();
}

/// One operator that finds its inputs on the stack.
struct RunPlain {
  Operation Op;
  void operator()(Stack &S) { Op(S); }
};

/// One operator that finds their number there too.
struct RunCounted {
  Operation Op;
  int64_t InputCount;
  void operator()(Stack &S) {
    S.emplace_back(InputCount);
    Op(S);
  }
};

/// Several operators that an optimization moved between one pair: runs them
/// in order on values of their own.
class RunGroup {
public:
  explicit RunGroup(const Graph &G) {
    std::unordered_map<const Value *, unsigned> Numbers;
    for (const Value *V : G.inputs())
      Numbers.emplace(V, unsigned(Numbers.size()));
    InputCount = unsigned(Numbers.size());
    for (const Node *N : G.nodes()) {
      Member M{N->getOperation(),
               {},
               unsigned(N->outputs().size()),
               N->getOperator().schema().is_vararg()};
      for (const Value *V : N->inputs())
        M.Inputs.push_back(Numbers.at(V));
      for (const Value *V : N->outputs())
        Numbers.emplace(V, unsigned(Numbers.size()));
      Members.push_back(std::move(M));
    }
    ValueCount = unsigned(Numbers.size());
  }

  void operator()(Stack &S) {
    std::vector<c10::IValue> Values;
    Values.reserve(ValueCount);
    for (size_t I = S.size() - InputCount; I < S.size(); ++I)
      Values.push_back(std::move(S[I]));
    S.resize(S.size() - InputCount);
    for (Member &M : Members) {
      for (unsigned Number : M.Inputs)
        S.push_back(Values[Number]);
      if (M.TakesCount)
        S.emplace_back(int64_t(M.Inputs.size()));
      M.Op(S);
      for (size_t I = S.size() - M.OutputCount; I < S.size(); ++I)
        Values.push_back(std::move(S[I]));
      S.resize(S.size() - M.OutputCount);
    }
    for (size_t I = InputCount; I < Values.size(); ++I)
      S.push_back(std::move(Values[I]));
  }

private:
  struct Member {
    Operation Op;
    std::vector<unsigned> Inputs;
    unsigned OutputCount;
    bool TakesCount;
  };
  std::vector<Member> Members;
  unsigned InputCount = 0;
  unsigned ValueCount = 0;
};

} // namespace

static Operation makeTimed(const Node *N) {
  if (!N)
    return Operation([](Stack &) {
      throw std::runtime_error("torchprof::timed exists only in the graphs "
                               "that an executor has optimized");
    });
  const Graph &Inner = *N->g(attr::Subgraph);
  auto Site = uint64_t(N->i(symbols::site()));
  const Node *First = *Inner.nodes().begin();
  if (First->next()->kind() != prim::Return)
    return Operation(Timed<RunGroup>(RunGroup(Inner), Site));
  if (takesCount(*First))
    return Operation(Timed<RunCounted>(
        {First->getOperation(), int64_t(First->inputs().size())}, Site));
  return Operation(Timed<RunPlain>({First->getOperation()}, Site));
}

static const RegisterOperators
    Registered_({Operator(symbols::timed(), makeTimed,
                          c10::AliasAnalysisKind::CONSERVATIVE)});

} // namespace torchprof
