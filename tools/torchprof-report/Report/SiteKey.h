//===- SiteKey.h - the same layer in another model --------------*- C++ -*-===//
//
// A key by which a site is recognised in a model that was changed, renumbered
// or saved by another version: the method, the module path, the kind, and the
// place among the sites that have the same three. It holds no number of a
// model or table, so it is also the stable name of a site in exported files.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_SITEKEY_H
#define TORCHPROF_REPORT_SITEKEY_H

#include "torchprof/format/Manifest.h"

#include <compare>
#include <map>
#include <string>
#include <vector>

namespace torchprof::report {

class SiteTable;

struct SiteKey {
  std::string Model;  ///< what tells it from other models; else empty
  std::string Method; ///< of what is outside of models, its own name
  std::string Module;
  std::string Kind; ///< of arithmetic, also whether it is without tensors
  unsigned Order = 0;

  /// "forward/layer1.0.conv1/aten::conv2d/0", with a model in front
  /// "ResNet/forward/layer1.0.conv1/aten::conv2d/0"
  std::string text() const;

  auto operator<=>(const SiteKey &) const = default;
};

/// The keys of a model's sites, in their order.
std::vector<SiteKey> siteKeys(const Manifest &M);

/// What keys call models, by their ids.
using ModelsInKeys = std::map<uint64_t, std::string>;

/// What keys call the models of two sides of which a site was reached: nothing
/// where each side has one, which are compared whatever their classes are. Else
/// a model is called by its class, of several of a class the second "ResNet#2".
/// One that both sides have has one name. These are numbered first, by id;
/// what is left of a side, in its order.
ModelsInKeys modelsInKeys(const SiteTable &A, const SiteTable &B);

/// The keys of a table's sites, in their order, with the models in front. Each
/// model is numbered by itself, also where several have one name. Models that
/// are not in \p Names are told from those.
std::vector<SiteKey> siteKeys(const SiteTable &Sites,
                              const ModelsInKeys &Names);

/// The same of a table that is compared with none: a model has the keys that it
/// has in a file of its own, but for its class where several ran.
std::vector<SiteKey> siteKeys(const SiteTable &Sites);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_SITEKEY_H
