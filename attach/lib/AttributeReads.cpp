//===- AttributeReads.cpp - what reads parameters out of modules ----------===//

#include "AttributeReads.h"

#include "torch/Attach.h"
#include "torch/Symbols.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <vector>

namespace torchprof {

using namespace torch::jit;

namespace {

/// What reads lie in.
struct Span {
  std::optional<format::SiteId> Site; ///< null of a gradient
  ReadsRun Run = ReadsRun::Inside;
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

class ReadTimer {
public:
  explicit ReadTimer(Graph &Body) : Body(Body) {}

  void visit(Block *In, Span Around) {
    std::vector<Span> Open{Around};
    for (Node *N = *In->nodes().begin(); N != In->return_node();
         N = N->next()) {
      if (opens(N))
        Open.push_back(spanOf(N));
      else if (closes(N) && Open.size() > 1)
        Open.pop_back();
      else if (N->kind() == prim::GetAttr)
        N = addPair(N, lastOfReads(N), Open.back());
      for (Block *Inner : N->blocks())
        visit(Inner, Open.back());
    }
  }

  unsigned Pairs = 0;

private:
  /// Returns the last node of what stands there now.
  Node *addPair(Node *First, Node *Last, Span Around) {
    std::optional<format::Slot> Site;
    if (Around.Site)
      Site = attributesSite(*Around.Site, Around.Run);
    if (!Site)
      return Last;
    WithInsertPoint Guard(First);
    Value *Number = Body.insertConstant(int64_t(format::number(*Site)));
    Node *Begin =
        Body.insertNode(Body.create(symbols::beginPart(), {Number}, 1));
    Begin->output()->setType(c10::IntType::get());
    Begin->setSourceRange(First->sourceRange());
    Node *End = Body.create(symbols::endPart(), {Begin->output(), Number}, 0);
    End->insertAfter(Last);
    ++Pairs;
    return End;
  }

  Graph &Body;
};

} // namespace

unsigned timeAttributeReads(Graph &Body, std::optional<format::SiteId> Fork) {
  ReadTimer Timer(Body);
  Timer.visit(Body.block(), {Fork, ReadsRun::Beside});
  return Timer.Pairs;
}

} // namespace torchprof
