//===- ModelNames.h - what tells the models of a table apart ----*- C++ -*-===//
//
// A process may run several models, and most have a method `forward`. A model
// is called by its class; of several of one class the one with the second id is
// "ResNet#2", in whatever order files are read and threads load models.
// Where only one model ran, nobody needs its name. Nor does anybody the name of
// the method around a node, where a model ran nodes of one only.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_MODELNAMES_H
#define TORCHPROF_REPORT_MODELNAMES_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace torchprof {
struct Manifest;

namespace report {

class SiteTable;

class ModelNames {
public:
  /// Of the models of which a site was reached.
  explicit ModelNames(const SiteTable &Sites);

  /// Id of the model that a site lies in, as `check` prints it; empty outside
  /// of models.
  static std::string idOf(const SiteTable &Sites, uint32_t S);

  /// True if there is more than one.
  bool areNeeded() const { return Names.size() > 1; }
  /// True if one of them has nodes that were reached in two methods or more.
  bool areMethodsNeeded() const { return HasMethods; }
  /// The one that a site lies in; empty outside of these models.
  llvm::StringRef of(const SiteTable &Sites, uint32_t S) const;
  /// The same where names are needed, else empty.
  llvm::StringRef ofSeveral(const SiteTable &Sites, uint32_t S) const {
    return areNeeded() ? of(Sites, S) : llvm::StringRef();
  }
  /// Name of the root \p Root, where names are needed "ResNet.forward".
  std::string method(const SiteTable &Sites, uint32_t Root) const;

  /// Name of the method around a site; empty of methods and outside of models.
  static llvm::StringRef methodAround(const SiteTable &Sites, uint32_t S);

  /// Adds "model" and, where rows are nodes, "method" to \p Ids of columns, in
  /// front of "module", where they are needed.
  template <typename Id> void addColumns(std::vector<Id> &Ids) const {
    bool OfNodes = llvm::is_contained(Ids, "name");
    auto Add = [&Ids](llvm::StringRef Column) {
      auto Module = llvm::find(Ids, "module");
      if (Module != Ids.end())
        Ids.insert(Module, Id(Column.data()));
    };
    if (areNeeded())
      Add("model");
    if (OfNodes && HasMethods)
      Add("method");
  }

private:
  std::map<const Manifest *, std::string> Names;
  bool HasMethods = false;
};

} // namespace report
} // namespace torchprof

#endif // TORCHPROF_REPORT_MODELNAMES_H
