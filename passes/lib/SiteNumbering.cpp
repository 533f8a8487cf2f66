//===- SiteNumbering.cpp - which places are sites, and their numbers ------===//
//
// A pre-order walk over the inlined graphs numbers the sites, parents before
// children. Nothing depends on addresses. The graphs do not change, so the
// result can also just be printed.
//
//===----------------------------------------------------------------------===//

#include "NodeSelection.h"
#include "SourceLocation.h"
#include "torchprof/Passes.h"
#include "torchprof/format/Site.h"

#include <c10/util/SmallVector.h>

#include <algorithm>
#include <unordered_set>

namespace torchprof {

using namespace torch::jit;

namespace {

/// At most this many producers are listed: they are edges of a drawing, and the
/// bound keeps the walk linear.
constexpr size_t MaxProducers = 64;

class SiteNumberer {
public:
  SiteNumberer(Manifest Table, const ScopeMap &Scopes,
               const SiteOptions &Options)
      : Scopes(Scopes), Options(Options) {
    Result.Table = std::move(Table);
  }

  void run(const MethodGraph &Method) {
    auto Root = Scopes.RootOf.find(Method.Body.get());
    RootScope =
        Root != Scopes.RootOf.end() ? Root->second : addRootScope(Method);
    ManifestSite Site;
    Site.Kind = Result.Table.intern("method");
    Site.Name = Result.Table.intern(Method.Name);
    Site.Scope = RootScope;
    Site.Flags = SF_Root;
    uint32_t Index = addSite(std::move(Site), SitePlace());
    Result.RootGraph.back() = Method.Body.get();
    Producers.clear();
    Names.clear();
    CopiesOf.clear();
    if (Options.Level == Granularity::Op)
      visitNodes(Method.Body->block(), Index, 0);
    else
      visitRegions(Method.Body->block(), Index, RootScope, 0);
  }

  SiteNumbering take() { return std::move(Result); }

private:
  /// Most values come from one site.
  using SiteList = c10::SmallVector<uint32_t, 2>;

  uint32_t addRootScope(const MethodGraph &Method) {
    ManifestScope Scope;
    Scope.Class = Result.Table.intern(Method.Class);
    Scope.Function =
        Result.Table.intern(Method.Name + "(" + Method.Signature + ")");
    Result.Table.Scopes.push_back(Scope);
    return static_cast<uint32_t>(Result.Table.Scopes.size() - 1);
  }

  uint32_t addSite(ManifestSite Site, SitePlace Place) {
    if (Result.Table.Sites.size() >= format::MaxSitesPerModel)
      throw InstrumentError("more than 1048576 sites; use --include, --exclude "
                            "or --granularity=module");
    Result.Table.Sites.push_back(std::move(Site));
    Result.Places.push_back(Place);
    Result.RootGraph.push_back(nullptr);
    return static_cast<uint32_t>(Result.Table.Sites.size() - 1);
  }

  uint32_t scopeOf(const Node *N) const {
    auto It = Scopes.ScopeOf.find(N);
    return It == Scopes.ScopeOf.end() ? RootScope : It->second;
  }

  const std::string &pathOf(uint32_t Scope) {
    auto [It, IsNew] = Paths.try_emplace(Scope);
    if (IsNew)
      It->second = Result.Table.modulePath(Scope);
    return It->second;
  }

  //===--------------------------------------------------------------------===//
  // Producers: for each value, the sites that it comes from. Values are
  // defined before they are used, so one walk in program order suffices.
  //===--------------------------------------------------------------------===//

  void addProducers(SiteList &To, const Value *V) const {
    auto It = Producers.find(V);
    if (It != Producers.end())
      addSites(To, It->second);
  }

  template <typename List>
  static void addSites(List &To, const SiteList &From) {
    for (uint32_t Site : From)
      if (To.size() < MaxProducers &&
          std::find(To.begin(), To.end(), Site) == To.end())
        To.push_back(Site);
  }

  SiteList producersOfInputs(const Node *N) const {
    SiteList Found;
    for (const Value *Input : N->inputs())
      addProducers(Found, Input);
    std::sort(Found.begin(), Found.end());
    return Found;
  }

  void setProducers(const Node *N, const SiteList &From) {
    if (From.empty())
      return;
    for (const Value *Output : N->outputs())
      Producers[Output] = From;
  }

  /// Producers of the values that enter a node's blocks or its forked graph.
  void bindInner(const Node *N) {
    auto Bind = [&](const Value *Inner, const Value *Outer) {
      SiteList From;
      addProducers(From, Outer);
      if (!From.empty())
        Producers[Inner] = std::move(From);
    };
    if (Graph *Forked = forkedGraph(N))
      for (size_t I = 0; I < N->inputs().size(); ++I)
        Bind(Forked->inputs()[I], N->input(I));
    // A loop's inputs are trip count, condition and carried values; its
    // block's are the iteration and the carried values.
    if (N->kind() == prim::Loop)
      for (size_t I = 2; I < N->inputs().size(); ++I)
        Bind(N->blocks()[0]->inputs()[I - 1], N->input(I));
  }

