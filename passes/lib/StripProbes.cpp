//===- StripProbes.cpp - remove probe pairs -------------------------------===//
//
// The inverse of InsertProbes: strip(insert(G)) is G. Removes a constant, and
// what a fork captures, only if nothing but probes used it.
//
//===----------------------------------------------------------------------===//

#include "ProbeOps.h"
#include "torchprof/Passes.h"

#include <unordered_set>

namespace torchprof {

using namespace torch::jit;

namespace {

class ProbeStripper {
public:
  uint64_t run(Block *Body) {
    collect(Body);
    // An end uses the value of its begin, so ends are destroyed first.
    for (const std::vector<Node *> *Probes : {&Ends, &Begins})
      for (Node *Probe : *Probes)
        destroy(Probe);
    // Inner forks stand behind those that they are in.
    for (auto Fork = Forks.rbegin(); Fork != Forks.rend(); ++Fork)
      releaseCaptured(*Fork);
    for (Node *Feeding : Feeders)
      if (!Feeding->hasUses())
        Feeding->destroy();
    return Pairs;
  }

private:
  void collect(Block *Body) {
    for (Node *N : Body->nodes()) {
      if (ops::isProbe(N))
        (ops::opens(N) ? Begins : Ends).push_back(N);
      for (Block *Inner : N->blocks())
        collect(Inner);
      if (Graph *Forked = forkedGraph(N)) {
        Forks.push_back(N);
        collect(Forked->block());
      }
    }
  }

  /// \p Site feeds a probe, or a fork with a probe.
  void noteFeeder(Value *Site) {
    Node *Feeding = Site->node();
    if (Feeding->kind() == prim::Param)
      FedByForks.insert(Site);
    bool Feeds = Feeding->kind() == prim::Constant ||
                 (Feeding->kind() == prim::GetAttr &&
                  Feeding->s(attr::name) == ManifestAttribute);
    if (Feeds && Seen.insert(Feeding).second)
      Feeders.push_back(Feeding);
  }

  void releaseCaptured(Node *Fork) {
    Graph *Forked = forkedGraph(Fork);
    for (size_t I = Fork->inputs().size(); I-- > 0;) {
      Value *Inside = Forked->inputs()[I];
      if (Inside->hasUses() || !FedByForks.count(Inside))
        continue;
      noteFeeder(Fork->input(I));
      Fork->removeInput(I);
      Forked->eraseInput(I);
    }
  }

  void destroy(Node *Probe) {
    Pairs += ops::opens(Probe);
    for (Value *Input : Probe->inputs())
      noteFeeder(Input);
    // Removing a begin that another node uses would break the graph.
    if (ops::opens(Probe) && Probe->hasUses())
      throw InstrumentError("the start time of a probe is used by a node that "
                            "is not its end");
    Probe->destroy();
  }

  std::vector<Node *> Begins, Ends, Forks;
  std::vector<Node *> Feeders;
  std::unordered_set<Node *> Seen;
  std::unordered_set<Value *> FedByForks; ///< inputs of graphs
  uint64_t Pairs = 0;
};

} // namespace

uint64_t stripProbes(Graph &Body) { return ProbeStripper().run(Body.block()); }

} // namespace torchprof
