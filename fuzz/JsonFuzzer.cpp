//===- JsonFuzzer.cpp - anything as a profile in JSON ---------------------===//
//
// What is accepted comes through both forms of a profile unchanged.
//
//===----------------------------------------------------------------------===//

#include "../tools/torchprof-report/Profile/ProfileJson.h"
#include "../tools/torchprof-report/Profile/ProfileReader.h"
#include "../tools/torchprof-report/Profile/ProfileWriter.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof::report;

static std::string jsonOf(const Profile &P) {
  std::string Text;
  raw_string_ostream OS(Text);
  writeProfileJson(P, OS);
  return OS.str();
}

static std::string bytesOf(const Profile &P) {
  std::string Bytes;
  raw_string_ostream OS(Bytes);
  writeProfile(P, OS);
  return OS.str();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Text(reinterpret_cast<const char *>(Data), Size);
  Expected<Profile> P = profileFromJson(Text, "input.json");
  if (!P) {
    consumeError(P.takeError());
    return 0;
  }
  std::string Json = jsonOf(*P), Bytes = bytesOf(*P);
  Profile OfJson = cantFail(profileFromJson(Json, "again.json"),
                            "JSON that was written cannot be read");
  Profile OfBytes = cantFail(readProfile(MemoryBuffer::getMemBufferCopy(Bytes)),
                             "a profile that was written cannot be read");
  // A file may cut a name within a character, or at a NUL.
  if (Text.contains("\\u") || !isASCII(Text))
    return 0;
  // Each form shows what the other one loses: it does so the first time, and
  // from then on nothing changes.
  if (Json != jsonOf(OfBytes))
    report_fatal_error("a profile changes on its way through a file");
  if (Bytes != bytesOf(OfJson))
    report_fatal_error("a profile changes on its way through JSON");
  return 0;
}
