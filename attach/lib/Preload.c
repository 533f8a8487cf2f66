/*===- Preload.c - libtorchprof_preload.so --------------------------------===*\
|*                                                                            *|
|* Stands in front of functions of LibTorch when it is preloaded. It needs    *|
|* nothing but the C library, so that processes that load nothing and run no  *|
|* model pay nothing; at the first call it loads libtorchprof_attach.so and   *|
|* the runtime that were built for the LibTorch of the process. If that fails *|
|* there is one warning, and LibTorch runs as without us.                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE

#include "FindRuntime.h"
#include "Hooks.h"
#include "system/WriteSignals.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Tells libtorchprof_attach.so that nothing is left to do. */
__attribute__((visibility("default"))) const int torchprof_preloaded = 1;

/* Null: not attached. Published with a release store. */
static const struct TorchprofHooks *Hooks;
static pthread_once_t Attached = PTHREAD_ONCE_INIT;

static void warn(const char *Reason) {
  int SavedErrno = errno;
  char Line[TorchprofTextBytes + 64];
  int Length = snprintf(Line, sizeof(Line),
                        "torchprof: warning: cannot attach, models run "
                        "without: %s\n",
                        Reason ? Reason : "?");
  size_t Bytes =
      (size_t)Length < sizeof(Line) ? (size_t)Length : sizeof(Line) - 1;
  struct TorchprofWriteSignals Signals;
  torchprofBlockWriteSignals(&Signals);
  ssize_t Written = write(STDERR_FILENO, Line, Bytes);
  (void)Written; /* there is nowhere else to say it */
  torchprofRestoreWriteSignals(&Signals);
  errno = SavedErrno;
}

static void attach(void) {
  static const char Name[] = "libtorchprof_attach.so";
  char Text[TorchprofTextBytes];
  if (!torchprof_find_runtime(Text, sizeof(Text) - sizeof(Name)))
    return warn(Text);
  void *Library =
      dlopen(strcat(Text, Name), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!Library)
    return warn(dlerror());
  const struct TorchprofHooks *Found = dlsym(Library, "torchprof_attach_hooks");
  if (!Found)
    warn(dlerror());
  __atomic_store_n(&Hooks, Found, __ATOMIC_RELEASE);
}

/* A loaded library, by its number among those that are asked for. */
struct NthLibrary {
  int OnlyLibTorch; /* else any */
  unsigned Skip;
  char Name[PATH_MAX];
};

/* Only the name is taken here, where the loader holds a lock that a thread
   which loads a library takes second. To call the loader would be to take the
   first one second, and both threads could wait for ever. */
static int copyName(struct dl_phdr_info *Info, size_t Size, void *Data) {
  struct NthLibrary *L = Data;
  (void)Size;
  if (L->OnlyLibTorch && !torchprofIsLibTorch(Info->dlpi_name))
    return 0;
  if (L->Skip > 0) {
    --L->Skip;
    return 0;
  }
  snprintf(L->Name, sizeof(L->Name), "%s", Info->dlpi_name);
  return 1;
}

/* The definition of a symbol that is not ours, null without one. */
static void *lookFor(const char *Symbol, const void *Ours, int OnlyLibTorch) {
  struct NthLibrary L;
  L.OnlyLibTorch = OnlyLibTorch;
  for (unsigned Number = 0;; ++Number) {
    L.Skip = Number;
    if (!dl_iterate_phdr(copyName, &L))
      return NULL;
    void *Library = dlopen(L.Name, RTLD_LAZY | RTLD_NOLOAD);
    if (!Library)
      continue;
    void *Found = dlsym(Library, Symbol);
    dlclose(Library); /* its owner keeps it */
    if (Found && Found != Ours)
      return Found;
  }
}

/* The function itself. Python loads LibTorch with a scope of its own, where
   RTLD_NEXT does not look. */
static void *real(const char *Symbol, const void *Ours) {
  void *Found = lookFor(Symbol, Ours, 1);
  if (!Found)
    Found = lookFor(Symbol, Ours, 0);
  if (!Found) {
    /* Somebody calls a function that nobody has: the loader, too, would end
       the process here. */
    fprintf(stderr, "torchprof: error: no library defines %s\n", Symbol);
    abort();
  }
  return Found;
}

/* What takes the place of a function. */
#define TORCHPROF_HOOKED(HOOK, ID, SYMBOL)                                     \
  __attribute__((visibility("default")))                                       \
  RESULT_##HOOK torchprof_##ID(PARAMETERS_##HOOK) __asm__(SYMBOL);             \
  RESULT_##HOOK torchprof_##ID(PARAMETERS_##HOOK) {                            \
    static Torchprof##HOOK *Real;                                              \
    if (ATTACHES_##HOOK)                                                       \
      pthread_once(&Attached, attach);                                         \
    const struct TorchprofHooks *To =                                          \
        __atomic_load_n(&Hooks, __ATOMIC_ACQUIRE);                             \
    Torchprof##HOOK *Known = __atomic_load_n(&Real, __ATOMIC_RELAXED);         \
    if (!Known) {                                                              \
      Known = (Torchprof##HOOK *)real(SYMBOL, (void *)torchprof_##ID);         \
      __atomic_store_n(&Real, Known, __ATOMIC_RELAXED);                        \
    }                                                                          \
    if (To)                                                                    \
      return To->HOOK(Known, ARGUMENTS_##HOOK);                                \
    return Known(ARGUMENTS_##HOOK);                                            \
  }
#include "HookedFunctions.def"
