//===- ToolSupport.cpp - what the tools with LLVM share -------------------===//

#include "ToolSupport.h"

#include "Help.h"
#include "IgnoredSignals.h"
#include "StandardOutput.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

namespace torchprof {

static std::string ToolName;

void initTool(llvm::StringRef Argv0) {
  ToolName = llvm::sys::path::filename(Argv0).str();
  ignoreNotedSignals();
  watchStandardOutput(ToolName.c_str());
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

std::string printable(llvm::StringRef Text) {
  std::string Result;
  llvm::raw_string_ostream OS(Result);
  while (!Text.empty()) {
    auto Size = std::min<size_t>(
        llvm::getNumBytesForUTF8(static_cast<llvm::UTF8>(Text[0])),
        Text.size());
    const auto *Next = reinterpret_cast<const llvm::UTF8 *>(Text.data());
    llvm::UTF32 Character = 0;
    if (llvm::convertUTF8Sequence(&Next, Next + Size, &Character,
                                  llvm::strictConversion) !=
        llvm::conversionOK) {
      OS << "\\x" << llvm::format_hex_no_prefix(uint8_t(Text[0]), 2);
      Text = Text.drop_front();
      continue;
    }
    if (Character == '\n' ||
        llvm::sys::unicode::isPrintable(static_cast<int>(Character)))
      OS << Text.take_front(Size);
    else
      OS << "\\u" << llvm::format_hex_no_prefix(Character, 4);
    Text = Text.drop_front(Size);
  }
  return Result;
}

int reportError(const llvm::Twine &Text, int Code) {
  llvm::WithColor::error(llvm::errs(), ToolName)
      << printable(Text.str()) << '\n';
  return Code;
}

void reportWarning(const llvm::Twine &Text) {
  llvm::WithColor::warning(llvm::errs(), ToolName)
      << printable(Text.str()) << '\n';
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
