//===- SiteOptions.cpp - what chose a model's sites -----------------------===//

#include "SiteOptions.h"

#include "llvm/ADT/STLExtras.h"

using namespace torchprof;

static void append(std::string &To, const ManifestOption &Option) {
  To.append(" --").append(Option.Name).append("=").append(Option.Value);
}

std::string report::siteOptions(const Manifest &Table) {
  std::string Text;
  for (const ManifestOption &Option : Table.Options)
    append(Text, Option);
  return Text;
}

static bool isGlob(const ManifestOption &Option) {
  return Option.Name == "include" || Option.Name == "exclude";
}

std::string report::siteGlobs(const Manifest &Table) {
  std::string Text;
  for (const ManifestOption &Option : Table.Options)
    if (isGlob(Option))
      append(Text, Option);
  return Text;
}

bool report::leavesNodesOut(const Manifest &Table) {
  return llvm::any_of(Table.Options, [](const ManifestOption &Option) {
    return isGlob(Option) ||
           (Option.Name == "granularity" && Option.Value == "module");
  });
}
