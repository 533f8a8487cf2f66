//===- TimedCopy.cpp - from tags to timed nodes ---------------------------===//

#include "TimedCopy.h"

#include "Autocasts.h"
#include "BatchedProducts.h"
#include "CopyGraph.h"
#include "GradientNotes.h"
#include "NodeOperands.h"
#include "NodeTable.h"
#include "Parts.h"
#include "PlanWatch.h"
#include "ReplacedNodes.h"
#include "RootOrders.h"
#include "torch/Attach.h"
#include "torch/Symbols.h"
#include "torch/TimedNode.h"
#include "torchprof/Passes.h"

#include <torch/csrc/jit/passes/inliner.h>

#include <optional>
#include <unordered_set>
#include <vector>

namespace torchprof {

using namespace torch::jit;

namespace {

class TagLowering {
public:
  TagLowering(Graph &Body, Gradients Inside, bool Shapes)
      : Body(Body), NewNodes(Body, Inside), Shapes(Shapes),
        HasGradients(hasGradientTags(Body.block())) {}

  void lower(Block *In) {
    // Nodes are replaced on the way, so the loop advances by hand.
    std::vector<Region> Open;
    for (Node *N = *In->nodes().begin(); N != In->return_node();) {
      const TagContent *Tag = tagOf(N);
      // What lies in a gradient's node is of the same gradient.
      if (!Tag || !Tag->Backward)
        for (Block *Inner : N->blocks())
          lower(Inner);
      if (!Tag && isFused(N))
        Tag = tagOfFused(N);
      if (!Tag && HasGradients && takeTagOfGradient(N) && !isAround(Open, N))
        Tag = tagOf(N);
      if (!Tag) {
        N = N->next();
        continue;
      }
      if (Tag->Forked)
        tagForked(N, *Tag->Forked);
      Stretch Timed = Tag->Site ? time(N, *Tag) : Stretch{N, N};
      advanceRegions(Open, regionsOf(*Tag), Timed);
      N = Timed.Last->next();
    }
    advanceRegions(Open, {}, {});
  }

  /// Makes the graph a run of \p Site.
  void addRoot(format::SiteId Site) {
    Node *First = *Body.block()->nodes().begin();
    NodeOperands Of = Shapes ? operandsOf(Body) : NodeOperands();
    Value *Nothing, *Number;
    {
      WithInsertPoint Guard(First);
      Nothing = Of ? nullptr : Body.insertConstant(c10::IValue());
      Number = Body.insertConstant(Site.number());
    }
    Node *Enter = Of ? createWith(symbols::enterWith(), {Number}, Of.Inputs, 1)
                     : Body.create(symbols::enter(), {Nothing, Number});
    Enter->output()->setType(c10::IntType::get());
    Enter->insertBefore(First);
    createEnd(Enter->output(), Number, Of)
        ->insertBefore(Body.block()->return_node());
    ++Counts.Explicit;
  }

  TagCounts Counts;

private:
  /// Nodes that follow each other in a block.
  struct Stretch {
    Node *First = nullptr;
    Node *Last = nullptr;
  };

  /// What a pair of probes times.
  struct Target {
    int64_t Number; ///< of a site, or a slot
    bool IsSlot = false;

    explicit Target(format::SiteId Site) : Number(Site.number()) {}
    explicit Target(format::Slot Slot)
        : Number(format::number(Slot)), IsSlot(true) {}
    bool operator==(const Target &) const = default;
  };

  /// What is timed as a whole and open in a block, with its nodes so far.
  struct Region {
    Target Of;
    Stretch Nodes;
  };

  /// The calls of modules that a node lies in, or its gradient.
  static std::vector<Target> regionsOf(const TagContent &Tag) {
    std::vector<Target> Regions(Tag.Regions.begin(), Tag.Regions.end());
    if (Tag.Backward)
      Regions.emplace_back(*Tag.Backward);
    return Regions;
  }

  /// Where a value has several uses, a node without a tag adds up the gradients
  /// from two of them. Outside of groups the engine does so in the time of the
  /// function that passes the last one on; here it is the node whose gradient
  /// came last, whose tag this one gets. False for other nodes.
  static bool takeTagOfGradient(Node *N) {
    Node *Of = gradientIn(N);
    if (Of)
      N->setScope(Of->scope());
    return Of;
  }

