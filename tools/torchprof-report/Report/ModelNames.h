//===- ModelNames.h - what tells the models of a table apart ----*- C++ -*-===//
//
// A process may run several models, and most have a method `forward`. A model
// is called by its class; of several of one class the second is "ResNet#2".
// Where only one model ran, nobody needs its name.
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

  /// True if there is more than one.
  bool areNeeded() const { return Names.size() > 1; }
  /// The one that a site lies in; empty outside of these models.
  llvm::StringRef of(const SiteTable &Sites, uint32_t S) const;
  /// The same where names are needed, else empty.
  llvm::StringRef ofSeveral(const SiteTable &Sites, uint32_t S) const {
    return areNeeded() ? of(Sites, S) : llvm::StringRef();
  }
  /// Name of the root \p Root, where names are needed "ResNet.forward".
  std::string method(const SiteTable &Sites, uint32_t Root) const;

  /// \p Ids of columns with "model" in front of "module", where it is needed.
  template <typename Id> void addColumn(std::vector<Id> &Ids) const {
    auto Module = llvm::find(Ids, "module");
    if (areNeeded() && Module != Ids.end())
      Ids.insert(Module, Id("model"));
  }

private:
  std::map<const Manifest *, std::string> Names;
};

} // namespace report
} // namespace torchprof

#endif // TORCHPROF_REPORT_MODELNAMES_H
