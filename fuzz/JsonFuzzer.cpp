//===- JsonFuzzer.cpp - anything as a profile in JSON ---------------------===//
//
// What is accepted comes through both forms of a profile unchanged.
//
//===----------------------------------------------------------------------===//

#include "../tools/torchprof-report/Profile/ProfileJson.h"
#include "../tools/torchprof-report/Profile/ProfileReader.h"
#include "../tools/torchprof-report/Profile/ProfileWriter.h"

using namespace llvm;
using namespace torchprof::report;

static std::string jsonOf(const Profile &P) {
  std::string Text;
  raw_string_ostream OS(Text);
  writeProfileJson(P, OS);
  return OS.str();
}

/// \p P after a way through a file.
static Profile rewritten(const Profile &P) {
  std::string Bytes;
  raw_string_ostream OS(Bytes);
  writeProfile(P, OS);
  return cantFail(readProfile(MemoryBuffer::getMemBufferCopy(OS.str())),
                  "a profile that was written cannot be read");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Text(reinterpret_cast<const char *>(Data), Size);
  Expected<Profile> P = profileFromJson(Text, "input.json");
  if (!P) {
    consumeError(P.takeError());
    return 0;
  }
  std::string Json = jsonOf(rewritten(*P));
  Profile Again = cantFail(profileFromJson(Json, "again.json"),
                           "JSON that was written cannot be read");
  if (jsonOf(rewritten(Again)) != Json)
    report_fatal_error("a profile changes on its way through JSON");
  return 0;
}
