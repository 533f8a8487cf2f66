//===- TimedOp.cpp - the operation of a timed node ------------------------===//
//
// torchprof::timed is vararg, so the interpreter makes an Operation for each
// of its nodes and the site can be captured here. A vararg operator that has
// one Operation for all of its nodes is called with the number of its inputs
// on top of the stack; one that makes an Operation per node, as this one does,
// is not.
//
//===----------------------------------------------------------------------===//

#include "BackwardFunctions.h"
#include "Control.h"
#include "MeasuredSpan.h"
#include "Probe.h"
#include "SignatureKey.h"
#include "Symbols.h"
#include "TableLock.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <unordered_map>

namespace torchprof {

using namespace torch::jit;

namespace {

/// What a timed node's operation knows of the node.
struct NodeTraits {
  uint16_t Inputs;         ///< on the stack
  uint8_t Outputs;         ///< the last so many of them, if they are more
  bool FollowsTimed : 1;   ///< see followsTimed()
  bool MakesFunctions : 1; ///< of autograd, which are filed under its site
};

// What follows is made for two types of spans, as the option `reads` says: a
// node does not ask for it when it runs.

template <typename SpanType>
inline SpanType beginNode(format::Slot Site, Stack &S, NodeTraits Of) {
  Operands Operands{&S, Of.Inputs, Of.Outputs};
  if constexpr (std::is_same_v<SpanType, ChainedSpan>)
    return ChainedSpan(Site, Operands, Of.FollowsTimed);
  else
    return FrameSpan(Site, Operands);
}

/// On a lane that is open.
template <typename SpanType>
inline SpanType beginHot(Lane &L, format::Slot Site, NodeTraits Of) {
  if constexpr (std::is_same_v<SpanType, ChainedSpan>)
    return ChainedSpan(Site, L, Of.FollowsTimed);
  else
    return FrameSpan(Site, L);
}

/// How a node's operation is called. Fits a register, so that to hand it on
/// keeps nothing on the stack: that can be the last thing a function does.
template <typename Operation> struct Call {
  Operation *Callee;
  void operator()(Stack &S) const { (*Callee)(S); }
};
/// Of an operator of the dispatcher.
template <> struct Call<const c10::OperatorHandle> {
  const c10::OperatorHandle *Callee;
  void operator()(Stack &S) const { Callee->callBoxed(S); }
};

/// Runs \p Inner in a span that has begun, and files the functions that it
/// made.
template <typename SpanType, typename Operation>
inline void runIn(SpanType &Span, Call<Operation> Inner, format::Slot Site,
                  Stack &S, NodeTraits Of) {
  try {
    Inner(S);
  } catch (...) {
    Span.abandon();
    throw;
  }
  Span.end();
  if (Of.MakesFunctions)
    claimFunctions(Site);
}

// The ways that are not hot are functions of their own, so that the code of an
// ordinary node lies in few lines: a node that streams megabytes has pushed
// them out. They are tail calls, so that the stack is no deeper (see
// TimedHandle).

/// Runs \p Inner in a span, if one is recorded, where the lane is not open or
/// autograd functions are made.
template <typename SpanType, typename Operation>
inline void recordAsFound(Call<Operation> Inner, format::Slot Site, Stack &S,
                          NodeTraits Of) {
  if (!ensureRecording())
    return Inner(S);
  // The end of the span before has claimed all if it was recorded, and then the
  // lane is open.
  if (Of.MakesFunctions && (!Of.FollowsTimed || !isOpen(ThisLane)))
    claimFunctions();
  auto Span = beginNode<SpanType>(Site, S, Of);
  runIn(Span, Inner, Site, S, Of);
}
template <typename SpanType, typename Operation>
[[gnu::noinline, gnu::flatten]] void
recordRare(Call<Operation> Inner, format::Slot Site, Stack &S, NodeTraits Of) {
  recordAsFound<SpanType>(Inner, Site, S, Of);
}

/// Runs \p Inner in a span that has begun on a lane of which it needs no cold
/// path, and files the functions that it made. \p Of may be the node's own: the
/// plan outlives the call.
template <typename SpanType, typename Operation>
[[gnu::always_inline]] inline void
runHot(const SpanType &Span, Lane &L, Call<Operation> Inner, format::Slot Site,
       Stack &S, const NodeTraits &Of) {
  try {
    Inner(S);
  } catch (...) {
    Span.abandonHot();
    throw;
  }
  Span.endHot();
  // A model that ran in the node may have begun to make them.
  if (L.Functions && Of.MakesFunctions) [[unlikely]]
    claimFunctions(Site);
}

/// Runs \p Inner in a span where more than time is measured.
template <typename Operation>
[[gnu::noinline, gnu::flatten]] void recordMeasured(Call<Operation> Inner,
                                                    format::Slot Site, Stack &S,
                                                    NodeTraits Of, Lane &L) {
  if (Of.MakesFunctions)
    claimFunctions();
  MeasuredSpan Span(Site, L, Operands{&S, Of.Inputs, Of.Outputs});
  runIn(Span, Inner, Site, S, Of);
}

/// How a node runs.
enum class Way {
  Hot,      ///< in an ordinary span
  Shut,     ///< in none: nothing is recorded
  Measured, ///< in one of which more than time is measured
  Rare,     ///< as the cold path finds
};
/// On a lane, which is null before the thread's first span.
inline Way wayOn(const Lane *L) {
  uint64_t Since = L ? since(*L) : 0;
  if (isOpenSince(Since) && !L->Functions) [[likely]]
    return Way::Hot;
  if (Since == GateShut)
    return Way::Shut;
  return L && L->Nodes != NodeMeasures::None ? Way::Measured : Way::Rare;
}

/// Runs \p Inner in an ordinary span.
template <typename SpanType, typename Operation>
inline void record(Lane &L, Call<Operation> Inner, format::Slot Site, Stack &S,
                   const NodeTraits &Of) {
  const SpanType Span = beginHot<SpanType>(L, Site, Of);
  runHot(Span, L, Inner, Site, S, Of);
}

/// The same while the gate is open. While it is shut, the call is a tail call.
/// If a window opens during that call, the span is not counted as cut; the run
/// around it is.
template <typename SpanType, typename Operation>
inline void timed(Operation &Inner, format::Slot Site, Stack &S,
                  NodeTraits Of) {
  Call<Operation> Run{&Inner};
  Lane *L = ThisLane;
  switch (wayOn(L)) {
  case Way::Hot:
    return record<SpanType>(*L, Run, Site, S, Of);
  case Way::Shut:
    return Run(S);
  case Way::Measured:
    return recordMeasured(Run, Site, S, Of, *L);
  case Way::Rare:
    return recordRare<SpanType>(Run, Site, S, Of);
  }
}

/// What all timed nodes of one operator share.
struct SharedOperator {
  std::shared_ptr<Operator> Owner; ///< its address must not become another's
  Operation Run = nullptr;
  std::optional<c10::OperatorHandle> Handle; ///< if it is the dispatcher's
};

/// Times an operator that needs nothing of its node. It fits into
/// std::function's own storage, so that a node touches no cache line on the
/// heap before its operator does.
template <typename SpanType> struct TimedShared {
  SharedOperator *Op;
  format::Slot Site;
  NodeTraits Of;
  void operator()(Stack &S) { timed<SpanType>(Op->Run, Site, S, Of); }
};

/// The same for an operator of the dispatcher, which can be called without
/// LibTorch's Operation in between. With the dispatcher's call inlined, the
/// stack is as deep as without probes: LibTorch's call depth already fills the
/// return stack buffer, and every extra frame is one misprediction, about 10
/// ns.
struct HandleNode {
  SharedOperator *Op;
  format::Slot Site;
  NodeTraits Of;