  /// Producers of the values that leave the blocks of a node without a site.
  void bindOutputs(const Node *N) {
    size_t Skip = N->kind() == prim::Loop ? 1 : 0;
    for (const Block *Inner : N->blocks())
      for (size_t I = 0; I < N->outputs().size(); ++I)
        if (I + Skip < Inner->outputs().size())
          addProducers(Producers[N->output(I)], Inner->outputs()[I + Skip]);
  }

  //===--------------------------------------------------------------------===//
  // One site per node
  //===--------------------------------------------------------------------===//

  void skip(const Node *N, const char *Reason) {
    ++Result.SkippedByReason[Reason];
    const std::string &Path = pathOf(scopeOf(N));
    Result.SkippedNodes.push_back(N->kind().toQualString() +
                                  (Path.empty() ? "" : " in " + Path) + ": " +
                                  Reason);
  }

  bool passesFilters(const Node *N, const std::string &Kind,
                     const std::string &Path) {
    if (isSelected(Options, Kind, Path))
      return true;
    skip(N, "filtered");
    Result.FilteredNames.insert(Kind);
    if (!Path.empty())
      anyInstance(Path, [&](const std::string &Name) {
        Result.FilteredNames.insert(Name);
        return false;
      });
    return false;
  }

  bool wanted(const Node *N) {
    ++Result.NodesSeen;
    switch (Classifier.classify(N)) {
    case NodeClass::Never:
      skip(N, "moves values only");
      return false;
    case NodeClass::Extra:
      if (Options.Nodes != NodeChoice::All) {
        skip(N, "no tensors");
        return false;
      }
      break;
    case NodeClass::Default:
      break;
    }
    return passesFilters(N, N->kind().toQualString(), pathOf(scopeOf(N)));
  }

  /// The author's name of the first output, or the kind's if it has none, with
  /// a number when it is taken. LibTorch's own numbers (x.1, x.12) change with
  /// every load.
  std::string nameOf(const Node *N) {
    bool IsNamed = !N->outputs().empty() && N->output(0)->hasDebugName();
    std::string Base =
        IsNamed ? N->output(0)->debugNameBase() : N->kind().toUnqualString();
    std::string Name = Base;
    while (!Names.insert(Name).second)
      Name = Base + "_" + std::to_string(++CopiesOf[Base]);
    return Name;
  }

  ManifestSite describe(const Node *N, uint32_t Parent, uint32_t Flags) {
    Manifest &Table = Result.Table;
    ManifestSite Site;
    Site.Parent = Parent;
    Site.Kind = Table.intern(N->kind().toQualString());
    if (const c10::FunctionSchema *Schema = N->maybeSchema())
      Site.Overload = Table.intern(Schema->overload_name());
    Site.Name = Table.intern(nameOf(N));
    Site.Scope = scopeOf(N);
    Site.Source = locate(N->sourceRange(), Table);
    Site.Flags = Flags;
    if (!N->blocks().empty())
      Site.Flags |= SF_Control;
    if (isWrittenAsMethod(N->sourceRange(), N->kind().toUnqualString()))
      Site.Flags |= SF_Method;
    SiteList From = producersOfInputs(N);
    Site.Producers.assign(From.begin(), From.end());
    return Site;
  }

  /// What lies in a site runs inside of it, though the site may run beside its
  /// own parent.
  static uint32_t flagsInside(bool IsSite, uint32_t Flags) {
    return IsSite ? Flags & ~SF_Async : Flags;
  }

  void visitNodes(Block *Body, uint32_t Parent, uint32_t Flags) {
    for (Node *N : Body->nodes()) {
      bool IsSite = wanted(N);
      uint32_t Inner = Parent, InnerFlags = flagsInside(IsSite, Flags);
      if (IsSite) {
        Inner = addSite(describe(N, Parent, Flags), {N, N});
        setProducers(N, {Inner});
      } else {
        setProducers(N, producersOfInputs(N));
      }
      bindInner(N);
      for (Block *Child : N->blocks())
        visitNodes(Child, Inner, InnerFlags);
      if (Graph *Forked = forkedGraph(N))
        visitNodes(Forked->block(), Inner, InnerFlags | SF_Async);
      if (!IsSite && !N->blocks().empty())
        bindOutputs(N);
    }
  }

