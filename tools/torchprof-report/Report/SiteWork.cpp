//===- SiteWork.cpp - what sites computed and moved -----------------------===//

#include "SiteWork.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

void SiteWork::add(StringRef Kind, StringRef Signature, uint64_t Calls,
                   UInt128 Ticks) {
  Optional<Work> One = workOf(Kind, parseSignature(Signature));
  if (!One)
    return;
  auto Times = static_cast<double>(Calls);
  *this += {{One->Flops * Times, One->OtherOps * Times, One->Bytes * Times},
            Calls,
            Ticks};
}

void SiteWork::add(const SiteTable &Sites, uint32_t Site) {
  for (const SiteVariant &V : Sites.variants(Site))
    add(Sites.kind(Site), V.Signature, V.Count, V.Sum);
}

SiteWork &SiteWork::operator+=(const SiteWork &Other) {
  Sum.Flops += Other.Sum.Flops;
  Sum.OtherOps += Other.Sum.OtherOps;
  Sum.Bytes += Other.Sum.Bytes;
  Calls += Other.Calls;
  Time += Other.Time;
  return *this;
}
