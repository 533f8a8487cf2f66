//===- Parts.cpp - what the interpreter does beside nodes -----------------===//

#include "Parts.h"

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

bool opens(const Node *N) {
  return N->kind() == symbols::begin() || N->kind() == symbols::beginWith() ||
         N->kind() == symbols::beginSlot() || N->kind() == symbols::enter() ||
         N->kind() == symbols::enterWith();
}

bool closes(const Node *N) {
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

/// The last node of the reads that begin with \p First. Constants between them
/// are no instructions.
Node *lastOfReads(Node *First) {
  Node *Last = First;
  for (Node *N = First->next();
       N->kind() == prim::GetAttr || N->kind() == prim::Constant; N = N->next())
    if (N->kind() == prim::GetAttr)
      Last = N;
  return Last;
}

class PartTimer {
public:
  PartTimer(Graph &Body, bool Attributes)
      : Body(Body), Attributes(Attributes) {}

  void visit(Block *In, Span Around) {
    std::vector<Span> Open{Around};
    for (Node *N = *In->nodes().begin(); N != In->return_node();
         N = N->next()) {
      if (opens(N))
        Open.push_back(spanOf(N));
      else if (closes(N) && Open.size() > 1)
        Open.pop_back();
      else if (N->kind() == prim::GetAttr && Attributes)
        N = addPair(N, lastOfReads(N), Open.back(),
                    format::DynamicKind::Attributes);
      else if (N->kind() == prim::DifferentiableGraph)
        N = addPair(N, N, Open.back(), format::DynamicKind::Preparation);
      for (Block *Inner : N->blocks())
        visit(Inner, Open.back());
    }
  }

  /// The part that runs the graph is paused meanwhile.
  void pauseAround() {
    Node *Pause = createPause();
    Pause->insertBefore(*Body.block()->nodes().begin());
    Body.create(symbols::resumePart(), {Pause->output()}, 0)
        ->insertBefore(Body.block()->return_node());
  }

  unsigned Pairs = 0;

private:
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
};

} // namespace

unsigned timeParts(Graph &Body, std::optional<format::SiteId> Fork,
                   WhichParts Which) {
  PartTimer Timer(Body, Which.Attributes);
  Timer.visit(Body.block(), {Fork, PartRuns::Beside});
  if (Which.IsGroup)
    Timer.pauseAround();
  return Timer.Pairs;
}

} // namespace torchprof
