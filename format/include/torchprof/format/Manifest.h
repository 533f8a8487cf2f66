//===- Manifest.h - the table of sites and its text -------------*- C++ -*-===//
//
// The manifest says what each site of a model is: its kind and name, the
// module it ran in, its place in the author's source and the sites that
// produced its inputs. The pass writes it into the model, the runtime copies
// it into the profile without reading more than its head, the report reads it.
// docs/manifest-format.md describes the text.
//
// Standard library only, so that units with torch headers and units with LLVM
// headers can both use it; each compiles its own copy of the sources.
// Functions without an object are pure and safe from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_MANIFEST_H
#define TORCHPROF_FORMAT_MANIFEST_H

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace torchprof {

inline constexpr unsigned ManifestVersion = 2;

/// No site or scope.
inline constexpr uint32_t NoIndex = 0xffffffff;

/// What a site is, beyond its kind: SF_Root, SF_Module, ...
enum SiteFlags : uint32_t {
#define SITE_FLAG(ENUMERATOR, BIT, NAME, HELP) SF_##ENUMERATOR = 1u << BIT,
#include "torchprof/format/SiteFlags.def"
};

/// One row of SiteFlags.def.
struct SiteFlagInfo {
  SiteFlags Flag;
  const char *Name; ///< in manifests and in JSON
  const char *Help;
};

inline constexpr SiteFlagInfo SiteFlagTable[] = {
#define SITE_FLAG(ENUMERATOR, BIT, NAME, HELP) {SF_##ENUMERATOR, NAME, HELP},
#include "torchprof/format/SiteFlags.def"
};

/// A place in the author's source. Line and Column count from 1; 0 means
/// that the place is not known.
struct SourcePosition {
  uint32_t File = 0; ///< string
  uint32_t Line = 0;
  uint32_t Column = 0;
  uint32_t Text = 0; ///< string: the source line, without indentation
  bool operator==(const SourcePosition &) const = default;
  auto operator<=>(const SourcePosition &) const = default;
};

/// One call of a function or of a module's method, as a node of the tree of
/// inlined calls. A scope without parent is a method that was instrumented.
struct ManifestScope {
  uint32_t Parent = NoIndex;
  uint32_t Module = 0;   ///< string: instance name under the parent's, or ""
  uint32_t Class = 0;    ///< string: class of the module, or ""
  uint32_t Function = 0; ///< string
  SourcePosition Call;   ///< where the parent's function calls it
  bool operator==(const ManifestScope &) const = default;
};

struct ManifestSite {
  uint32_t Parent = NoIndex; ///< site
  uint32_t Kind = 0;         ///< string: aten::conv2d, prim::If, method, ...
  uint32_t Overload = 0;     ///< string
  uint32_t Name = 0;         ///< string: name of the first output
  uint32_t Scope = 0;        ///< scope
  SourcePosition Source;     ///< place within the scope's function
  uint32_t Flags = 0;        ///< SiteFlags
  std::vector<uint32_t> Producers; ///< sites whose outputs are inputs here
  bool operator==(const ManifestSite &) const = default;
};

/// The name of a value in a function that was not instrumented, which saving
/// the instrumented model loses and stripping gives back.
struct ManifestName {
  uint32_t Function = 0; ///< string: path of a module and method, "a.0.forward"
  uint32_t Value = 0;    ///< number of the value in the order of the nodes
  uint32_t Name = 0;     ///< string
  bool operator==(const ManifestName &) const = default;
};

/// An option that chose the sites, as torchprof-opt spells it.
struct ManifestOption {
  std::string Name;  ///< "include"; any, from a newer torchprof
  std::string Value; ///< "aten::*"
  bool operator==(const ManifestOption &) const = default;
};

/// The manifest in memory. Strings are interned: string 0 is "".
/// A site's index is its position in Sites; parents precede children.
struct Manifest {
  uint64_t ModelId = 0;  ///< 43 bits
  std::string ModelName; ///< stem of the model's file, or its class
  std::string Producer;
  std::vector<ManifestOption> Options; ///< without those of the default
  std::vector<std::string> Strings{std::string()};
  std::vector<ManifestScope> Scopes;
  std::vector<ManifestSite> Sites;
  std::vector<ManifestName> Names;

  bool operator==(const Manifest &) const = default;

  /// Returns the number of \p Text among Strings, adding it if it is new.
  uint32_t intern(std::string_view Text);

  const std::string &string(uint32_t Index) const { return Strings[Index]; }

  /// Module path of a scope, "layer1.0.conv1"; "" is the root module.
  std::string modulePath(uint32_t Scope) const;

private:
  /// Numbers of strings by hash: the strings themselves are held once.
  std::unordered_multimap<size_t, uint32_t> Interned{
      {std::hash<std::string_view>()({}), 0}};
};

/// True if \p Holds is true of \p Path, which modulePath() gave, or, if that is
/// "(a|b).c" because the graph does not say which instance of a class runs, of
/// "a.c" or "b.c".
template <typename Predicate>
bool anyInstance(const std::string &Path, Predicate Holds) {
  if (Holds(Path))
    return true;
  size_t Close = Path.find(')');
  if (!Path.starts_with('(') || Close == std::string::npos)
    return false;
  for (size_t Begin = 1, End; Begin <= Close; Begin = End + 1) {
    End = Path.find_first_of("|)", Begin);
    if (Holds(Path.substr(Begin, End - Begin) + Path.substr(Close + 1)))
      return true;
  }
  return false;
}

/// The names in \p Path, which modulePath() gave or which is a part of one, the
/// outermost module's first. "(a.0|a.1)", the instances of a class, is one.
std::vector<std::string_view> moduleNames(std::string_view Path);

/// So many scopes, sites or modules are read that lie in one another: readers
/// call themselves for each, and have a stack of a few megabytes. A model has
/// tens of them, a host that recurses in a region as many as Python allows.
inline constexpr uint32_t MostLevels = 2048;
/// Bytes of a module path that is read. A frame has one, for each scope.
inline constexpr size_t MostPathBytes = size_t(1) << 20;

/// Says which scope or site goes beyond these; empty if none does. A parent
/// that does not come earlier counts as none.
std::string whyTooDeep(const Manifest &M);

/// The text of a manifest.
std::string printManifest(const Manifest &M);

/// Reads the text of a manifest. On failure returns false and sets \p Error to
/// one lower-case line: where and how the text is damaged, or that it belongs
/// to another version. Checks every index, so that a manifest that was read
/// can be used without further checks; takes memory in proportion to the text,
/// whatever its counts say. Refuses what goes beyond MostLevels.
bool parseManifest(std::string_view Text, Manifest &M, std::string &Error);

/// What can be had of a manifest without reading all of it.
struct ManifestHead {
  uint64_t ModelId = 0;
  uint32_t SiteCount = 0;
  std::string ModelName;
  std::vector<ManifestOption> Options;
};

/// Reads the head and checks the checksum over all of the text. Errors as in
/// parseManifest.
bool parseManifestHead(std::string_view Text, ManifestHead &Head,
                       std::string &Error);

/// FNV-1a, 64 bit (http://www.isthe.com/chongo/tech/comp/fnv).
uint64_t hashText(std::string_view Text, uint64_t Seed = 0xcbf29ce484222325ull);

} // namespace torchprof

#endif // TORCHPROF_FORMAT_MANIFEST_H
