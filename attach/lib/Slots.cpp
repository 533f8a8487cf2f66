//===- Slots.cpp - hooks for a process that runs already ------------------===//
//
// A library that was not preloaded cannot stand in front of LibTorch, but in
// the loader's slots of its functions it can write the hooks' addresses.
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

/// What is hooked, what takes its place, and where it is itself.
struct HookedFunction {
  const char *Symbol;
  void *Hook;
  void **Real;
};

#define TORCHPROF_HOOKED(HOOK, ID, SYMBOL)                                     \
  Torchprof##HOOK *Real_##ID;                                                  \
  RESULT_##HOOK hook_##ID(PARAMETERS_##HOOK) {                                 \
    return torchprof_attach_hooks.HOOK(Real_##ID, ARGUMENTS_##HOOK);           \
  }
#include "HookedFunctions.def"

const HookedFunction HookedFunctions[] = {
#define TORCHPROF_HOOKED(HOOK, ID, SYMBOL)                                     \
  {SYMBOL, reinterpret_cast<void *>(hook_##ID),                                \
   reinterpret_cast<void **>(&Real_##ID)},
#include "HookedFunctions.def"
};

} // namespace

[[gnu::constructor]] static void installHooks() {
  if (dlsym(RTLD_DEFAULT, "torchprof_preloaded"))
    return;
  // This library is linked with LibTorch: its own scope has the functions.
  Dl_info Self;
  void *Here =
      dladdr(const_cast<TorchprofHooks *>(&torchprof_attach_hooks), &Self)
          ? dlopen(Self.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
          : nullptr;
  std::vector<Redirection> Known;
  for (const HookedFunction &F : HookedFunctions) {
    *F.Real = Here ? dlsym(Here, F.Symbol) : nullptr;
    if (*F.Real)
      Known.push_back({F.Symbol, F.Hook});
  }
  if (redirectCalls(Known) == 0)
    warnOfAttach("cannot attach: this LibTorch does not call its constructors "
                 "through the loader; instrumented models are still profiled");
}

} // namespace torchprof
