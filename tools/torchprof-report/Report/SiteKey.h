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
  std::string Kind;
  unsigned Order = 0;

  /// "forward/layer1.0.conv1/aten::conv2d/0", with a model in front
  /// "ResNet/forward/layer1.0.conv1/aten::conv2d/0"
  std::string text() const;

  auto operator<=>(const SiteKey &) const = default;
};

/// The keys of a model's sites, in their order.
std::vector<SiteKey> siteKeys(const Manifest &M);

/// The keys of a table's sites, in their order. Two models in one table are
/// numbered through, so that all keys differ.
std::vector<SiteKey> siteKeys(const SiteTable &Sites);

/// What keys call models, by their ids.
using ModelsInKeys = std::map<uint64_t, std::string>;

/// The same with the models in front, each of which is numbered by itself.
/// Models that are not in \p Names are told from those.
std::vector<SiteKey> siteKeys(const SiteTable &Sites,
                              const ModelsInKeys &Names);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_SITEKEY_H
