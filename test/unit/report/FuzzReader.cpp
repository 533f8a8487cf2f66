//===- FuzzReader.cpp - the reader under libFuzzer ------------------------===//

#include "ExerciseReader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  torchprof::report::test::exerciseReader(
      {reinterpret_cast<const char *>(Data), Size});
  return 0;
}