  /// True if the innermost one of \p Open goes on behind \p N.
  static bool isAround(const std::vector<Region> &Open, Node *N) {
    if (Open.empty())
      return false;
    Node *Next = N->next();
    while (Next->kind() != prim::Return && !tagOf(Next))
      Next = Next->next();
    const TagContent *Tag = tagOf(Next);
    std::vector<Target> Of = Tag ? regionsOf(*Tag) : std::vector<Target>();
    return !Of.empty() && Of.back() == Open.back().Of;
  }

  /// \p Nodes lie in \p Regions: ends what is open and has no part in it, and
  /// opens the others.
  void advanceRegions(std::vector<Region> &Open,
                      const std::vector<Target> &Regions, Stretch Nodes) {
    size_t Common = 0;
    while (Common < Open.size() && Common < Regions.size() &&
           Open[Common].Of == Regions[Common])
      ++Common;
    while (Open.size() > Common) {
      Stretch Inner = Open.back().Nodes;
      noteCasts(Inner, Open.back().Of);
      moveConstantsBefore(Inner);
      Stretch Ended = addPair(Inner, Open.back().Of, operandsOfReplaced(Inner));
      // What is around it begins and ends no later.
      Open.pop_back();
      for (Region &Outer : Open) {
        if (Outer.Nodes.First == Inner.First)
          Outer.Nodes.First = Ended.First;
        if (Outer.Nodes.Last == Inner.Last)
          Outer.Nodes.Last = Ended.Last;
      }
    }
    for (size_t I = Common; I < Regions.size(); ++I)
      Open.push_back({Regions[I], Nodes});
    for (Region &R : Open)
      R.Nodes.Last = Nodes.Last;
  }

  /// Constants are no instructions, but what takes one has to be behind it.
  static void moveConstantsBefore(Stretch Nodes) {
    for (Node *N = Nodes.First; N != Nodes.Last;) {
      Node *Next = N->next();
      if (N->kind() == prim::Constant)
        N->moveBefore(Nodes.First);
      N = Next;
    }
  }

  /// Of nodes in another one's place, which are timed as a whole.
  NodeOperands operandsOfReplaced(Stretch Nodes) const {
    const TagContent *Tag = Shapes ? tagOf(Nodes.First) : nullptr;
    if (!Tag)
      return {};
    if (isAutocast(Nodes.First->kind()))
      return operandsBeforeCasts(Nodes.First, Nodes.Last);
    return Tag->Kind == aten::addmm ? operandsOfAddmm(Nodes.First, Nodes.Last)
                                    : NodeOperands();
  }

  /// Says of a node that it is timed with the casts of its inputs.
  static void noteCasts(Stretch Nodes, const Target &Of) {
    if (Of.IsSlot || !isAutocast(Nodes.First->kind()))
      return;
    std::vector<Node *> Members; // of several casts in a row the first
    for (Node *N = Nodes.First; N != Nodes.Last->next(); N = N->next())
      if (tagOf(N) && (Members.empty() || Members.back()->kind() != N->kind()))
        Members.push_back(N);
    noteTogether(format::SiteId::fromNumber(Of.Number), kindsOf(Members));
  }

  /// Times \p N, and the nodes behind it that an optimization made of the same
  /// node. Returns what stands there now.
  Stretch time(Node *N, const TagContent &Tag) {
    if (!isPlainOperator(N)) {
      Node *Last = restOfLoop(N);
      for (Block *Inner : Last == N ? at::ArrayRef<Block *>() : Last->blocks())
        lower(Inner);
      return addPair({N, Last}, Target(*Tag.Site),
                     Shapes ? operandsOf(N, Last) : NodeOperands());
    }
    std::vector<Node *> Members{N};
    Node *Next = N->next();
    for (; Next != N->owningBlock()->return_node(); Next = Next->next()) {
      if (Next->kind() == prim::Constant)
        continue;
      if (tagOf(Next) != &Tag || !isPlainOperator(Next) ||
          isSecond(Next, N, Tag))
        break;
      Members.push_back(Next);
    }
    std::string Kinds;
    std::vector<format::SiteId> Fused;
    if (isFused(N)) {
      Kinds = kindsInFused(N);
      Fused = sitesInFused(N);
    } else if (!Tag.Fused.empty()) {
      Kinds = kindsOf({N});
      Fused = Tag.Fused;
    }
    if (Members.size() > 1)
      Kinds = kindsOf(Members);
    Node *Timed = NewNodes.replace(Members, Members.back()->next(), *Tag.Site);
    if (!Timed)
      return addPair({N, Members.back()}, Target(*Tag.Site));
    ++Counts.Timed;
    if (!Kinds.empty())
      noteGroup(*Tag.Site, Kinds);
    if (Fused.size() > 1)
      noteFused(*Tag.Site, Fused);
    return {Timed, Timed};
  }

