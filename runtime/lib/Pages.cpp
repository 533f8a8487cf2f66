//===- Pages.cpp - where the collector's memory comes from ----------------===//

#include "Pages.h"

#include "Process.h"

#include <sys/mman.h>
#include <unistd.h>

namespace torchprof {

void *PageSource::plain(uint64_t Bytes) {
  void *Memory = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return Memory == MAP_FAILED ? nullptr : Memory;
}

void *PageSource::wiped(uint64_t Bytes) {
  void *Memory = plain(Bytes);
  if (Memory && !wipeInChildren(Memory, Bytes)) {
    free(Memory, Bytes);
    return nullptr;
  }
  return Memory;
}

uint64_t PageSource::pageBytes() { return uint64_t(sysconf(_SC_PAGESIZE)); }

void PageSource::free(void *Memory, uint64_t Bytes) { munmap(Memory, Bytes); }

PageSource &PageSource::system() {
  static PageSource System;
  return System;
}

} // namespace torchprof
