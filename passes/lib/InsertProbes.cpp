//===- InsertProbes.cpp - put probe pairs around sites --------------------===//
//
// Probes are inserted parents first. If a parent and its child start at the
// same node, the parent's begin comes first, and its end comes last because
// each end is inserted directly behind the last node.
//
//===----------------------------------------------------------------------===//

#include "ProbeOps.h"
#include "torchprof/Passes.h"
#include "torchprof/format/Site.h"

namespace torchprof {

using namespace torch::jit;

static Value *insertSiteConstant(Graph &G, Node *Before, int64_t Site) {
  WithInsertPoint Guard(Before);
  return G.insertConstant(Site);
}

static void insertEnd(Graph &G, Value *Begin, Value *Site, Node *Last) {
  Node *End = G.create(ops::end(), {Begin, Site}, /*num_outputs=*/0);
  End->insertAfter(Last);
}

static void insertAroundNodes(const SitePlace &Place, int64_t Site) {
  Graph &G = *Place.First->owningGraph();
  Value *Constant = insertSiteConstant(G, Place.First, Site);
  Node *Begin = G.create(ops::begin(), {Constant});
  Begin->output()->setType(c10::IntType::get());
  Begin->setSourceRange(Place.First->sourceRange());
  Begin->insertBefore(Place.First);
  insertEnd(G, Begin->output(), Constant, Place.Last);
}

static void insertAroundGraph(Graph &G, int64_t Site, bool WithManifest) {
  Node *First = *G.block()->nodes().begin();
  Value *Constant = insertSiteConstant(G, First, Site);
  Node *Begin = nullptr;
  if (WithManifest) {
    Value *Self = G.inputs()[0];
    auto Class = Self->type()->expect<c10::ClassType>();
    WithInsertPoint Guard(First);
    Value *Attribute = G.insertGetAttr(Self, ManifestAttribute);
    Begin = G.create(ops::enter(), {Attribute, Constant});
  } else {
    Begin = G.create(ops::begin(), {Constant});
  }
  Begin->output()->setType(c10::IntType::get());
  Begin->insertBefore(First);
  // insertEnd wants the last node; in an empty graph that is Begin.
  insertEnd(G, Begin->output(), Constant, G.block()->return_node()->prev());
}

void followGradModes(Block *In) {
  static const Symbol Switch = Symbol::fromQualString("aten::set_grad_enabled");
  for (Node *N : In->nodes()) {
    for (Block *Inner : N->blocks())
      followGradModes(Inner);
    // A wait for a task that has not ended goes on with the task's thread. The
    // methods that a with statement calls may switch.
    if (N->kind() == Switch || N->kind() == aten::wait ||
        N->kind() == prim::Enter || N->kind() == prim::Exit)
      In->owningGraph()->create(ops::followGradMode(), 0)->insertAfter(N);
  }
}

void followGradModesOfTask(Graph &Forked) {
  followGradModes(Forked.block());
  Forked.prependNode(Forked.create(ops::followGradMode(), 0));
}

static void followGradModesOfTasks(Block *In) {
  for (Node *N : In->nodes()) {
    for (Block *Inner : N->blocks())
      followGradModesOfTasks(Inner);
    if (Graph *Forked = forkedGraph(N)) {
      followGradModesOfTask(*Forked);
      followGradModesOfTasks(Forked->block());
    }
  }
}

void leaveBeforeRaises(Block *In) {
  for (Node *N : In->nodes()) {
    for (Block *Inner : N->blocks())
      leaveBeforeRaises(Inner);
    if (N->kind() == prim::RaiseException)
      In->owningGraph()->create(ops::leave(), 0)->insertBefore(N);
  }
}

void insertProbes(const SiteNumbering &Numbering, bool WithManifest) {
  const Manifest &Table = Numbering.Table;
  // Before the ends are inserted, which are to be directly behind the nodes.
  for (Graph *Body : Numbering.RootGraph)
    if (Body) {
      followGradModes(Body->block());
      followGradModesOfTasks(Body->block());
    }
  // Roots come last: their begin belongs before all other nodes and their end
  // behind them.
  for (uint32_t I = 0; I < Numbering.Places.size(); ++I)
    if (Numbering.Places[I].First)
      insertAroundNodes(Numbering.Places[I],
                        format::SiteId(Table.ModelId, I).number());
  for (uint32_t I = 0; I < Numbering.RootGraph.size(); ++I)
    if (Numbering.RootGraph[I])
      insertAroundGraph(*Numbering.RootGraph[I],
                        format::SiteId(Table.ModelId, I).number(),
                        WithManifest);
  // Behind the begins, which are to be directly before the nodes.
  for (Graph *Body : Numbering.RootGraph)
    if (Body)
      leaveBeforeRaises(Body->block());
}

} // namespace torchprof
