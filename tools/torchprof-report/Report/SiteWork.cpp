//===- SiteWork.cpp - what sites computed and moved -----------------------===//

#include "SiteWork.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

void SiteWork::add(StringRef Kind, StringRef Signature, uint64_t Calls,
                   UInt128 Ticks) {
  report::Signature Of = parseSignature(Signature);
  Optional<Work> One = workOf(Kind, Of);
  if (!One)
    return;
  auto Times = static_cast<double>(Calls);
  Work All = {One->Flops * Times, One->OtherOps * Times, One->Bytes * Times};
  *this += {All, {{All, usesDevice(Of)}}, Calls, Ticks};
}

/// Ticks that a device worked for a call of a site, in the mean; none if that
/// is not known.
static Optional<double> deviceTicksOfCall(const SiteTable &Sites,
                                          uint32_t Site) {
  Optional<MeasureId> Device = numberOf(Sites.measures(), "device");
  if (!Device)
    return None;
  const MeasureTotal &Time = Sites.measured(*Device, Site);
  if (!Time.Count)
    return None;
  return static_cast<double>(Time.Sum) / Sites.clock().nsPerTick() /
         static_cast<double>(Time.Count);
}

void SiteWork::add(const SiteTable &Sites, uint32_t Site) {
  SiteWork Own;
  for (const SiteVariant &V : Sites.variants(Site))
    Own.add(Sites.kind(Site), V.Signature, V.Count, V.Sum);
  if (Optional<double> Ticks = deviceTicksOfCall(Sites, Site))
    Own.Time = static_cast<UInt128>(*Ticks * static_cast<double>(Own.Calls));
  if (Sites[Site].Async)
    Own.AsideTime = Own.Time;
  *this += Own;
}

void SiteWork::add(const SiteTable &Sites, uint32_t Site, StringRef Signature,
                   uint64_t Calls, UInt128 Ticks) {
  if (Optional<double> OfCall = deviceTicksOfCall(Sites, Site))
    Ticks = Sites.variants(Site).size() == 1
                ? static_cast<UInt128>(*OfCall * static_cast<double>(Calls))
                : 0;
  add(Sites.kind(Site), Signature, Calls, Ticks);
}

SiteWork &SiteWork::operator+=(const SiteWork &Other) {
  Sum.Flops += Other.Sum.Flops;
  Sum.OtherOps += Other.Sum.OtherOps;
  Sum.Bytes += Other.Sum.Bytes;
  Parts.insert(Parts.end(), Other.Parts.begin(), Other.Parts.end());
  Calls += Other.Calls;
  Time += Other.Time;
  AsideTime += Other.AsideTime;
  return *this;
}
