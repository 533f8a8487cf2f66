//===- LiveReader.h - records read while they are written -------*- C++ -*-===//
//
// Reads cells and logs that their owner may be updating, without the owner's
// help: the owner never waits and does not know that it is read. Serves for the
// files of killed processes too.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_LIVEREADER_H
#define TORCHPROF_FORMAT_LIVEREADER_H

#include "torchprof/format/Records.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace torchprof::format {

/// Copies memory that others write: word by word, each word whole, in order.
/// \p Bytes is a multiple of 8 and both are aligned to 8.
inline void copyWords(void *To, const void *From, uint64_t Bytes) {
  // Records have fields of other types than a word.
  using WordOfAny = uint64_t __attribute__((may_alias));
  auto *Target = static_cast<WordOfAny *>(To);
  auto *Source = static_cast<const WordOfAny *>(From);
  for (uint64_t I = 0; I < Bytes / 8; ++I)
    Target[I] = __atomic_load_n(&Source[I], __ATOMIC_ACQUIRE);
}

/// Copies a cell up to \p End as it was at one moment. False if the owner
/// updated the cell in each of \p Tries.
inline bool copyCellStart(Cell &To, const Cell &From, uint64_t End,
                          unsigned Tries) {
  for (; Tries; --Tries) {
    uint64_t Word = __atomic_load_n(&From.Word, __ATOMIC_ACQUIRE);
    uint64_t Folded = __atomic_load_n(&From.Folded, __ATOMIC_ACQUIRE);
    if (Word % 2)
      continue;
    copyWords(&To, &From, End);
    if (__atomic_load_n(&From.Word, __ATOMIC_RELAXED) == Word &&
        __atomic_load_n(&From.Folded, __ATOMIC_RELAXED) == Folded &&
        To.Word == Word && To.Folded == Folded)
      return true;
  }
  return false;
}

/// Copies a cell that is updated more often than it can be read at one moment.
/// Count, sums and extremes are of one moment, for which two cache lines are
/// read; first samples stay as they are. The histogram is read before that and
/// after it: each of its counts lies between the two, and they add up to the
/// number of spans. Spans recorded between the two readings, a few, may thus be
/// in another's bucket; nothing else is uncertain.
inline bool copyBusyCell(Cell &To, const Cell &From, unsigned Tries) {
  constexpr uint64_t Changing = offsetof(Cell, First);
  constexpr uint64_t Histogram = offsetof(Cell, Histogram);
  static_assert(Changing % 8 == 0 && Histogram % 8 == 0);
  auto CopyPart = [&](Cell &C, uint64_t Begin, uint64_t End) {
    copyWords(reinterpret_cast<char *>(&C) + Begin,
              reinterpret_cast<const char *>(&From) + Begin, End - Begin);
  };
  // A cell that its owner empties meanwhile changes its epoch.
  uint32_t Epoch = __atomic_load_n(&From.Epoch, __ATOMIC_ACQUIRE);
  Cell After;
  CopyPart(To, Histogram, sizeof(Cell));
  if (!copyCellStart(To, From, Changing, Tries))
    return false;
  CopyPart(After, Histogram, sizeof(Cell));
  CopyPart(To, Changing, Histogram);
  if (__atomic_load_n(&From.Epoch, __ATOMIC_RELAXED) != Epoch)
    return false;
  uint64_t Missing = To.Word / 2;
  for (uint64_t I = Missing; I < FirstSamples; ++I)
    To.First[I] = 0; // of a later span
  for (uint32_t Count : To.Histogram)
    Missing -= Count;
  for (unsigned I = 0; I < HistogramBuckets; ++I) {
    uint64_t Least = To.Histogram[I], Most = After.Histogram[I];
    if (Most < Least) // emptied meanwhile
      return false;
    uint64_t Added = std::min(Most - Least, Missing);
    Missing -= Added;
    To.Histogram[I] = static_cast<uint32_t>(Least + Added);
  }
  return Missing == 0;
}

/// Copies a cell that its owner may be updating, in some microseconds. False
/// if the owner was in the middle of an update all the time: it was preempted
/// there, or killed. The copy is then of no use.
inline bool copyLiveCell(Cell &To, const Cell &From) {
  return copyCellStart(To, From, sizeof(Cell), 20) ||
         copyBusyCell(To, From, 500) || copyBusyCell(To, From, 500);
}

/// The same of a small cell: a measure's or a variant's.
template <typename SmallCell>
bool copyLiveCell(SmallCell &To, const SmallCell &From) {
  for (unsigned Tries = 500; Tries; --Tries) {
    uint64_t Word = __atomic_load_n(&From.Word, __ATOMIC_ACQUIRE);
    if (Word % 2)
      continue;
    copyWords(&To, &From, sizeof(SmallCell));
    if (__atomic_load_n(&From.Word, __ATOMIC_RELAXED) == Word &&
        To.Word == Word)
      return true;
  }
  return false;
}

/// Copies the head of a log, and to the places where they lie in it, its
/// records: those that are not folded, and those that are kept. \p To has room
/// for as many entries as the log. If the owner was too fast for the unfolded
/// ones to be read, the copy has none: they are in its cells by then. So cells
/// are to be copied after their log. An owner that leaves numbers out stores
/// Folded first, so Written, which lies before it, is read first. Kept records
/// that were overwritten meanwhile, or may have been, are blank: in a full ring
/// at least the oldest.
inline void copyLiveLog(LogRecord &Head, LogEntry *To, const LogRecord &Record,
                        const LogEntry *Entries) {
  auto Written = [&] {
    return __atomic_load_n(&Record.Written, __ATOMIC_ACQUIRE);
  };
  for (unsigned Tries = 8; Tries; --Tries) {
    static_assert(offsetof(LogRecord, Written) < offsetof(LogRecord, Folded));
    copyWords(&Head, &Record, sizeof(Head));
    Head.Folded = std::min(Head.Folded, Head.Written);
    if (Head.Folded < Head.Written && Head.Written - Head.Folded > Head.Ring) {
      Head.Folded = Head.Written;
      continue;
    }
    for (uint64_t I = Head.Folded; I < Head.Written; ++I) {
      uint64_t Place = placeOf(Head, I);
      copyWords(&To[Place], &Entries[Place], sizeof(LogEntry));
    }
    // The owner may be writing record number Written, in the place of the one
    // that lies a ring before it.
    if (Written() < Head.Folded + Head.Ring &&
        __atomic_load_n(&Record.Base, __ATOMIC_RELAXED) == Head.Base)
      break;
    Head.Folded = Head.Written;
  }
  LogRange Kept = keptRecords(Head);
  for (uint64_t I = Kept.Begin; I < Kept.End; ++I) {
    uint64_t Place = placeOf(Head, I);
    copyWords(&To[Place], &Entries[Place], sizeof(LogEntry));
  }
  uint64_t Latest = Written();
  if (Head.Keep == LogKeep::Last)
    for (uint64_t I = Kept.Begin; I < Kept.End && I + Head.Ring <= Latest; ++I)
      To[placeOf(Head, I)] = BlankEntry;
}

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_LIVEREADER_H
