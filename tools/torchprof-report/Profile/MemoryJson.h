//===- MemoryJson.h - rings and books of a profile as JSON ------*- C++ -*-===//
//
// The part of ProfileJson.cpp's mapping that is about memory and devices; IO is
// a JsonWriter or a JsonReader (JsonArchive.h).
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_MEMORYJSON_H
#define TORCHPROF_REPORT_MEMORYJSON_H

#include "JsonArchive.h"
#include "MemoryRecords.h"

namespace torchprof::report {

/// One level: [slot, end_ticks, held, peak, peak_slot].
inline constexpr auto MapLevel = [](auto &io, auto &L) {
  io.value(L.Site);
  io.value(L.EndTicks);
  io.value(L.Held);
  io.value(L.Peak);
  io.value(L.PeakSite);
};

/// One span: [slot, host_ticks, begin_ns, ns, device, stream].
inline constexpr auto MapDeviceSpan = [](auto &io, auto &S) {
  io.value(S.Site);
  io.value(S.HostTicks);
  io.value(S.BeginNs);
  io.value(S.Ns);
  io.value(S.Device);
  io.value(S.Stream);
};

/// All of a ring but its entries, which are there when it is read. \p Key is
/// theirs.
template <class IO, typename Ring>
void mapRing(IO &io, Ring &R, llvm::StringRef Key) {
  if constexpr (IO::Reading) {
    R.Capacity = static_cast<uint32_t>(R.Entries.size());
    R.Count = R.Entries.size();
  }
  io.choice("keep", R.Keep);
  io.member("capacity", R.Capacity, uint64_t(1) << 24);
  io.member("count", R.Count);
  if constexpr (IO::Reading)
    if (R.Entries.size() != std::min<uint64_t>(R.Count, R.Capacity))
      io.fail(Key, "expected " +
                       llvm::Twine(std::min<uint64_t>(R.Count, R.Capacity)) +
                       " of them, as count and capacity say, found " +
                       llvm::Twine(R.Entries.size()));
}

/// The books of a place; the numbers of events are not written.
template <class IO, typename BooksT>
void mapBooks(IO &io, BooksT &B, format::MemoryPlace Place) {
  auto &T = B.Totals;
  if constexpr (IO::Reading) {
    T.Peaks = T.RunEnds = T.Marks = 1;
    T.PeakSite = format::NoSlot;
    T.Place = Place;
  }
  io.member("peak", T.Peak);
  io.member("peak_ticks", T.PeakTicks);
  io.optional("peak_slot", T.PeakSite, format::NoSlot);
  io.member("epoch", T.Epoch);
  io.member("runs", T.Runs);
  io.member("mark_before", T.MarkRuns[0]);
  io.member("mark", T.MarkRuns[1]);
  io.objects("accounts", B.Accounts, [](auto &io, auto &A) {
    if constexpr (IO::Reading) {
      A.Site = format::NoSlot;
      A.AtPeak.Number = A.AtRunEnd.Number = A.MarkNumber = 1;
    }
    io.optional("slot", A.Site, format::NoSlot);
    io.optional("while_shut", A.IsShut);
    io.member("live", A.Live);
    io.member("blocks", A.Blocks);
    io.member("at_peak", A.AtPeak.Bytes);
    io.member("at_run_end", A.AtRunEnd.Bytes);
    io.member("at_mark_before", A.AtMarks[0]);
    io.member("at_mark", A.AtMarks[1]);
  });
  if constexpr (IO::Reading)
    for (const auto &A : B.Accounts)
      T.Live += A.Live;
}

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_MEMORYJSON_H
