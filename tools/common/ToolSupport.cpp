//===- ToolSupport.cpp - what the tools with LLVM share -------------------===//

#include "ToolSupport.h"

#include "Help.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <system_error>

namespace torchprof {

static std::string ToolName;

void initTool(llvm::StringRef Argv0) {
  ToolName = llvm::sys::path::filename(Argv0).str();
  std::signal(SIGXFSZ, SIG_IGN);
}

/// LLVM reads a word that begins with '@' as the name of a response file. Here
/// it is a value, `--input @FILE.pt`, so it is joined with its option.
static std::vector<std::string> joinFileValues(int Argc, char **Argv) {
  std::vector<std::string> Words;
  for (int I = 0; I < Argc; ++I) {
    llvm::StringRef Word(Argv[I]);
    if (Word.startswith("@") && Words.size() > 1 &&
        llvm::StringRef(Words.back()).startswith("-"))
      Words.back().append("=").append(Word.str());
    else
      Words.push_back(Word.str());
  }
  return Words;
}

bool parseOptions(int Argc, char **Argv, llvm::StringRef Overview) {
  arrangeHelp();
  // LLVM's options keep pointers into the words.
  static std::vector<std::string> Words;
  Words = joinFileValues(Argc, Argv);
  std::vector<const char *> Arguments;
  for (const std::string &Word : Words)
    Arguments.push_back(Word.c_str());
  std::string Text;
  llvm::raw_string_ostream Errors(Text);
  if (llvm::cl::ParseCommandLineOptions(static_cast<int>(Arguments.size()),
                                        Arguments.data(), Overview, &Errors))
    return true;
  // LLVM's own lines begin with the program's name and its path.
  llvm::StringRef Lines(Errors.str());
  while (!Lines.empty()) {
    auto [Line, Rest] = Lines.split('\n');
    Lines = Rest;
    Line.consume_front(Argv[0]);
    Line.consume_front(ToolName);
    Line.consume_front(": ");
    if (!Line.trim().empty())
      reportError(Line.trim().rtrim('!'));
  }
  return false;
}

int reportError(const llvm::Twine &Text, int Code) {
  llvm::WithColor::error(llvm::errs(), ToolName) << Text << '\n';
  return Code;
}

void reportWarning(const llvm::Twine &Text) {
  llvm::WithColor::warning(llvm::errs(), ToolName) << Text << '\n';
}

int reportOutcome(llvm::StringRef File, const Outcome &Failed) {
  llvm::StringRef Lines(Failed.Message.c_str());
  while (!Lines.empty()) {
    auto [Line, Rest] = Lines.split('\n');
    reportError(File.empty() ? llvm::Twine(Line) : File + ": " + Line);
    Lines = Rest;
  }
  return Failed.Code;
}

TextListHolder::TextListHolder(const std::vector<std::string> &Texts) {
  for (const std::string &Text : Texts)
    Pointers.push_back(Text.c_str());
}

std::string OutputFile::open(llvm::StringRef Path) {
  FinalPath = Path.str();
  if (llvm::sys::fs::is_directory(Path))
    return "expected a file to write, found a folder";
  llvm::SmallString<128> Name;
  int Descriptor = -1;
  if (std::error_code Error = llvm::sys::fs::createUniqueFile(
          Path + ".%%%%%%.tmp", Descriptor, Name, llvm::sys::fs::OF_None,
          llvm::sys::fs::all_read | llvm::sys::fs::owner_write))
    return "expected a folder that can be written: " + Error.message();
  llvm::sys::Process::SafelyCloseFileDescriptor(Descriptor);
  TemporaryPath = Name.str().str();
  llvm::sys::RemoveFileOnSignal(TemporaryPath);
  return std::string();
}

OutputFile::~OutputFile() {
  if (TemporaryPath.empty())
    return;
  llvm::sys::fs::remove(TemporaryPath);
  llvm::sys::DontRemoveFileOnSignal(TemporaryPath);
}

std::string OutputFile::keep() {
  if (std::error_code Error = llvm::sys::fs::rename(TemporaryPath, FinalPath))
    return Error.message();
  llvm::sys::DontRemoveFileOnSignal(TemporaryPath);
  TemporaryPath.clear();
  return std::string();
}

} // namespace torchprof
