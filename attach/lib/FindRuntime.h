/*===- FindRuntime.h - which runtime fits this process ------------*- C -*-===*\
|*                                                                            *|
|* What is built with LibTorch fits this one build of it and no other. The    *|
|* libraries of each lie in a folder that has the build id of its             *|
|* libtorch_cpu.so (ELF note NT_GNU_BUILD_ID) for a name, so that several     *|
|* can lie below one prefix:                                                  *|
|*                                                                            *|
|*   lib/libtorchprof_preload.so                                              *|
|*   lib/torchprof/BUILD-ID/libtorchprof_runtime.so, ..._attach.so and so on  *|
|*   lib/torchprof/BUILD-ID/libtorch.txt    its version, for messages         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TORCHPROF_ATTACH_FINDRUNTIME_H
#define TORCHPROF_ATTACH_FINDRUNTIME_H

#include <limits.h>
#include <stddef.h>

/* Enough for a path, and for a line that names two. */
enum { TorchprofTextBytes = 3 * PATH_MAX };

/* True if a loaded library of this path is LibTorch's: Debian's has a number
   behind its name. */
int torchprofIsLibTorch(const char *Path);

/* Writes the folder for the LibTorch of this process, with a slash at its end,
   to Text and returns 1; or writes the reason, one line, and returns 0. Never
   more than Size bytes, the terminating zero among them. Thread-safe. */
__attribute__((visibility("default"))) int torchprof_find_runtime(char *Text,
                                                                  size_t Size);

#endif
