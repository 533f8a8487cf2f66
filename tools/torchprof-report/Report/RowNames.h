//===- RowNames.h - what a site is called in a row --------------*- C++ -*-===//

#ifndef TORCHPROF_REPORT_ROWNAMES_H
#define TORCHPROF_REPORT_ROWNAMES_H

#include "Rows.h"

#include <string>

namespace torchprof::report {

/// The names that a row can have, and what its group is called.
struct SiteNames {
  std::string Kind, Name, Model, ModelId, Method, Module, Class, Source, Key,
      Label, Group;
};

SiteNames namesOf(const SiteTable &Sites, uint32_t S,
                  const RowOptions &Options);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_ROWNAMES_H
