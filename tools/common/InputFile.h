//===- InputFile.h - why a file cannot be read ------------------*- C++ -*-===//
//
// LibTorch's and the standard library's streams report every failure alike.
// This asks the system, so that a message can show what it says. Standard C
// types only: for units of either ABI.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_INPUTFILE_H
#define TORCHPROF_TOOLS_INPUTFILE_H

#include <cstdint>
#include <unistd.h>

namespace torchprof {

/// Null if \p Path is a regular file that can be opened, and then its size in
/// bytes in \p Size; else the reason, such as "No such file or directory". The
/// text is valid until the thread's next call.
const char *whyUnreadable(const char *Path, uint64_t &Size);

/// Bytes of physical memory: what a value can take at most.
inline uint64_t physicalMemory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

} // namespace torchprof

#endif // TORCHPROF_TOOLS_INPUTFILE_H
