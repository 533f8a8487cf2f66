//===- BooksCopies.cpp - books as they were at one moment -----------------===//

#include "BooksCopies.h"

#include "Process.h"
#include "ProfileFile.h"
#include "torchprof/format/LiveReader.h"
#include "torchprof/format/Segments.h"

#include <unistd.h>

namespace torchprof {

using namespace format;

/// Tries, and how long one waits for a thread that lost its processor in the
/// middle of a change.
static constexpr unsigned Tries = 100;
static constexpr useconds_t WaitMicroseconds = 200;

/// Makes room for the segments that came to be since.
void BooksCopies::addNew(const ProfileFile &Profile) {
  ProcessLock Lock;
  for (; Seen < Profile.segments().size(); ++Seen) {
    const SegmentHeader *Head = Profile.segments()[Seen].Head;
    if (Head->Type == SegmentType::Blocks)
      Copies.push_back({Head, std::make_unique<char[]>(Head->Bytes)});
  }
}

BooksCopies::BooksCopies(const ProfileFile &Profile) {
  for (unsigned Try = 0; Try < Tries; ++Try) {
    if (Try > Tries / 2)
      usleep(WaitMicroseconds);
    addNew(Profile); // without which the others do not balance
    for (const Copy &C : Copies)
      copyWords(C.Data.get(), C.From, C.From->Bytes);
    if (balance(MemoryPlace::Cpu) && balance(MemoryPlace::Devices))
      return;
  }
}

/// As torchprof-report check asks of a profile.
bool BooksCopies::balance(MemoryPlace Place) const {
  const BlocksRecord *Totals = nullptr;
  int64_t Live = 0, AtPeak = 0;
  for (const Copy &C : Copies) {
    ConstSegmentOf<SegmentType::Blocks> Segment(
        reinterpret_cast<const SegmentHeader *>(C.Data.get()));
    if (Segment.record().Place != Place)
      continue;
    if (!Totals)
      Totals = &Segment.record();
    for (uint32_t I = 0; I < Segment.record().Used; ++I) {
      const BlockAccount &A = Segment.entries()[I];
      Live += A.Live;
      AtPeak += heldAt(A.AtPeak, Totals->Peaks, A.Live);
    }
  }
  return !Totals || (Live == Totals->Live && AtPeak == Totals->Peak);
}

const char *BooksCopies::of(const SegmentHeader *Segment) const {
  for (const Copy &C : Copies)
    if (C.From == Segment)
      return C.Data.get();
  return nullptr;
}

} // namespace torchprof
