//===- MemoryRecords.cpp - levels and books of a profile ------------------===//

#include "MemoryRecords.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

void report::resolve(format::BlockAccount &A,
                     const format::BlocksRecord &Totals) {
  followMarks(A, Totals);
  A.AtPeak = {heldAt(A.AtPeak, Totals.Peaks, A.Live), Totals.Peaks};
  A.AtRunEnd = {heldAt(A.AtRunEnd, Totals.RunEnds, A.Live), Totals.RunEnds};
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

void report::followReset(BlockBooks &Books, uint32_t Epoch,
                         uint64_t ResetTicks) {
  format::BlocksRecord &T = Books.Totals;
  if (T.Epoch == Epoch)
    return;
  T.Epoch = Epoch;
  T.Peak = T.Live;
  T.PeakTicks = ResetTicks;
  T.PeakSite = format::NoSlot;
  T.Runs = T.MarkRuns[0] = T.MarkRuns[1] = 0;
  for (format::BlockAccount &A : Books.Accounts)
    A.AtPeak.Bytes = A.Live;
}
