//===- Parts.cpp - what the interpreter does beside nodes -----------------===//

#include "Parts.h"

#include "Scripts.h"
#include "Tag.h"

#include "torch/Attach.h"
#include "torch/Symbols.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <vector>

namespace torchprof {

using namespace torch::jit;

namespace {

/// What parts lie in.
struct Span {
  std::optional<format::SiteId> Site; ///< null of a gradient
  PartRuns How = PartRuns::Inside;
};

bool opensPart(const Node *N) {
  return N->kind() == symbols::begin() || N->kind() == symbols::beginWith() ||
         N->kind() == symbols::beginSlot() || N->kind() == symbols::enter() ||
         N->kind() == symbols::enterWith();
}

bool closesPart(const Node *N) {
  return N->kind() == symbols::end() || N->kind() == symbols::endWith() ||
         N->kind() == symbols::endSlot();
}

/// What a probe opens.
Span spanOf(const Node *Opens) {
  if (Opens->kind() == symbols::beginSlot())
    return {};
  // The first input of enter() is a manifest, or nothing in its place.
  auto Number = toIValue(Opens->input(Opens->kind() == symbols::enter()));
  return Number ? Span{format::SiteId::fromNumber(Number->toInt())} : Span{};
}

/// The next node that is more than a constant, which is no instruction.
Node *nextOf(Node *N) {
  Node *Next = N->next();
  while (Next->kind() == prim::Constant)
    Next = Next->next();
  return Next;
}

/// The last node of the reads that begin with \p First.
Node *lastOfReads(Node *First) {
  Node *Last = First;
  while (nextOf(Last)->kind() == prim::GetAttr)
    Last = nextOf(Last);
  return Last;
}

/// The node that runs a group, or what was made of it before there were
/// gradients, if \p Check checks which of these is right; else null.
Node *choiceOfGroup(Node *Check) {
  if (Check->kind() != prim::RequiresGradCheck)
    return nullptr;
  Node *Choice = nextOf(Check);
  if (Choice->kind() != prim::If || Choice->input()->node() != Check)
    return nullptr;
  for (const Node *N : Choice->blocks()[0]->nodes())
    if (N->kind() == prim::DifferentiableGraph)
      return Choice;
  return nullptr;
}

class PartTimer {
public:
  PartTimer(Graph &Body, bool Attributes)
      : Body(Body), Attributes(Attributes) {}

  void visit(Block *In, Span Around) {
    std::vector<Span> Open{Around};
    for (Node *N = *In->nodes().begin(); N != In->return_node();
         N = N->next()) {
      if (opensPart(N))
        Open.push_back(spanOf(N));
      else if (closesPart(N) && Open.size() > 1)
        Open.pop_back();
      else if (N->kind() == prim::GetAttr && Attributes)
        N = addPair(N, lastOfReads(N), Open.back(),
                    format::DynamicKind::Attributes);
      else if (N->kind() == prim::DifferentiableGraph)
        N = addPair(N, N, Open.back(), format::DynamicKind::Preparation);
      else if (Node *Choice = choiceOfGroup(N)) {
        N = addPair(N, Choice, Open.back(), format::DynamicKind::Preparation);
        pauseIn(Choice->blocks()[1]);
        continue; // the group is the other block
      } else if (Paused.Begin && isAdded(N)) {
        N = resumeFor(N, lastOfAdded(N), Open.back());
        continue;
      }
      for (Block *Inner : N->blocks())
        visit(Inner, Open.back());
    }
  }

  /// The part that runs the graph is paused meanwhile.
  void pauseAround() { Paused = pauseIn(Body.block()); }

  unsigned Pairs = 0;

private:
  /// Where a part is paused.
  struct Pause {
    Node *Begin = nullptr;
    Node *End = nullptr;
  };

  /// True for a node that LibTorch's scripts for backward added to a group.
  bool isAdded(Node *N) {
    return N->kind() != prim::Constant && !tagOf(N) &&
           N->kind().ns() != symbols::begin().ns() && Texts.isOfAutodiff(N);
  }

  /// The last node of the added ones that begin with \p First. What LibTorch
  /// puts between them to see their values, in a first run, is none of the
  /// model's.
  Node *lastOfAdded(Node *First) {
    Node *Last = First;
    for (Node *N = nextOf(First);; N = nextOf(N))
      if (isAdded(N))
        Last = N;
      else if (N->kind() != prim::TupleConstruct &&
               N->kind() != prim::TupleUnpack && N->kind() != prim::profile)
        return Last;
  }

  Pause pauseIn(Block *In) {
    Node *Begin = createPause();
    Begin->insertBefore(*In->nodes().begin());
    Node *End = createResume(Begin);
    End->insertBefore(In->return_node());
    return {Begin, End};
  }

  /// The part around the graph, or that of \p Around in it, goes on from
  /// \p First to \p Last. Returns the last node of what stands there now.
  Node *resumeFor(Node *First, Node *Last, Span Around) {
    if (Around.Site)
      return addPair(First, Last, Around, format::DynamicKind::Preparation);
    if (nextOf(Paused.Begin) == First)
      Paused.Begin->moveAfter(Last);
    else if (nextOf(Last) == Paused.End)
      Paused.End->moveBefore(First);
    else {
      createResume(Paused.Begin)->insertBefore(First);
      Node *Again = createPause();
      Again->insertAfter(Last);
      ++Pairs;
      return Again;
    }
    return Last;
  }

  Node *createResume(Node *Pause) {
    return Body.create(symbols::resumePart(), {Pause->output()}, 0);
  }

  Node *createPause() {
    Node *Pause = Body.create(symbols::pausePart(), {}, 1);
    Pause->output()->setType(c10::IntType::get());
    return Pause;
  }

  /// Returns the last node of what stands there now.
  Node *addPair(Node *First, Node *Last, Span Around,
                format::DynamicKind Kind) {
    std::optional<format::Slot> Site;
    if (Around.Site)
      Site = partSite(*Around.Site, Kind, Around.How);
    if (!Site)
      return Last;
    WithInsertPoint Guard(First);
    Value *Number = Body.insertConstant(int64_t(format::number(*Site)));
    Node *Begin =
        Body.insertNode(Body.create(symbols::beginPart(), {Number}, 1));
    Begin->output()->setType(c10::IntType::get());
    Begin->setSourceRange(First->sourceRange());
    // What is open behind a group has begun in the group's graph.
    Node *End =
        Kind == format::DynamicKind::Preparation
            ? createPause()
            : Body.create(symbols::endPart(), {Begin->output(), Number}, 0);
    End->insertAfter(Last);
    ++Pairs;
    return End;
  }

  Graph &Body;
  const bool Attributes;
  Scripts Texts;
  Pause Paused; ///< of the part that runs the graph, if one does
};

} // namespace

unsigned timeParts(Graph &Body, std::optional<format::SiteId> Fork,
                   WhichParts Which) {
  PartTimer Timer(Body, Which.Attributes);
  if (Which.IsGroup)
    Timer.pauseAround();
  Timer.visit(Body.block(), {Fork, PartRuns::Beside});
  return Timer.Pairs;
}

} // namespace torchprof
