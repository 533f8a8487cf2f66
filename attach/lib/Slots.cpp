//===- Slots.cpp - hooks for a process that runs already ------------------===//
//
// A library that was not preloaded cannot stand in front of LibTorch, but in
// the loader's slots of the constructors it can write the hooks' addresses.
// Executors that were made before stay without.
//
// Done once, when this library is loaded.
//
//===----------------------------------------------------------------------===//

#include "Hooks.h"
#include "torch/Attach.h"
#include "torch/LoaderSlots.h"

#include <dlfcn.h>
#include <vector>

namespace torchprof {

namespace {

/// A constructor, where it is, and what takes its place.
struct Constructor {
  const char *Symbol;
  void *Hook;
  void **Real;
};

#define TORCHPROF_CONSTRUCTOR(HOOK, ID, SYMBOL)                                \
  Torchprof##HOOK *Real_##ID;                                                  \
  RESULT_##HOOK hook_##ID(PARAMETERS_##HOOK) {                                 \
    RETURN_##HOOK torchprof_attach_hooks.HOOK(Real_##ID, ARGUMENTS_##HOOK);    \
  }
#include "Constructors.def"

const Constructor Constructors[] = {
#define TORCHPROF_CONSTRUCTOR(HOOK, ID, SYMBOL)                                \
  {SYMBOL, reinterpret_cast<void *>(hook_##ID),                                \
   reinterpret_cast<void **>(&Real_##ID)},
#include "Constructors.def"
};

} // namespace

[[gnu::constructor]] static void installHooks() {
  if (dlsym(RTLD_DEFAULT, "torchprof_preloaded"))
    return;
  // This library is linked with LibTorch: its own scope has the constructors.
  Dl_info Self;
  void *Here =
      dladdr(const_cast<TorchprofHooks *>(&torchprof_attach_hooks), &Self)
          ? dlopen(Self.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
          : nullptr;
  std::vector<Redirection> Known;
  for (const Constructor &C : Constructors) {
    *C.Real = Here ? dlsym(Here, C.Symbol) : nullptr;
    if (*C.Real)
      Known.push_back({C.Symbol, C.Hook});
  }
  if (redirectCalls(Known) == 0)
    warnOfAttach("cannot attach: this LibTorch does not call its constructors "
                 "through the loader; instrumented models are still profiled");
}

} // namespace torchprof
