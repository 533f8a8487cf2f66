//===- VerifyProbes.cpp - check that probes pair up -----------------------===//
//
// A pair is well formed if its end follows its begin in the same block, with
// the same constant site. Sites are unique across all methods and agree with
// the manifest. A begin needs no end if an exception is always raised after it.
// A reloaded forked graph receives its site numbers as captured inputs, so we
// follow constants out of forked graphs.
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "ProbeOps.h"
#include "torchprof/Passes.h"
#include "torchprof/format/Site.h"

#include <torch/csrc/jit/ir/constants.h>

#include <optional>

namespace torchprof {

using namespace torch::jit;

namespace {

class ProbeVerifier {
public:
  void run(const MethodGraph &Method) {
    Name = Method.Name;
    visit(Method.Body->block());
  }

  void compareWith(const Manifest &Table) {
    Name = "manifest";
    std::vector<bool> Present(Table.Sites.size());
    for (auto [Site, Count] : Sites) {
      uint64_t Model = format::SiteId::fromNumber(Site).model();
      uint32_t Index = format::SiteId::fromNumber(Site).index();
      if (Model != Table.ModelId)
        report(Site, "expected a site of model " +
                         std::to_string(Table.ModelId) + ", found one of " +
                         std::to_string(Model));
      else if (Index >= Present.size())
        report(Site, "the manifest has no index " + std::to_string(Index));
      else
        Present[Index] = true;
    }
    for (size_t I = 0; I < Present.size(); ++I) {
      bool Vanished = Table.Sites[I].Flags & SF_Vanished;
      if (!Present[I] && !Vanished)
        Errors.push_back("manifest: site index " + std::to_string(I) + " (" +
                         Table.string(Table.Sites[I].Kind) +
                         ") has no probes in the code");
      if (Present[I] && Vanished)
        Errors.push_back("manifest: site index " + std::to_string(I) +
                         " is flagged as vanished, but has probes");
    }
  }

  std::vector<std::string> Errors;
  std::map<int64_t, unsigned> Sites; ///< begins per site

private:
  void report(std::optional<int64_t> Site, const std::string &Text) {
    std::string Where = Site ? "site " + std::to_string(*Site) + ": " : "";
    Errors.push_back(Name + ": " + Where + Text);
  }

  std::optional<int64_t> siteOf(Node *Probe) const {
    const Value *V = ops::site(Probe);
    while (V) {
      auto Outer = Captured.find(V);
      if (Outer == Captured.end())
        break;
      V = Outer->second;
    }
    if (!V)
      return std::nullopt;
    auto Constant = toIValue(V);
    if (!Constant || !Constant->isInt())
      return std::nullopt;
    return Constant->toInt();
  }

  static bool raisesAfter(const Node *Begin) {
    const Node *Last = Begin->owningBlock()->return_node();
    for (const Node *N = Begin->next(); N != Last; N = N->next())
      if (neverCompletes(N))
        return true;
    return false;
  }

  void checkBegin(Node *Begin) {
    size_t Wanted = Begin->kind() == ops::enter() ? 2 : 1;
    if (Begin->inputs().size() != Wanted || Begin->outputs().size() != 1) {
      report(std::nullopt, std::string("expected a begin with ") +
                               (Wanted == 1 ? "1 input" : "2 inputs") +
                               " and 1 output, found " +
                               std::to_string(Begin->inputs().size()) +
                               " and " +
                               std::to_string(Begin->outputs().size()));
      return;
    }
    auto Site = siteOf(Begin);
    if (!Site) {
      report(Site, "the site of a begin is not a constant");
      return;
    }
    if (++Sites[*Site] == 2)
      report(Site, "there is more than one begin");
    const auto &Uses = Begin->output()->uses();
    // The importer removes code that an exception always skips, ends included.
    if (Uses.empty() && raisesAfter(Begin))
      return;
    if (Uses.size() != 1 || !ops::closes(Uses[0].user) || Uses[0].offset != 0) {
      report(Site, Uses.empty() ? "the begin has no end"
                                : "the start time is not used by one end only");
      return;
    }
    Node *End = Uses[0].user;
    if (End->owningBlock() != Begin->owningBlock())
      report(Site, "the end is in another block than its begin");
    else if (End->isBefore(Begin))
      report(Site, "the end is before its begin");
    if (auto Closed = siteOf(End); Closed != Site)
      report(Site, Closed ? "the end is of site " + std::to_string(*Closed)
                          : "the site of the end is not a constant");
  }

  void checkEnd(Node *End) {
    if (End->inputs().size() != 2 || !ops::opens(End->input(0)->node()))
      report(std::nullopt, "the start time of an end is not that of a begin");
  }

  void visit(Block *Body) {
    for (Node *N : Body->nodes()) {
      if (ops::opens(N))
        checkBegin(N);
      else if (ops::closes(N))
        checkEnd(N);
      for (Block *Inner : N->blocks())
        visit(Inner);
      if (Graph *Forked = forkedGraph(N)) {
        for (size_t I = 0; I < N->inputs().size(); ++I)
          Captured[Forked->inputs()[I]] = N->input(I);
        visit(Forked->block());
      }
    }
  }

  std::string Name;
  std::unordered_map<const Value *, const Value *> Captured;
};

} // namespace

std::vector<std::string> verifyProbes(const std::vector<MethodGraph> &Methods,
                                      const Manifest *Table) {
  ProbeVerifier Verifier;
  for (const MethodGraph &Method : Methods)
    Verifier.run(Method);
  if (Table)
    Verifier.compareWith(*Table);
  return std::move(Verifier.Errors);
}

std::vector<uint32_t> sitesIn(const std::vector<MethodGraph> &Methods) {
  ProbeVerifier Verifier;
  for (const MethodGraph &Method : Methods)
    Verifier.run(Method);
  std::vector<uint32_t> Found;
  for (auto [Site, Count] : Verifier.Sites)
    Found.push_back(format::SiteId::fromNumber(Site).index());
  return Found;
}

} // namespace torchprof