  //===--------------------------------------------------------------------===//
  // One site per module call. The nodes of one call are contiguous after
  // inlining, but for constants and attributes, which other passes move.
  //===--------------------------------------------------------------------===//

  static bool isMobile(const Node *N) {
    return N->kind() == prim::Constant || N->kind() == prim::GetAttr;
  }

  /// The outermost module call between \p Enclosing and the scope of \p N, or
  /// \p Enclosing itself when the node was written in it directly.
  uint32_t outermostCall(const Node *N, uint32_t Enclosing) {
    uint32_t Found = Enclosing;
    for (uint32_t S = scopeOf(N); S != Enclosing;
         S = Result.Table.Scopes[S].Parent) {
      if (S == NoIndex)
        return Enclosing;
      if (Result.Table.Scopes[S].Module != 0)
        Found = S;
    }
    return Found;
  }

  uint32_t addRegion(uint32_t Scope, SitePlace Place, uint32_t Parent,
                     uint32_t Flags) {
    ManifestSite Site;
    Site.Parent = Parent;
    Site.Kind = Result.Table.intern("module");
    Site.Name = Result.Table.Scopes[Scope].Module;
    Site.Scope = Scope;
    Site.Flags = Flags | SF_Module;
    return addSite(std::move(Site), Place);
  }

  void visitRegions(Block *Body, uint32_t Parent, uint32_t Enclosing,
                    uint32_t Flags) {
    visitRegions(*Body->nodes().begin(), Body->return_node(), Parent, Enclosing,
                 Flags);
  }

  /// Visits the nodes from \p First up to but not including \p Stop.
  void visitRegions(Node *First, Node *Stop, uint32_t Parent,
                    uint32_t Enclosing, uint32_t Flags) {
    for (Node *N = First; N != Stop;) {
      uint32_t Call = isMobile(N) ? Enclosing : outermostCall(N, Enclosing);
      if (Call == Enclosing) {
        visitInRegion(N, Parent, Enclosing, Flags);
        N = N->next();
        continue;
      }
      Node *Last = N;
      for (Node *Next = N->next(); Next != Stop; Next = Next->next()) {
        if (isMobile(Next))
          continue;
        if (outermostCall(Next, Enclosing) != Call)
          break;
        Last = Next;
      }
      uint32_t Inner = Parent;
      if (passesFilters(N, "module", pathOf(Call)))
        Inner = addRegion(Call, {N, Last}, Parent, Flags);
      visitRegions(N, Last->next(), Inner, Call,
                   flagsInside(Inner != Parent, Flags));
      N = Last->next();
    }
  }

  /// True if \p Inner is \p Outer or lies inside it.
  bool encloses(uint32_t Outer, uint32_t Inner) const {
    while (Inner != NoIndex && Inner > Outer)
      Inner = Result.Table.Sites[Inner].Parent;
    return Inner == Outer;
  }

  /// A node directly inside the region \p Region.
  void visitInRegion(Node *N, uint32_t Region, uint32_t Enclosing,
                     uint32_t Flags) {
    ++Result.NodesSeen;
    for (uint32_t From : producersOfInputs(N))
      if (!encloses(From, Region) && !encloses(Region, From))
        addSites(Result.Table.Sites[Region].Producers, {From});
    if (!isMobile(N))
      setProducers(N, {Region});
    bindInner(N);
    for (Block *Child : N->blocks())
      visitRegions(Child, Region, Enclosing, Flags);
    if (Graph *Forked = forkedGraph(N))
      visitRegions(Forked->block(), Region, Enclosing, Flags | SF_Async);
  }

  SiteNumbering Result;
  const ScopeMap &Scopes;
  const SiteOptions &Options;
  NodeClassifier Classifier;
  uint32_t RootScope = 0;
  std::unordered_map<const Value *, SiteList> Producers;
  std::unordered_map<uint32_t, std::string> Paths;
  std::unordered_set<std::string> Names; ///< of the sites of one method
  std::unordered_map<std::string, unsigned> CopiesOf;
};

} // namespace

SiteNumbering numberSites(const std::vector<MethodGraph> &Methods,
                          Manifest Table, const ScopeMap &Scopes,
                          const SiteOptions &Options) {
  SiteNumberer Numberer(std::move(Table), Scopes, Options);
  for (const MethodGraph &Method : Methods)
    Numberer.run(Method);
  SiteNumbering Result = Numberer.take();
  // Inserting probes doubles the graph; give back what is not needed first.
  Result.Table.Sites.shrink_to_fit();
  Result.Places.shrink_to_fit();
  Result.RootGraph.shrink_to_fit();
  if (Result.Table.Sites.size() == Methods.size() &&
      !Result.FilteredNames.empty())
    throw InstrumentError(describeNoMatch(Options, Result.FilteredNames));
  return Result;
}

} // namespace torchprof