  Call<const c10::OperatorHandle> call() const { return {&*Op->Handle}; }
};

// Each way is a function of its own, so that what one needs of the stack and of
// registers costs the others nothing.

[[gnu::noinline, gnu::flatten]] void callHandle(const c10::OperatorHandle &Op,
                                                Stack &S) {
  Op.callBoxed(S);
}

template <typename SpanType>
[[gnu::noinline, gnu::flatten, gnu::hot]] void
recordHandle(const HandleNode &Node, Stack &S, Lane *L) {
  record<SpanType>(*L, Node.call(), Node.Site, S, Node.Of);
}

template <typename SpanType>
[[gnu::noinline, gnu::flatten]] void recordHandleRare(const HandleNode &Node,
                                                      Stack &S, Lane *) {
  recordAsFound<SpanType>(Node.call(), Node.Site, S, Node.Of);
}

[[gnu::noinline]] void recordHandleMeasured(const HandleNode &Node, Stack &S,
                                            Lane *L) {
  recordMeasured(Node.call(), Node.Site, S, Node.Of, *L);
}

/// In a span that has a way of its own.
template <bool WithMemory, bool WithShapes>
[[gnu::noinline, gnu::flatten, gnu::hot]] void
recordHandleLean(const HandleNode &Node, Stack &S, Lane *L) {
  using Span = LeanSpan<WithMemory, WithShapes>;
  typename Span::Places At;
  auto Key = [&] { return signatureKey(S, Node.Of.Inputs); };
  if (L->Functions || !Span::findPlaces(*L, Node.Site, Key, At)) [[unlikely]]
    return recordHandleMeasured(Node, S, L);
  const Span Begun(Node.Site, *L, At);
  runHot(Begun, *L, Node.call(), Node.Site, S, Node.Of);
}

template <typename SpanType> struct TimedHandle : HandleNode {
  void operator()(Stack &S) const {
    Lane *L = ThisLane;
    switch (wayOn(L)) {
    case Way::Hot:
      return recordHandle<SpanType>(*this, S, L);
    case Way::Shut:
      return callHandle(*Op->Handle, S);
    case Way::Measured:
    case Way::Rare:
      return Others[unsigned(L ? L->Nodes : NodeMeasures::None)](*this, S, L);
    }
  }

private:
  /// By NodeMeasures.
  static constexpr void (*Others[])(const HandleNode &, Stack &, Lane *) = {
      /*None=*/recordHandleRare<SpanType>,
      /*Any=*/recordHandleMeasured,
      /*Memory=*/recordHandleLean<true, false>,
      /*Shapes=*/recordHandleLean<false, true>,
      /*MemoryAndShapes=*/recordHandleLean<true, true>,
  };
  static_assert(std::size(Others) ==
                unsigned(NodeMeasures::MemoryAndShapes) + 1);
};

template <typename T>
constexpr bool StoredInFunction =
    sizeof(T) <= 2 * sizeof(void *) && std::is_trivially_copyable_v<T>;
static_assert(StoredInFunction<TimedShared<FrameSpan>> &&
              StoredInFunction<TimedHandle<FrameSpan>>);

/// Times an operation of the node's own.
template <typename Run, typename SpanType> class Timed {
public:
  Timed(Run Inner, format::SiteId Id, NodeTraits Of)
      : Inner(std::move(Inner)), Id(Id), KnownSite(Line.Models.slotOf(Id)),
        Of(Of) {}

  void operator()(Stack &S) {
    format::Slot Site = KnownSite;
    if (Site == format::NoSlot) [[unlikely]]
      Site = Line.Models.slotOf(Id);
    timed<SpanType>(Inner, Site, S, Of);
  }

private:
  Run Inner;
  format::SiteId Id;
  format::Slot KnownSite; ///< NoSlot if the model was not registered in time
  NodeTraits Of;
};

/// The node's operator if all of its nodes run the same operation, else null.
/// Lives as long as the process.
SharedOperator *sharedOperator(const Node &N) {
  static auto &Known =
      *new std::unordered_map<const Operator *, SharedOperator>;
  const Operator &Op = N.getOperator();
  if (!Op.hasOperation())
    return nullptr;
  TableLock Lock;
  auto It = Known.find(&Op);
  if (It != Known.end())
    return &It->second;
  for (const std::shared_ptr<Operator> &Owner : getAllOperatorsFor(N.kind())) {
    if (Owner.get() != &Op)
      continue;
    SharedOperator &Shared = Known[&Op];
    Shared = {Owner, Op.getOperation(&N), std::nullopt};
    if (Op.isC10Op())
      if (auto Handle = c10::Dispatcher::singleton().findSchema(
              {Op.schema().name(), Op.schema().overload_name()}))
        Shared.Handle = *Handle;
    return &Shared;
  }
  return nullptr;
}

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

/// Several operators that an optimization moved between one pair.
struct RunGroup {
  Code Plan;
  void operator()(Stack &S) { InterpreterState(Plan).run(S); }
};

} // namespace

/// True if nothing between \p N and the timed node before it in its block can
/// make an autograd function.
static bool followsTimed(const Node *N) {
  for (N = N->prev(); N->kind() != prim::Return; N = N->prev())
    switch (N->kind()) {
    case prim::Constant:
    case prim::GetAttr:
    case prim::ListConstruct:
    case prim::ListUnpack:
    case prim::TupleConstruct:
    case prim::TupleUnpack:
      continue;
    default:
      return N->kind() == symbols::timed();
    }
  return false;
}

static NodeTraits traitsOf(const Node *N) {
  constexpr size_t MostInputs = UINT16_MAX, MostOutputs = UINT8_MAX;
  return {uint16_t(std::min(N->inputs().size(), MostInputs)),
          uint8_t(std::min(N->outputs().size(), MostOutputs)), followsTimed(N),
          !N->hasAttribute(symbols::gradientsAreCut())};
}

/// The operation of a timed node that records spans of the type.
template <typename SpanType> static Operation makeRecorder(const Node *N) {
  std::shared_ptr<Graph> Group = N->g(attr::Subgraph);
  const Graph &Inner = *Group;
  auto Id = format::SiteId::fromNumber(N->i(symbols::site()));
  const Node *First = *Inner.nodes().begin();
  NodeTraits Of = traitsOf(N);
  if (First->next()->kind() != prim::Return)
    return Operation(
        Timed<RunGroup, SpanType>({Code(Group, "<torchprof group>")}, Id, Of));
  if (takesCount(*First))
    return Operation(Timed<RunCounted, SpanType>(
        {First->getOperation(), int64_t(First->inputs().size())}, Id, Of));
  format::Slot Site = Line.Models.slotOf(Id);
  SharedOperator *Shared = sharedOperator(*First);
  if (Shared && Site != format::NoSlot)
    return Shared->Handle ? Operation(TimedHandle<SpanType>{{Shared, Site, Of}})
                          : Operation(TimedShared<SpanType>{Shared, Site, Of});
  return Operation(Timed<RunPlain, SpanType>({First->getOperation()}, Id, Of));
}

static Operation makeTimed(const Node *N) {
  if (!N)
    return Operation([](Stack &) {
      throw std::runtime_error("torchprof::timed exists only in the graphs "
                               "that an executor has optimized");
    });
  return currentOptions().Reads == "one" ? makeRecorder<ChainedSpan>(N)
                                         : makeRecorder<FrameSpan>(N);
}

static const RegisterOperators
    TimedOps({Operator(symbols::timed(), makeTimed,
                       c10::AliasAnalysisKind::CONSERVATIVE)});

} // namespace torchprof