  /// LibTorch unrolls a short loop into one of several copies of the body and
  /// one for the rest, whose trips are `trips - trips / copies * copies`.
  /// Returns the latter if \p Loop is the former, else \p Loop.
  static Node *restOfLoop(Node *Loop) {
    if (Loop->kind() != prim::Loop)
      return Loop;
    for (Node *N = Loop->next(); N->kind() != prim::Return; N = N->next()) {
      if (N->kind() != prim::Loop || tagOf(N) != tagOf(Loop))
        continue;
      Node *Rest = N->input(0)->node();
      if (Rest->kind() != aten::sub)
        return Loop;
      Node *Done = Rest->input(1)->node();
      return Done->kind() == aten::mul && Done->input(0) == Loop->input(0)
                 ? N
                 : Loop;
    }
    return Loop;
  }

  /// True if \p N, behind \p First, is not a part of the same node but another
  /// copy of it: a loop was unrolled.
  static bool isSecond(const Node *N, const Node *First,
                       const TagContent &Tag) {
    return N->kind() == Tag.Kind || N->kind() == First->kind();
  }

  /// A probe that takes values beside what the ordinary one takes.
  Node *createWith(Symbol Kind, std::vector<Value *> Inputs,
                   at::ArrayRef<Value *> More, size_t Outputs) {
    Inputs.insert(Inputs.end(), More.begin(), More.end());
    return Body.create(Kind, Inputs, Outputs);
  }

  Node *createEnd(Value *Begin, Value *Number, const NodeOperands &Of) {
    return Of ? createWith(symbols::endWith(), {Begin, Number}, Of.Outputs, 0)
              : Body.create(symbols::end(), {Begin, Number}, 0);
  }

  /// Puts a pair of probes around \p Nodes. Returns the pair.
  Stretch addPair(Stretch Nodes, Target Of, const NodeOperands &With = {}) {
    Value *Number;
    {
      WithInsertPoint Guard(Nodes.First);
      Number = Body.insertConstant(Of.Number);
    }
    Node *Begin =
        With ? createWith(symbols::beginWith(), {Number}, With.Inputs, 1)
             : Body.create(Of.IsSlot ? symbols::beginSlot() : symbols::begin(),
                           {Number});
    Begin->output()->setType(c10::IntType::get());
    Begin->setSourceRange(Nodes.First->sourceRange());
    Begin->insertBefore(Nodes.First);
    Node *End = Of.IsSlot ? Body.create(symbols::endSlot(),
                                        {Begin->output(), Number}, 0)
                          : createEnd(Begin->output(), Number, With);
    End->insertAfter(Nodes.Last);
    ++Counts.Explicit;
    return {Begin, End};
  }

  /// True for a kernel that was made of several nodes: they keep their tags
  /// inside of it.
  static bool isFused(Node *N) {
    return N->hasAttribute(attr::Subgraph) && N->kind() != prim::fork &&
           N->kind() != prim::DifferentiableGraph &&
           N->kind() != prim::FallbackGraph && isPlainOperator(N);
  }

  static const TagContent *tagOfFused(Node *N) {
    for (Node *Part : N->g(attr::Subgraph)->nodes())
      if (const TagContent *Tag = tagOf(Part))
        return Tag;
    return nullptr;
  }

  static std::string kindsInFused(Node *N) {
    std::vector<Node *> Parts;
    for (Node *Part : N->g(attr::Subgraph)->nodes())
      if (Part->kind() != prim::Constant)
        Parts.push_back(Part);
    return kindsOf(Parts);
  }

