//===- Attach.cpp - what libtorchprof_attach asks of the runtime ----------===//

#include "Attach.h"

#include "BackwardFunctions.h"
#include "Clock.h"
#include "Control.h"
#include "Framework.h"
#include "Warn.h"

#include <new>

namespace torchprof {

AttachOptions attachOptions() {
  Options Now = currentOptions();
  bool Hooks = Now.Enabled && Now.Hooks;
  return {Hooks,
          Hooks && Now.Attach,
          hasWord(Now.Record, "shapes"),
          hasWord(Now.Record, "attributes"),
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

std::string manifestOf(uint64_t ModelId) { return manifestText(ModelId); }

void countTags(const TagCounts &Counts) {
  if (Counts.Timed)
    count(format::Counter::LoweredPairs, Counts.Timed);
  if (Counts.Explicit)
    count(format::Counter::ExplicitPairs, Counts.Explicit);
}

void noteGroup(format::SiteId Site, std::string_view Members) {
  count(format::Counter::GroupedPairs, 1);
  noteTogether(Site, Members);
}

void noteTogether(format::SiteId Site, std::string_view Members) {
  addNote(Site, format::DynamicKind::Group, Members);
}

void noteFused(format::SiteId Site,
               const std::vector<format::SiteId> &Members) {
  for (format::SiteId Member : Members)
    addNote(Site, format::DynamicKind::Member, std::to_string(Member.index()));
}

void noteLeftOut(format::SiteId Site) {
  addNote(Site, format::DynamicKind::LeftOut, "");
}

std::optional<format::Slot> backwardSite(format::SiteId Of,
                                         std::string_view Kind) {
  return childOf(Of, format::DynamicKind::Backward, Kind);
}

std::optional<format::Slot> partSite(format::SiteId Of,
                                     format::DynamicKind Kind, PartRuns How) {
  return childOf(Of, Kind, How == PartRuns::Beside ? format::BesideParent : "");
}

uint64_t ticksNow() noexcept {
  static const bool IsChosen = [] {
    try {
      currentOptions(); // chooses the clock
    } catch (const std::bad_alloc &) {
    }
    return true;
  }();
  (void)IsChosen;
  return clock::ticks();
}

bool notePlan(std::optional<format::SiteId> Root,
              std::optional<format::SiteId> First,
              const format::PlanEvent &Event) {
  return addPlan(Root, First, Event, nodeWaiting());
}

void noteLoad(const format::LoadEvent &Event) noexcept { addLoad(Event); }

void warnOfAttach(std::string_view Text) {
  warn("%.*s", int(Text.size()), Text.data());
}

} // namespace torchprof
