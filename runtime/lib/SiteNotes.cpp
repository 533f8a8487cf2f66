//===- SiteNotes.cpp - what the profile says of its sites -----------------===//

#include "SiteNotes.h"

#include "torchprof/format/Atomics.h"
#include "torchprof/format/Segments.h"

#include <cstring>

namespace torchprof {

using namespace format;

void SiteNotes::writeModel(const RegisteredModel &Model) {
  using ManifestSegment = SegmentOf<SegmentType::Manifest>;
  SegmentHeader *Head =
      File.add(SegmentType::Manifest,
               ManifestSegment::payloadBytes(Model.Manifest.size()));
  if (!Head)
    return;
  ManifestSegment Segment(Head);
  Segment.record() = {Model.ModelId, Model.FirstSlot, Model.SiteCount,
                      Model.Manifest.size()};
  memcpy(Segment.entries(), Model.Manifest.data(), Model.Manifest.size());
  File.publish();
}

void SiteNotes::writeChild(const RegisteredChild &Child) {
  using ChildrenSegment = SegmentOf<SegmentType::DynamicSites>;
  // One page for names of ordinary length; the longest fits as well.
  constexpr uint32_t Sites = 62;
  constexpr uint64_t Text =
      PageBytes - sizeof(SegmentHeader) - ChildrenSegment::payloadBytes(Sites);
  static_assert(Text >= DynamicSites::MaxNameBytes);
  auto HasRoom = [&] {
    const DynamicSitesRecord &R = ChildrenSegment(Children).record();
    return R.Used < R.Capacity &&
           R.TextCapacity - R.TextUsed >= Child.Name.size();
  };
  if (!Children || !HasRoom()) {
    SegmentHeader *Head = File.add(SegmentType::DynamicSites,
                                   ChildrenSegment::payloadBytes(Sites, Text));
    if (!Head)
      return;
    DynamicSitesRecord &R = ChildrenSegment(Head).record();
    R.Capacity = Sites;
    R.TextCapacity = Text;
    File.publish();
    Children = Head;
  }
  ChildrenSegment Segment(Children);
  DynamicSitesRecord &R = Segment.record();
  memcpy(dynamicText(Segment) + R.TextUsed, Child.Name.data(),
         Child.Name.size());
  Segment.entries()[R.Used] = {Child.Site, Child.Parent,
                               Child.Kind, Child.Flags,
                               R.TextUsed, uint32_t(Child.Name.size())};
  R.TextUsed += uint32_t(Child.Name.size());
  storeRelease(R.Used, R.Used + 1);
}

void SiteNotes::write(Slot Site) {
  if (Site == NoSlot)
    return;
  if (const RegisteredModel *Model = Shared.Models.ownerOf(Site).Model) {
    if (Written.insert(Model).second)
      writeModel(*Model);
  } else if (const RegisteredChild *Child = Shared.Children.childAt(Site)) {
    if (!Written.insert(Child).second)
      return;
    write(Child->Parent);
    writeChild(*Child);
  }
}

} // namespace torchprof
