//===- Passes.h - probes in TorchScript graphs ------------------*- C++ -*-===//
//
// The passes of torchprof: graph in, graph out. A probe pair is
//
//   %b : int = torchprof::begin(%site)
//   ... the measured nodes ...
//   torchprof::end(%b, %site)
//
// with a constant site number, model id << 20 | index. Every rewrite has its
// inverse, its verifier and a printer beside it.
//
// The passes keep no state between calls. They are as safe for threads as the
// graphs they are given: one thread per graph. Errors of LibTorch leave as
// c10::Error, errors of ours as InstrumentError. No torch header is included
// here; a caller that needs more than pointers includes its own.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PASSES_H
#define TORCHPROF_PASSES_H

#include "torchprof/format/Manifest.h"

#include <iosfwd>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace torch::jit {
struct Block;
struct Graph;
struct Module;
struct Node;
struct Value;
} // namespace torch::jit

namespace torchprof {

/// What a user did wrong, or a model that cannot be instrumented. The text is
/// one lower-case line without the file's name.
class InstrumentError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Name of the attribute that carries the manifest, and prefix of the methods
/// that keep the code as it was before.
inline constexpr const char *ManifestAttribute = "_torchprof_manifest";
inline constexpr const char *OriginalPrefix = "_torchprof_original_";

enum class NodeChoice {
  Default, ///< what produces or changes tensors, calls, control flow with such
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

/// A graph to instrument.
struct MethodGraph {
  std::string Name;      ///< the method's name, "forward"
  std::string Signature; ///< its inputs without self, "x, y"
  std::string Class;     ///< class of the module that owns it
  std::string Instance;  ///< path of that module, "" for the root
  std::shared_ptr<torch::jit::Graph> Body;
};

/// Where a site's probes go: before First and after Last, which lie in one
/// block. A method's root has neither: it spans the whole graph.
struct SitePlace {
  torch::jit::Node *First = nullptr;
  torch::jit::Node *Last = nullptr;
};

/// The result of numbering: the manifest, and the place of each of its sites.
struct SiteNumbering {
  Manifest Table;
  std::vector<SitePlace> Places;                 ///< one per site
  std::vector<torch::jit::Graph *> RootGraph;    ///< per site, null for nodes
  std::map<std::string, uint64_t> SkippedByKind; ///< why nodes have no site
  std::vector<std::string> SkippedNodes;         ///< one line each
  /// Kinds and module paths of nodes that only a filter kept from being sites.
  std::set<std::string> FilteredNames;
  uint64_t NodesSeen = 0;
};

/// The scopes of inlined nodes: which call each node came from.
struct ScopeMap {
  std::unordered_map<const torch::jit::Node *, uint32_t> ScopeOf;
  /// What to read instead of a callee's graph that is being rewritten itself.
  std::unordered_map<const torch::jit::Graph *,
                     std::shared_ptr<torch::jit::Graph>>
      OriginalOf;
  /// The root scope of each method's graph.
  std::unordered_map<const torch::jit::Graph *, uint32_t> RootOf;
};

/// Inlines every call in \p Method that can be, without touching the callee,
/// and then runs the importer's own clean-up, so that what is numbered
/// afterwards is what a saved and loaded graph still has. Adds the calls as
/// scopes to \p Table and the scope of each node to \p Scopes. Linear in the
/// inlined graph.
void inlineCalls(const MethodGraph &Method, Manifest &Table, ScopeMap &Scopes);

/// Numbers the sites of all \p Methods, in this order; within a method
/// in pre-order, the root first. Does not change the graphs. \p Table holds
/// the scopes of inlineCalls and is moved into the result. Deterministic.
/// Throws InstrumentError, with names that come near, when there are filters
/// and they leave nothing but roots.
SiteNumbering numberSites(const std::vector<MethodGraph> &Methods,
                          Manifest Table, const ScopeMap &Scopes,
                          const SiteOptions &Options);

/// Puts a pair around each place of \p Numbering. Roots begin with
/// torchprof::enter fed by the manifest attribute if \p WithManifest, else
/// with torchprof::begin. The site of index i is ModelId << 20 | i.
void insertProbes(const SiteNumbering &Numbering, bool WithManifest);

/// Removes every probe, its constants and the reading of the manifest that
/// feeds it: the inverse of insertProbes. Returns the number of pairs.
uint64_t stripProbes(torch::jit::Graph &Body);

/// Checks that each begin has one end with the same site, in its block and
/// after it, and that no site stands twice. With \p Table, also that the sites
/// are exactly those of the manifest, apart from those flagged as vanished.
/// Returns one line per violation; an empty vector means that all is well.
std::vector<std::string> verifyProbes(const std::vector<MethodGraph> &Methods,
                                      const Manifest *Table = nullptr);

/// Indices of the sites that \p Methods hold, in no order; for finding out
/// what vanished when a file was saved and loaded.
std::vector<uint32_t> sitesIn(const std::vector<MethodGraph> &Methods);

/// Adds to \p Table the names of values outside the instrumented methods that
/// \p Saved has and \p Reloaded, which was loaded from the file it was saved
/// to, has not: LibTorch breaks the lines of a bigger model elsewhere, and a
/// result written as an expression has no name. stripModule gives them back.
/// Names in free functions are not looked at. Returns their number.
uint64_t addLostNames(const torch::jit::Module &Saved,
                      const torch::jit::Module &Reloaded, Manifest &Table);

/// Prints the sites as a tree: index, kind, node name, module path, source.
void printSites(const Manifest &Table, std::ostream &Out);

/// The same as one JSON object with an array of sites.
void printSitesJson(const Manifest &Table, std::ostream &Out);

/// How long one step took.
struct StepTime {
  const char *Step;
  uint64_t Ns;
};

/// What instrumentModule did.
struct InstrumentResult {
  SiteNumbering Numbering;
  uint64_t Methods = 0;
  std::vector<StepTime> Times;
};

/// Instruments every method of \p Root: keeps each method's code under a
/// reserved name, inlines and numbers all of them, and rewrites them. Methods
/// of submodules that are called through an interface cannot be inlined and
/// are instrumented as roots of their own, one per class. The manifest is
/// printed into a TorchBind object of class torchprof.Manifest,
/// which must be registered; it becomes an attribute of \p Root and of each
/// submodule with roots of its own.
/// \p MethodNames limits the methods; empty means all.
/// Throws InstrumentError when \p Root is instrumented already, has no method,
/// or cannot carry the manifest.
InstrumentResult instrumentModule(torch::jit::Module &Root,
                                  const SiteOptions &Options,
                                  const std::vector<std::string> &MethodNames);

/// Numbers the sites as instrumentModule would, on copies of the graphs.
SiteNumbering numberModule(const torch::jit::Module &Root,
                           const SiteOptions &Options,
                           const std::vector<std::string> &MethodNames);

/// The inverse of instrumentModule. Throws InstrumentError when \p Root holds
/// no probes. Returns the number of methods restored.
uint64_t stripModule(torch::jit::Module &Root);

/// The manifest inside \p Root; false if there is none. Throws InstrumentError
/// when it is damaged or of another version.
bool readManifest(const torch::jit::Module &Root, Manifest &Table);

/// Stores \p Table in \p Root in place of the manifest there.
void replaceManifest(torch::jit::Module &Root, const Manifest &Table);

/// The instrumented methods of the model, hooks included, as graphs to verify.
std::vector<MethodGraph> instrumentedMethods(const torch::jit::Module &Root);

//===----------------------------------------------------------------------===//
// The passes by name, for torchprof-opt --passes
//===----------------------------------------------------------------------===//

/// One row of Passes.def.
struct PassInfo {
  const char *Flag;
  const char *Help;
  /// Runs on a graph from text. Prints to \p Out, if it prints; returns error
  /// lines, none if all is well.
  std::vector<std::string> (*Run)(std::shared_ptr<torch::jit::Graph> &Body,
                                  const SiteOptions &Options,
                                  std::ostream &Out);
};

/// All passes, sorted by flag.
const std::vector<PassInfo> &passes();

} // namespace torchprof

#endif // TORCHPROF_PASSES_H
