//===- InsertProbes.cpp - put probe pairs around sites --------------------===//
//
// Sites are taken in their order, parents before children. A parent that
// starts at the same node as its child gets its begin first and its end last,
// because each end is put directly behind the last node.
//
//===----------------------------------------------------------------------===//

#include "ProbeOps.h"
#include "torchprof/Passes.h"

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
  // What insertEnd wants is the last node; in an empty graph that is Begin.
  insertEnd(G, Begin->output(), Constant, G.block()->return_node()->prev());
}

void insertProbes(const SiteNumbering &Numbering, bool WithManifest) {
  const Manifest &Table = Numbering.Table;
  // The nodes' probes first: a root's end belongs behind every other node, and
  // its begin before them.
  for (size_t I = 0; I < Numbering.Places.size(); ++I)
    if (Numbering.Places[I].First)
      insertAroundNodes(Numbering.Places[I],
                        static_cast<int64_t>((Table.ModelId << 20) | I));
  for (size_t I = 0; I < Numbering.RootGraph.size(); ++I)
    if (Numbering.RootGraph[I])
      insertAroundGraph(*Numbering.RootGraph[I],
                        static_cast<int64_t>((Table.ModelId << 20) | I),
                        WithManifest);
}

} // namespace torchprof
