//===- Origin.h - where a site comes from -----------------------*- C++ -*-===//
//
// A site is either written in a model's manifest or came to be while the
// process ran. Its origin says what it is called and where it stands; nothing
// else in the report asks which of the two it is to find a name.
//
// An origin holds many sites, numbered from 0. It is not changed while it is
// read, so it may be read from several threads.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_ORIGIN_H
#define TORCHPROF_REPORT_ORIGIN_H

#include "torchprof/format/Manifest.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace torchprof::report {

/// A frame of a site's inlined call stack.
struct Frame {
  std::string Function;
  std::string Module; ///< path of the module whose method it is
  std::string Class;
  std::string File; ///< empty if not known
  uint32_t Line = 0;
  uint32_t Column = 0;
  std::string Text;       ///< the source line
  bool Framework = false; ///< the file belongs to the torch package
};

/// A line of a file, which is empty if it is not known.
struct SourceLine {
  llvm::StringRef File;
  uint32_t Line = 0;
};

/// Names and places of sites. Empty where the origin does not know.
class SiteOrigin {
public:
  virtual ~SiteOrigin() = default;

  virtual llvm::StringRef kind(uint32_t Index) const = 0;
  virtual llvm::StringRef name(uint32_t Index) const = 0;
  virtual llvm::StringRef overload(uint32_t) const { return ""; }

  /// The manifest that the sites are written in, null for dynamic sites.
  virtual const Manifest *manifest() const { return nullptr; }
  /// Scope in the manifest, NoIndex without one.
  virtual uint32_t scope(uint32_t) const { return NoIndex; }
  virtual std::string modulePath(uint32_t) const { return ""; }
  virtual llvm::StringRef className(uint32_t) const { return ""; }
  /// Inlined call stack, innermost first.
  virtual std::vector<Frame> frames(uint32_t) const { return {}; }
  /// Of the innermost frame that is not the framework's, or of the innermost
  /// one if all are; frames without a file do not count. For every row, so it
  /// makes no frames.
  virtual SourceLine source(uint32_t) const { return {}; }
  /// Name and inputs of a root's method: "forward(x, y)" or just "forward".
  virtual llvm::StringRef signature(uint32_t) const { return ""; }
  /// Sites of the same origin whose outputs are inputs of this one.
  virtual llvm::ArrayRef<uint32_t> producers(uint32_t) const { return {}; }
};

/// The sites of one model.
class ManifestOrigin final : public SiteOrigin {
public:
  explicit ManifestOrigin(std::shared_ptr<const Manifest> Table)
      : Table(std::move(Table)) {}

  llvm::StringRef kind(uint32_t Index) const override {
    return Table->string(Table->Sites[Index].Kind);
  }
  llvm::StringRef name(uint32_t Index) const override {
    return Table->string(Table->Sites[Index].Name);
  }
  llvm::StringRef overload(uint32_t Index) const override {
    return Table->string(Table->Sites[Index].Overload);
  }
  const Manifest *manifest() const override { return Table.get(); }
  uint32_t scope(uint32_t Index) const override {
    return Table->Sites[Index].Scope;
  }
  std::string modulePath(uint32_t Index) const override {
    return Table->modulePath(scope(Index));
  }
  llvm::StringRef className(uint32_t Index) const override;
  std::vector<Frame> frames(uint32_t Index) const override;
  SourceLine source(uint32_t Index) const override;
  llvm::StringRef signature(uint32_t Index) const override {
    return Table->string(Table->Scopes[scope(Index)].Function);
  }
  llvm::ArrayRef<uint32_t> producers(uint32_t Index) const override {
    return Table->Sites[Index].Producers;
  }

  const std::shared_ptr<const Manifest> &table() const { return Table; }

private:
  std::shared_ptr<const Manifest> Table;
};

/// Sites that came to be at run time: user regions. They have a kind and a
/// name; where they stand is what their parent says.
class DynamicOrigin final : public SiteOrigin {
public:
  /// Adds a site and returns its index.
  uint32_t add(llvm::StringRef Kind, llvm::StringRef Name) {
    Names.push_back({Kind.str(), Name.str()});
    return static_cast<uint32_t>(Names.size() - 1);
  }

  llvm::StringRef kind(uint32_t Index) const override {
    return Names[Index].Kind;
  }
  llvm::StringRef name(uint32_t Index) const override {
    return Names[Index].Name;
  }

private:
  struct KindAndName {
    std::string Kind, Name;
  };
  std::vector<KindAndName> Names;
};

/// True for a file of the torch package, in Python's tree or in a model's.
bool isFrameworkFile(llvm::StringRef File);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_ORIGIN_H
