//===- Passes.h - probes in TorchScript graphs ------------------*- C++ -*-===//
//
// The passes of torchprof rewrite TorchScript graphs. A pair of probes is
//
//   %b : int = torchprof::begin(%site)
//   ... the measured nodes ...
//   torchprof::end(%b, %site)
//
// with a constant site number, model id << 20 | index. Every rewrite has its
// inverse, its verifier and a printer beside it.
//
// The passes keep no state between calls. Threads may work on different graphs
// at the same time, but not on the same graph. Functions throw InstrumentError
// for what they check themselves and let LibTorch's exceptions pass. This
// header includes no torch header; a caller that needs more than pointers
// includes its own.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PASSES_H
#define TORCHPROF_PASSES_H

#include "torchprof/format/Manifest.h"

#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace c10 {
struct ClassType;
}

namespace torch::jit {
struct Block;
struct Graph;
struct Module;
struct Node;
struct Value;
} // namespace torch::jit

namespace torchprof {

/// A user error, or a model that cannot be instrumented. The text is one
/// lower-case line without the name of the file.
class InstrumentError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Name of the attribute that carries the manifest, and prefix of the methods
/// that keep the original code.
inline constexpr const char *ManifestAttribute = "_torchprof_manifest";
inline constexpr const char *OriginalPrefix = "_torchprof_original_";

enum class NodeChoice {
  Default, ///< operators that produce or mutate tensors, calls, fork and wait,
           ///< print and warn, operators outside aten and prim, and control
           ///< flow that contains these (not only print and warn)
  All,     ///< also sizes, dtypes and scalar arithmetic
};

enum class Granularity {
  Op,     ///< one site per node
  Module, ///< one site per module call
};

/// Which places become sites. Globs are fnmatch(3) patterns, matched against
/// a site's kind and its module path; exclusion wins.
struct SiteOptions {
  NodeChoice Nodes = NodeChoice::Default;
  Granularity Level = Granularity::Op;
  std::vector<std::string> Include;
  std::vector<std::string> Exclude;
};

/// True if \p Glob fits the kind or the module path, or one of the instances
/// that the path stands for.
bool matchesGlob(const std::string &Glob, const std::string &Kind,
                 const std::string &Path);

/// How to instrument a whole model.
struct InstrumentOptions : SiteOptions {
  std::vector<std::string> Methods; ///< names of the methods; empty means all
  std::string ModelName; ///< stem of the model's file; empty: the root's class
};

/// The enumerator that torchprof-opt spells so; nothing if none is.
std::optional<NodeChoice> nodeChoiceOf(std::string_view Word);
std::optional<Granularity> granularityOf(std::string_view Word);

/// The options, but the model's name, as a manifest keeps them.
std::vector<ManifestOption> manifestOptions(const InstrumentOptions &Options);

/// The inverse; nothing if this torchprof does not know one of them.
std::optional<InstrumentOptions>
instrumentOptions(const std::vector<ManifestOption> &Options);

/// A graph to instrument.
struct MethodGraph {
  std::string Name;      ///< the method's name, "forward"
  std::string Signature; ///< its inputs without self, "x, y"
  std::string Class;     ///< class of the module that owns it
  std::string Instance;  ///< path of that module, "" for the root
  std::shared_ptr<torch::jit::Graph> Body;
  std::shared_ptr<c10::ClassType> Owner; ///< null if no class owns it
};

/// Where a site's probes go: before First and after Last, both in one block.
/// A method's root spans the whole graph and has neither.
struct SitePlace {
  torch::jit::Node *First = nullptr;
  torch::jit::Node *Last = nullptr;
};

/// The manifest, and the place of each of its sites.
struct SiteNumbering {
  Manifest Table;
  std::vector<SitePlace> Places;                   ///< one per site
  std::vector<torch::jit::Graph *> RootGraph;      ///< per site, null for nodes
  std::map<std::string, uint64_t> SkippedByReason; ///< nodes without a site
  std::vector<std::string> SkippedNodes;           ///< one line each
  /// Kinds and module paths of nodes rejected by --include or --exclude.
  std::set<std::string> FilteredNames;
  uint64_t NodesSeen = 0;
};

/// Which call each inlined node came from.
struct ScopeMap {
  std::unordered_map<const torch::jit::Node *, uint32_t> ScopeOf;
  /// Maps a graph under rewrite to its unmodified copy, from which calls are
  /// inlined.
  std::unordered_map<const torch::jit::Graph *,
                     std::shared_ptr<torch::jit::Graph>>
      OriginalOf;
  /// The root scope of each method's graph.
  std::unordered_map<const torch::jit::Graph *, uint32_t> RootOf;
  /// A method of the model calls something, so that its code was not inlined
  /// before: nodes that come from no call are their method's.
  bool HasCalls = false;
};

/// Inlines every call in \p Method that can be inlined, without touching the
/// callee, and then simplifies the graph as LibTorch's importer would, so that
/// most nodes survive saving and loading. Adds the calls as scopes to \p Table
/// and the scope of each node to \p Scopes. Linear in the size of the inlined
/// graph.
void inlineCalls(const MethodGraph &Method, Manifest &Table, ScopeMap &Scopes);

/// Numbers the sites of \p Methods, method by method in the given order, each
/// in pre-order with its root first. Does not change the graphs. \p Table has
/// the scopes from inlineCalls and is moved into the result. Deterministic.
/// Throws InstrumentError, with the nearest name, if the filters reject every
/// site but the roots.
SiteNumbering numberSites(const std::vector<MethodGraph> &Methods,
                          Manifest Table, const ScopeMap &Scopes,
                          const SiteOptions &Options);

/// Puts a pair of probes around each place of \p Numbering. A root begins with
/// torchprof::enter on the manifest attribute if \p WithManifest, else with
/// torchprof::begin. The site of index i is ModelId << 20 | i. Also does what
/// followGradModes(), followGradModesOfTask() and leaveBeforeRaises() do.
void insertProbes(const SiteNumbering &Numbering, bool WithManifest);

/// Puts torchprof::follow_grad_mode behind each node in \p In that may switch
/// gradients on or off, or behind which another thread may go on, but not in
/// forks: probes behind it look for functions of autograd, or no longer.
void followGradModes(torch::jit::Block *In);

/// The same for what a fork runs, on whatever thread: also where that begins.
void followGradModesOfTask(torch::jit::Graph &Forked);

/// Puts torchprof::leave in front of each node in \p In that raises an
/// exception, but not in forks: the run ends there, because no method catches
/// exceptions. Comes after all pairs, of which none may begin in between.
void leaveBeforeRaises(torch::jit::Block *In);

/// Removes every probe with the constants and attributes that only probes use:
/// the inverse of insertProbes. Returns the number of pairs.
uint64_t stripProbes(torch::jit::Graph &Body);

/// Checks that each begin has exactly one end with the same site, later in the
/// same block, and that no site occurs twice. With \p Table, also that the
/// sites are exactly those of the manifest that are not flagged as vanished.
/// Returns one line per violation.
std::vector<std::string> verifyProbes(const std::vector<MethodGraph> &Methods,
                                      const Manifest *Table = nullptr);

/// Indices of the sites whose probes are in \p Methods, in no particular order.
std::vector<uint32_t> sitesIn(const std::vector<MethodGraph> &Methods);

/// Prints the sites as a tree: index, kind, node name, module path, source.
void printSites(const Manifest &Table, std::ostream &Out);

/// The same as one JSON object with an array of sites.
void printSitesJson(const Manifest &Table, std::ostream &Out);

/// How long one step took.
struct StepTime {
  const char *Step;
  uint64_t Ns;
};

/// What instrumentAndReload did.
struct InstrumentResult {
  SiteNumbering Numbering;
  uint64_t Methods = 0;
  uint64_t Vanished = 0; ///< sites that LibTorch's importer removed
  /// What verifyProbes finds wrong with the reloaded model; empty unless
  /// LibTorch or torchprof has a bug.
  std::vector<std::string> Problems;
  std::vector<StepTime> Times;
};

/// Instruments the methods of \p Root that \p Options selects. This is the
/// whole transaction: it keeps each method's code under a reserved name,
/// inlines, numbers and rewrites the methods, saves the module to memory and
/// loads it into \p Reloaded, flags the sites and records the names that were
/// lost in between, and verifies the remaining probes.
///
/// Afterwards \p Reloaded can run and \p Root can be saved; the saved file
/// loads as \p Reloaded. \p Root itself must not run: LibTorch may have cached
/// its old graphs. After an exception \p Root is in an unknown state.
///
/// Methods of submodules that are called through an interface cannot be
/// inlined; they become roots of their own, one per class. The manifest becomes
/// an attribute of the root and of each submodule that has such roots: a
/// TorchBind object of class torchprof.Manifest, which must be registered.
///
/// Needs memory for three copies of the weights. Throws InstrumentError if
/// \p Root is instrumented already, also if it was frozen since, or a submodule
/// is, if it has no method, or if it cannot carry the manifest.
InstrumentResult instrumentAndReload(torch::jit::Module &Root,
                                     const InstrumentOptions &Options,
                                     torch::jit::Module &Reloaded);

/// Numbers the sites as instrumentAndReload would, on copies of the graphs.
SiteNumbering numberModule(const torch::jit::Module &Root,
                           const InstrumentOptions &Options);

/// Methods that nothing was put into, and their sites.
struct NumberedMethods {
  SiteNumbering Numbering;
  std::vector<MethodGraph> Methods; ///< inlined; the places lie in their bodies
};

/// Inlines \p Methods and numbers their sites. \p FallbackName is the model's
/// name if the options give none.
NumberedMethods numberMethods(std::vector<MethodGraph> Methods,
                              const InstrumentOptions &Options,
                              const std::string &FallbackName);

/// A module of a model and its class.
struct NamedClass {
  std::string Path; ///< "layer1.0"; "" for the root
  std::shared_ptr<c10::ClassType> Class;
};
std::vector<NamedClass> namedClasses(const torch::jit::Module &Root);

/// True for the methods that LibTorch runs when it saves or loads an object:
/// they are not profiled.
bool isStateMethod(const std::string &Name);

/// Numbers the methods of a model whose root has this class as
/// instrumentAndReload would, on copies of their graphs, and with the same id.
/// Methods that are called through interfaces are looked for among \p Parts,
/// all modules of the model.
NumberedMethods numberClass(const std::shared_ptr<c10::ClassType> &Class,
                            const std::vector<NamedClass> &Parts,
                            const InstrumentOptions &Options);

/// The same for a class that is instrumented: numbers the originals that it and
/// others keep. Methods without one are left out.
NumberedMethods numberOriginals(const std::shared_ptr<c10::ClassType> &Class,
                                const std::vector<NamedClass> &Parts,
                                const InstrumentOptions &Options);

/// The original of an instrumented method as LibTorch would inline and simplify
/// it before the first run, with calls of instrumented methods replaced by
/// their originals. Null if the method keeps none. Takes the locks of the
/// functions that are called.
std::shared_ptr<torch::jit::Graph> originalToRun(const c10::ClassType &Class,
                                                 const std::string &Method);

/// Throws InstrumentError if \p Root has probes of which no manifest of its own
/// tells: it was instrumented and then frozen, or a submodule of it was before.
void refuseStrayProbes(const torch::jit::Module &Root);

/// The inverse of instrumentAndReload. Throws InstrumentError if \p Root has no
/// probes, or stray ones. Returns the number of restored methods.
uint64_t stripModule(torch::jit::Module &Root);

/// Reads the manifest of \p Root into \p Table; false if there is none. Throws
/// InstrumentError if it is damaged or of another version.
bool readManifest(const torch::jit::Module &Root, Manifest &Table);

/// The graphs of all instrumented methods, hooks included, for verifyProbes.
std::vector<MethodGraph> instrumentedMethods(const torch::jit::Module &Root);

//===----------------------------------------------------------------------===//
// The passes by name, for torchprof-opt --passes
//===----------------------------------------------------------------------===//

/// A row of Passes.def.
struct PassInfo {
  const char *Flag;
  const char *Help;
  /// Runs the pass on a graph from text. A printer prints to \p Out. Returns
  /// one line per error.
  std::vector<std::string> (*Run)(std::shared_ptr<torch::jit::Graph> &Body,
                                  const SiteOptions &Options,
                                  std::ostream &Out);
};

/// All passes, sorted by flag.
const std::vector<PassInfo> &passes();

} // namespace torchprof

#endif // TORCHPROF_PASSES_H
