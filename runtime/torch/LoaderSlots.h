//===- LoaderSlots.h - stand in front of a linked function ------*- C++ -*-===//
//
// The loader keeps the addresses of functions that one library calls in
// another, or through its own table, in slots (System V ABI, "Procedure Linkage
// Table"). Who writes other addresses there stands in front of the functions
// without having been preloaded. Pointers to the functions that were taken
// before stay as they are, and so do libraries that call their own functions
// directly.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_LOADERSLOTS_H
#define TORCHPROF_LOADERSLOTS_H

#include "torchprof/torchprof.h"

#include <span>

namespace torchprof {

/// A function by its symbol, and what is called in its place. Hook calls the
/// function itself by an address that it knows from before.
struct Redirection {
  const char *Symbol;
  void *Hook;
};

/// Writes the hooks into the slots of all libraries that are loaded. Returns
/// the number of slots written. May be called again, by any thread.
TORCHPROF_API unsigned redirectCalls(std::span<const Redirection> All);

/// True if the library that \p Address lies in has a slot for a symbol.
TORCHPROF_API bool callsByName(const void *Address, const char *Symbol);

/// A number that grows with each library that is loaded.
unsigned long long loaderLoads();

} // namespace torchprof

#endif // TORCHPROF_LOADERSLOTS_H
