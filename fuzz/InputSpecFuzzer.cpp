//===- InputSpecFuzzer.cpp - anything as an --input -----------------------===//

#include "../tools/common/InputSpec.h"

#include <cstddef>
#include <cstdlib>

using namespace torchprof;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  InputSpec Spec;
  std::string Error;
  if (!parseInputSpec({reinterpret_cast<const char *>(Data), Size}, Spec,
                      Error) &&
      (Error.empty() || Error.find('\n') != std::string::npos))
    std::abort(); // an error is one line
  return 0;
}
