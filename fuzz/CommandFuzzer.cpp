//===- CommandFuzzer.cpp - a command of torchprof-report on any file ------===//
//
// The first line of the input is a command line without the program's name; `%`
// is the file, which is the rest: JSON, or a profile with its zeros packed.
// What is printed goes nowhere.
//
//===----------------------------------------------------------------------===//

#include "../tools/torchprof-report/Commands/CommandLine.h"
#include "Inputs.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;
using namespace torchprof;

/// A file in memory with a path.
static int memoryFile() {
  static const int File = memfd_create("input", 0);
  return File;
}

static bool writeFile(StringRef Bytes) {
  return ftruncate(memoryFile(), 0) == 0 &&
         pwrite(memoryFile(), Bytes.data(), Bytes.size(), 0) ==
             static_cast<ssize_t>(Bytes.size());
}

/// \p Word as the command gets it; none if the command must not get it, as it
/// would end the process, wait, or touch files of this machine.
static std::optional<std::string> allowedWord(StringRef Word) {
  if (Word == "%")
    return "/proc/self/fd/" + std::to_string(memoryFile());
  StringRef Name = Word.ltrim('-');
  if (Word != Name && (Name == "o" || Name.startswith("o=")))
    return std::string("-o=/dev/null");
  if (Word == "top" || Word == "-" || Word.contains('@') ||
      Word.contains("help") || Word.contains("version") ||
      (Word != Name && Name.startswith("h")) || // -h, -he, ...: --help too
      (Word == Name && Word.contains('/')))
    return std::nullopt;
  return Word.str();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  auto [Line, Rest] =
      StringRef(reinterpret_cast<const char *>(Data), Size).split('\n');
  SmallVector<StringRef> Parts;
  SplitString(Line, Parts, " ");
  std::vector<std::string> Words{"torchprof-report"};
  for (StringRef Part : Parts) {
    std::optional<std::string> Word = allowedWord(Part);
    // LLVM's parser takes words as C strings.
    if (!Word || Word->find('\0') != std::string::npos)
      return -1;
    Words.push_back(*Word);
  }
  std::string File = Rest.startswith("{")
                         ? Rest.str()
                         : fuzz::unpackZeros({Rest.data(), Rest.size()});
  fuzz::repairManifests(File);
  if (!writeFile(File))
    return -1;
  std::vector<const char *> Argv;
  for (const std::string &Word : Words)
    Argv.push_back(Word.c_str());
  report::runCommandLine(Argv);
  return 0;
}
