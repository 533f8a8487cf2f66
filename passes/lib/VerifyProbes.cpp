//===- VerifyProbes.cpp - check that probes pair up -----------------------===//
//
// A pair is well formed when its end stands in the same block as its begin,
// after it, with the same constant site. Sites are unique over all methods and
// agree with the manifest. Where an exception is always raised between the two,
// a begin may stand alone. A reloaded forked graph receives its site numbers
// as captured inputs, so constants are followed out of forked graphs.
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "ProbeOps.h"
#include "torchprof/Passes.h"

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
      uint64_t Index = uint64_t(Site) & ((uint64_t(1) << 20) - 1);
      uint64_t Model = uint64_t(Site) >> 20;
      if (Model != Table.ModelId)
        report(Site, "expected a site of model " +
                         std::to_string(Table.ModelId) + ", found one of " +
                         std::to_string(Model));
      else if (Index >= Present.size())
        report(Site, "expected an index below " +
                         std::to_string(Present.size()) + ", found " +
                         std::to_string(Index));
      else
        Present[Index] = true;
    }
    for (size_t I = 0; I < Present.size(); ++I) {
      bool Vanished = Table.Sites[I].Flags & SF_Vanished;
      if (!Present[I] && !Vanished)
        Errors.push_back("manifest: expected probes for site index " +
                         std::to_string(I) + " (" +
                         Table.string(Table.Sites[I].Kind) +
                         "), found none in the code");
      if (Present[I] && Vanished)
        Errors.push_back("manifest: expected no probes for vanished site "
                         "index " +
                         std::to_string(I) + ", found some");
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
      report(std::nullopt, "expected a begin with " + std::to_string(Wanted) +
                               " inputs and one output, found another shape");
      return;
    }
    auto Site = siteOf(Begin);
    if (!Site) {
      report(Site, "expected a begin with a constant site, found another "
                   "value");
      return;
    }
    if (++Sites[*Site] == 2)
      report(Site, "expected one begin, found another one");
    const auto &Uses = Begin->output()->uses();
    // The importer removes what an exception always skips, ends as well.
    if (Uses.empty() && raisesAfter(Begin))
      return;
    if (Uses.size() != 1 || !ops::closes(Uses[0].user) || Uses[0].offset != 0) {
      report(Site, "expected one end, found " +
                       (Uses.empty() ? std::string("none")
                                     : std::to_string(Uses.size()) +
                                           " uses of its start time"));
      return;
    }
    Node *End = Uses[0].user;
    if (End->owningBlock() != Begin->owningBlock())
      report(Site, "expected the end in the block of its begin, found it in "
                   "another block");
    else if (End->isBefore(Begin))
      report(Site, "expected the end after its begin, found it before");
    if (auto Closed = siteOf(End); Closed != Site)
      report(Site, "expected an end of the same site, found " +
                       (Closed ? "one of site " + std::to_string(*Closed)
                               : std::string("one without a constant site")));
  }

  void checkEnd(Node *End) {
    if (End->inputs().size() != 2 || !ops::opens(End->input(0)->node()))
      report(std::nullopt, "expected an end fed by a begin, found one fed by "
                           "something else");
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
    Found.push_back(uint64_t(Site) & ((uint64_t(1) << 20) - 1));
  return Found;
}

} // namespace torchprof