  /// The sites of a kernel's nodes, each once.
  static std::vector<format::SiteId> sitesInFused(Node *N) {
    std::vector<format::SiteId> Sites;
    for (Node *Part : N->g(attr::Subgraph)->nodes())
      if (const TagContent *Tag = tagOf(Part);
          Tag && Tag->Site &&
          std::find(Sites.begin(), Sites.end(), *Tag->Site) == Sites.end())
        Sites.push_back(*Tag->Site);
    return Sites;
  }

  /// LibTorch inlines a forked graph when it runs for the first time. Doing it
  /// now changes nothing, and its nodes can be found.
  static void tagForked(Node *N, const NodeTable &Nodes) {
    if (N->kind() != prim::fork)
      return;
    std::shared_ptr<Graph> Forked = N->g(attr::Subgraph)->copy();
    Inline(*Forked);
    Nodes.tag(*Forked);
    N->g_(attr::Subgraph, Forked);
  }

  Graph &Body;
  TimedNodes NewNodes;
  const bool Shapes; ///< probes take operands
  const bool HasGradients;
};

/// Notes the sites of the method, or of a fork's body, that have no node in its
/// plan.
void noteMissing(Block *Plan) {
  std::unordered_set<int64_t> Present;
  std::shared_ptr<const NodeOrder> Order;
  visitNodes(Plan, [&](Node *N) {
    const TagContent *Tag = tagOf(N);
    if (!Tag)
      return false;
    if (!Order) // what a fork in the plan runs has an order of its own
      Order = Tag->Order;
    if (Tag->Site)
      Present.insert(Tag->Site->number());
    // Nodes in another's place are its region.
    for (format::SiteId Region : Tag->Regions)
      Present.insert(Region.number());
    for (format::SiteId Fused : Tag->Fused)
      Present.insert(Fused.number());
    return false;
  });
  if (!Order)
    return;
  for (const NodeSites &Known : *Order)
    if (Known.Site && !Present.count(Known.Site->number()))
      noteLeftOut(*Known.Site);
}

/// The first tag of a plan that has one.
const TagContent *firstTag(Block *Plan) {
  const TagContent *First = nullptr;
  visitNodes(Plan, [&](Node *N) { return (First = tagOf(N)) != nullptr; });
  return First;
}

} // namespace

std::shared_ptr<Graph> timedCopy(Graph &Body, const PlanOwner &Owner) {
  std::optional<format::SiteId> Root;
  if (Owner.Part == format::PlanPart::Whole)
    Root = Owner.Root;
  if (!Root && !hasTags(Body.block()))
    return nullptr;
  std::shared_ptr<Graph> Copy = copyToReplace(Body);
  std::shared_ptr<const NodeOrder> Order = Root ? orderOf(*Root) : nullptr;
  tagReplacedNodes(*Copy, Order);
  tagBatchedProducts(*Copy, Order);
  tagAutocasts(*Copy);
  if (Owner.Part == format::PlanPart::Fork)
    followGradModesOfTask(*Copy);
  else
    followGradModes(Copy->block());
  if (Root || Owner.Part == format::PlanPart::Fork)
    noteMissing(Copy->block());
  AttachOptions Asked = attachOptions();
  WhichParts Parts = {Asked.Attributes};
  std::optional<format::SiteId> Fork; // that runs the plan, if it has a site
  if (const TagContent *First = Root ? nullptr : firstTag(Copy->block())) {
    Fork = First->Fork;
    Parts.IsGroup = !Fork && !First->Backward;
  }
  TagLowering Lowering(*Copy,
                       Owner.Part == format::PlanPart::Forward
                           ? Gradients::AreCut
                           : Gradients::MayFlow,
                       Asked.Shapes);
  GradientNotes Notes(*Copy);
  Lowering.lower(Copy->block());
  Notes.insert();
  if (Root)
    Lowering.addRoot(*Root);
  Lowering.Counts.Explicit += timeParts(*Copy, Fork, Parts);
  leaveBeforeRaises(Copy->block());
  countTags(Lowering.Counts);
  return Copy;
}

} // namespace torchprof
