//===- ProfileFuzzer.cpp - anything as a profile --------------------------===//
//
// The input is a profile with its zeros packed. Whatever it is, the reader
// comes back, and what it accepts can be summed up, merged, checked and
// printed.
//
//===----------------------------------------------------------------------===//

#include "../test/unit/report/ExerciseReader.h"
#include "Inputs.h"

using namespace torchprof;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string File =
      fuzz::unpackZeros({reinterpret_cast<const char *>(Data), Size});
  fuzz::repairManifests(File);
  report::test::exerciseReader(File);
  return 0;
}
