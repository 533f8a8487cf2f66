//===- Failure.cpp - why something could not be done ----------------------===//

#include "Failure.h"

#include <cstring>

namespace torchprof {

const char *errorText(int Error) {
#if __GLIBC_PREREQ(2, 32)
  const char *Text = strerrordesc_np(Error);
#else
  const char *Text = strerror(Error);
#endif
  return Text ? Text : "unknown error";
}

} // namespace torchprof
