//===- ReplacedNodes.cpp - nodes of scripts in others' place --------------===//

#include "ReplacedNodes.h"

#include "Scripts.h"
#include "Tag.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>

namespace torchprof {

using namespace torch::jit;

namespace {

/// The nodes of a graph in the order of the program, those of differentiable
/// graphs in the place of these. What lies inside of a script's If or loop
/// is not there: that stands for it.
void collect(Block *In, Scripts &Texts, std::vector<Node *> &Nodes) {
  for (Node *N : In->nodes()) {
    if (N->kind() == prim::Constant)
      continue;
    Nodes.push_back(N);
    if (!Texts.functionOf(N).empty())
      continue;
    for (Block *Inner : N->blocks())
      collect(Inner, Texts, Nodes);
    if (N->kind() == prim::DifferentiableGraph)
      collect(N->g(attr::Subgraph)->block(), Texts, Nodes);
  }
}

/// The nodes of the script are together what stood at \p Position.
std::shared_ptr<const TagContent>
standIn(const std::shared_ptr<const NodeOrder> &Order, size_t Position) {
  auto Content = std::make_shared<TagContent>();
  static_cast<NodeSites &>(*Content) = (*Order)[Position];
  Content->Order = Order;
  Content->Position = Position;
  if (Content->Site) {
    Content->Regions.push_back(*Content->Site);
    Content->Site.reset();
  }
  return Content;
}

class ReplacedNodes {
public:
  ReplacedNodes(std::vector<Node *> Nodes, Scripts &Texts,
                std::shared_ptr<const NodeOrder> Whole)
      : Nodes(std::move(Nodes)), Texts(Texts), Whole(std::move(Whole)) {}

  void run() {
    for (Node *N : Nodes)
      if (const TagContent *Tag = tagOf(N))
        Present.insert(Tag->Position);
    Node *Before = nullptr;
    for (auto It = Nodes.begin(); It != Nodes.end();) {
      auto End = std::find_if(It, Nodes.end(), tagOf);
      Node *After = End == Nodes.end() ? nullptr : *End;
      fill({It, End}, Before, After ? tagOf(After) : nullptr);
      Before = After;
      It = End == Nodes.end() ? End : End + 1;
    }
  }

private:
  /// Gives the nodes of \p Gap to the sites that are missing between the one of
  /// \p Kept and \p After.
  void fill(const std::vector<Node *> &Gap, Node *Kept,
            const TagContent *After) {
    const TagContent *Before = Kept ? tagOf(Kept) : nullptr;
    std::shared_ptr<const NodeOrder> Order = Before  ? Before->Order
                                             : After ? After->Order
                                                     : Whole;
    if (!Order || (After && After->Order != Order))
      return;
    Next = Before ? Before->Position + 1 : 0;
    size_t End = After ? After->Position : Order->size();
    // Nodes of one script follow each other, and each is there once: a place in
    // its text that comes again is the next copy of the script, and another
    // overload is another script.
    std::string_view Script;
    std::set<std::tuple<Symbol, size_t, size_t>> Places;
    std::shared_ptr<const TagContent> Stands;
    for (Node *N : Gap) {
      std::string_view Function = Texts.functionOf(N);
      if (Function.empty())
        continue;
      // What a script calls is written in a function of its own.
      if (!Function.starts_with("AD_")) {
        SourceRange Range = N->sourceRange();
        std::tuple Place(N->kind(), Range.start(), Range.end());
        if (!Stands || Function != Script || Places.count(Place)) {
          if (Script.empty() && Kept && isInScript(Kept, Gap, N)) {
            Stands = standIn(Order, Before->Position);
            setTag(Kept, Stands);
          } else {
            Stands = takeMissing(Order, Scripts::operatorOf(Function), End);
          }
          Places.clear();
        }
        Script = Function;
        Places.insert(Place);
      }
      if (Stands)
        setTag(N, Stands);
    }
  }

  /// True if the script that begins with \p First, in the gap behind \p Kept,
  /// is the one of \p Kept: it calls the operator that it replaces with the
  /// same inputs, so that LibTorch kept one of the two nodes, the older one.
  bool isInScript(const Node *Kept, const std::vector<Node *> &Gap,
                  const Node *First) {
    std::string_view Function = Texts.functionOf(First);
    std::string Name(Scripts::operatorOf(Function));
    if (Name != Kept->kind().toUnqualString() ||
        Kept->owningBlock() != First->owningBlock() ||
        First->sourceRange().source()->text_str().str().find(
            "return torch." + Name + "(") == std::string::npos)
      return false;
    return std::none_of(Gap.begin(), Gap.end(), [&](const Node *N) {
      return N->kind() == Kept->kind() && Texts.functionOf(N) == Function;
    });
  }

  /// The next site that is missing and was of this kind. Where a loop was
  /// unrolled, the next copy of its body goes on behind the end of one.
  std::shared_ptr<const TagContent>
  takeMissing(const std::shared_ptr<const NodeOrder> &Order,
              std::string_view Name, size_t End) {
    auto Take = [&](size_t From, size_t To, std::optional<size_t> In) {
      for (size_t I = From; I < To; ++I) {
        const NodeSites &Was = (*Order)[I];
        if (!Present.count(I) && Name == Was.Kind.toUnqualString() &&
            (!In || Was.Block == *In)) {
          Next = I + 1;
          return standIn(Order, I);
        }
      }
      return std::shared_ptr<const TagContent>();
    };
    if (Next <= End)
      return Take(Next, End, std::nullopt);
    auto Rest = Take(Next, Order->size(), (*Order)[Next - 1].Block);
    return Rest ? Rest : Take(0, End, (*Order)[End].Block);
  }

  std::vector<Node *> Nodes;
  Scripts &Texts;
  std::shared_ptr<const NodeOrder> Whole; ///< for a plan without any tag
  std::unordered_set<size_t> Present;     ///< positions in the method's order
  size_t Next = 0;                        ///< position
};

} // namespace

void tagReplacedNodes(Graph &Body,
                      const std::shared_ptr<const NodeOrder> &Order) {
  Scripts Texts;
  std::vector<Node *> Nodes;
  collect(Body.block(), Texts, Nodes);
  ReplacedNodes(std::move(Nodes), Texts, Order).run();
}

} // namespace torchprof
