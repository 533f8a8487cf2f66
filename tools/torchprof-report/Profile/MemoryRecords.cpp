//===- MemoryRecords.cpp - levels and books of a profile ------------------===//

#include "MemoryRecords.h"
#include "torchprof/format/LiveReader.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;
using format::LogKeep;

void report::copyLevels(const format::LevelsRecord &Record,
                        format::ConstSegmentOf<format::SegmentType::Levels> S,
                        std::vector<format::Level> &Levels) {
  uint64_t First = 0, End = std::min<uint64_t>(Record.Count, Record.Capacity);
  if (Record.Keep == LogKeep::Last && Record.Count > Record.Capacity) {
    First = Record.Count - Record.Capacity;
    End = Record.Count;
  }
  for (uint64_t I = First; I < End; ++I)
    format::copyWords(&Levels.emplace_back(), &S.entries()[I % Record.Capacity],
                      sizeof(format::Level));
}

void report::resolve(format::BlockAccount &A,
                     const format::BlocksRecord &Totals) {
  A.AtPeak = {heldAt(A.AtPeak, Totals.Peaks, A.Live), Totals.Peaks};
  A.AtRunEnd = {heldAt(A.AtRunEnd, Totals.RunEnds, A.Live), Totals.RunEnds};
  followMarks(A, Totals.Marks);
}

void report::addAccounts(BlockBooks &Books, bool IsFirst,
                         const format::BlocksRecord &Record,
                         ArrayRef<format::BlockAccount> Accounts) {
  if (IsFirst)
    Books.Totals = Record;
  for (const format::BlockAccount &Source : Accounts) {
    format::BlockAccount &A = Books.Accounts.emplace_back();
    format::copyWords(&A, &Source, sizeof(A));
    resolve(A, Books.Totals);
  }
}
