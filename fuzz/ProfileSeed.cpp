//===- ProfileSeed.cpp - a profile as the fuzzers hold it -----------------===//
//
// Usage: profile-seed FILE.json >SEED
//
//===----------------------------------------------------------------------===//

#include "../tools/torchprof-report/Profile/ProfileReader.h"
#include "../tools/torchprof-report/Profile/ProfileWriter.h"
#include "Inputs.h"

using namespace llvm;
using namespace torchprof;

int main(int Argc, char **Argv) {
  ExitOnError Exit("profile-seed: error: ");
  if (Argc != 2)
    Exit(createStringError(inconvertibleErrorCode(), "expected one FILE.json"));
  report::Profile P = Exit(report::loadProfile(Argv[1]));
  std::string Bytes;
  raw_string_ostream OS(Bytes);
  report::writeProfile(P, OS);
  outs() << fuzz::packZeros(OS.str());
  return 0;
}
