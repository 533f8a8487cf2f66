//===- Nvtx.cpp - stands in for NVTX's library ----------------------------===//

#include "RangeFile.h"

static RangeFile &ranges() {
  static RangeFile Ranges("nvtx");
  return Ranges;
}

extern "C" {
__attribute__((visibility("default"))) int nvtxRangePushA(const char *Name) {
  ranges().push(Name);
  return 0;
}
__attribute__((visibility("default"))) int nvtxRangePop() {
  ranges().pop();
  return 0;
}
}
