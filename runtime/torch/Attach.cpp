//===- Attach.cpp - what libtorchprof_attach asks of the runtime ----------===//

#include "Attach.h"

#include "Control.h"
#include "ManifestClass.h"
#include "Warn.h"

namespace torchprof {

AttachOptions attachOptions() {
  Options Now = currentOptions();
  return {Now.Enabled && Now.Attach,
          Now.Nodes,
          Now.Granularity,
          Now.Include,
          Now.Exclude,
          Now.Methods};
}

void registerModel(std::string_view ManifestText) {
  introduceFramework();
  addModel(ManifestText);
}

void countTags(const TagCounts &Counts) {
  if (Counts.Timed)
    count(format::Counter::LoweredPairs, Counts.Timed);
  if (Counts.Explicit)
    count(format::Counter::ExplicitPairs, Counts.Explicit);
}

void noteGroup(format::SiteId Site, std::string_view Members) {
  count(format::Counter::GroupedPairs, 1);
  addNote(Site, format::DynamicKind::Group, Members);
}

void noteLeftOut(format::SiteId Site) {
  addNote(Site, format::DynamicKind::LeftOut, "");
}

void warnOfAttach(std::string_view Text) {
  warn("%.*s", int(Text.size()), Text.data());
}

} // namespace torchprof
