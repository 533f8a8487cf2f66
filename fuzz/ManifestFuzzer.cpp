//===- ManifestFuzzer.cpp - anything as a manifest ------------------------===//
//
// What is accepted is printed as a text that is read as the same manifest.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "torchprof/format/Manifest.h"

#include <cstdlib>

using namespace torchprof;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Text(reinterpret_cast<const char *>(Data), Size);
  fuzz::repairManifests(Text);
  Manifest M, Again;
  ManifestHead Head;
  std::string Error;
  bool HeadIsFine = parseManifestHead(Text, Head, Error);
  if (!parseManifest(Text, M, Error))
    return 0;
  std::string Printed = printManifest(M);
  if (!HeadIsFine || !parseManifest(Printed, Again, Error) || !(Again == M))
    std::abort();
  for (uint32_t Scope = 0; Scope < M.Scopes.size(); ++Scope)
    M.modulePath(Scope);
  return 0;
}
