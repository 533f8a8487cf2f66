//===- SiteOptions.cpp - what chose a model's sites -----------------------===//

#include "SiteOptions.h"

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

std::string report::siteGlobs(const Manifest &Table) {
  std::string Text;
  for (const ManifestOption &Option : Table.Options)
    if (Option.Name == "include" || Option.Name == "exclude")
      append(Text, Option);
  return Text;
}
