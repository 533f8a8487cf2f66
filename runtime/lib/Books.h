//===- Books.h - which node allocated what is alive -------------*- C++ -*-===//
//
// The books of one recording (format/Blocks.h), of one place of memory: each
// block that the process allocates there for a tensor is on the account of the
// span that was the innermost one of its thread, until it is freed, on whatever
// thread. Blocks from before the recording, or from before a fork, are in no
// account.
//
// A lock of its own guards the books, held for some ten instructions; the
// process lock may be taken while it is held, never the other way round.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_BOOKS_H
#define TORCHPROF_BOOKS_H

#include "BlockMap.h"
#include "torchprof/format/Blocks.h"
#include "torchprof/format/Records.h"

#include <cstdint>
#include <pthread.h>
#include <vector>

namespace torchprof {

class ProfileFile;
class Recording;
struct Host;

class Books {
public:
  Books(Recording &Owner, ProfileFile &File, PageSource &Pages,
        const Host &Program, format::MemoryPlace Place);

  /// True if books are to be kept.
  bool exist() const { return Kept; }

  /// A block came or goes, on the calling thread.
  void allocated(const void *Block, uint64_t Bytes);
  void freed(const void *Block, uint64_t Bytes);

  /// An outermost run has ended.
  void runEnded();

private:
  void followReset();
  /// The number of a site's account, above 0; 0 if it cannot be had. \p IsShut:
  /// of what is allocated outside of spans while nothing is recorded.
  uint32_t accountOf(format::Slot Site, bool IsShut);
  format::BlockAccount *makeAccount(format::Slot Site, bool IsShut);
  void change(format::BlockAccount &A, int64_t Bytes, int64_t Blocks);
  void noteEvents(format::BlockAccount &A);

  Recording &Owner;
  ProfileFile &File;
  const format::MemoryPlace Place;
  BlockMap Map;
  pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;
  format::BlocksRecord *Totals = nullptr; ///< null until there is an account
  format::SegmentHeader *Newest = nullptr;
  std::vector<format::BlockAccount *> Accounts;
  std::vector<uint32_t> NumberOf; ///< of accounts, by slot
  uint32_t OutsideNumber = 0;
  uint32_t ShutNumber = 0;
  bool Kept;
};

} // namespace torchprof

#endif // TORCHPROF_BOOKS_H
