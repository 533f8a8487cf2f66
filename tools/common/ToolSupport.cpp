//===- ToolSupport.cpp - between command lines and LibTorch ---------------===//

#include "ToolSupport.h"

#include "Help.h"
#include "Messages.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace torchprof {

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
    Line.consume_front(toolName());
    Line.consume_front(": ");
    if (!Line.trim().empty())
      reportError(Line.trim().rtrim('!'));
  }
  return false;
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

} // namespace torchprof
