//===- Autocasts.cpp - casts that autocast puts before a node -------------===//

#include "Autocasts.h"

#include "Tag.h"

#include <utility>

namespace torchprof {

using namespace torch::jit;

bool isAutocast(c10::Symbol Kind) {
  static const Symbol Reduced = Symbol::aten("_autocast_to_reduced_precision"),
                      Full = Symbol::aten("_autocast_to_full_precision");
  return Kind == Reduced || Kind == Full;
}

/// The first node of the same block that has a tag and takes \p V, as it is or
/// after LibTorch has looked at it; null if there is none.
static Node *firstUser(Value *V) {
  Node *First = nullptr;
  for (const Use &U : V->uses()) {
    Node *User = U.user;
    if (User->kind() == prim::profile && !User->outputs().empty())
      User = firstUser(User->output());
    if (!User || User->owningBlock() != V->node()->owningBlock() ||
        !tagOf(User) || isAutocast(User->kind()))
      continue;
    if (!First || User->isBefore(First))
      First = User;
  }
  return First;
}

/// Makes the site of \p N one of a stretch of nodes.
static void makeStretch(Node *N) {
  const TagContent &Tag = *tagOf(N);
  if (!Tag.Site)
    return;
  auto Content = std::make_shared<TagContent>(Tag);
  Content->Regions.push_back(*std::exchange(Content->Site, std::nullopt));
  setTag(N, std::move(Content));
}

static void tagIn(Block *In) {
  for (Node *N : In->nodes()) {
    for (Block *Inner : N->blocks())
      tagIn(Inner);
    if (!isAutocast(N->kind()) || tagOf(N))
      continue;
    if (Node *User = firstUser(N->output())) {
      makeStretch(User);
      N->setScope(User->scope());
    }
  }
}

void tagAutocasts(Graph &Body) { tagIn(Body.block()); }

} // namespace torchprof
