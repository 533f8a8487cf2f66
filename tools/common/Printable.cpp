//===- Printable.cpp - text of others for a terminal ----------------------===//

#include "Printable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace torchprof;

static void escapeCharacter(UTF32 Character, raw_ostream &OS) {
  switch (Character) {
  case '\n':
    OS << "\\n";
    return;
  case '\r':
    OS << "\\r";
    return;
  case '\t':
    OS << "\\t";
    return;
  }
  OS << llvm::format(Character < 0x80      ? "\\x%02x"
                     : Character < 0x10000 ? "\\u%04x"
                                           : "\\U%08x",
                     Character);
}

std::string torchprof::printable(StringRef Text, bool KeepLines) {
  std::string Out;
  raw_string_ostream OS(Out);
  const auto *Next = reinterpret_cast<const UTF8 *>(Text.begin());
  const auto *End = reinterpret_cast<const UTF8 *>(Text.end());
  while (Next != End) {
    const UTF8 *Begin = Next;
    UTF32 Character = 0;
    if (convertUTF8Sequence(&Next, End, &Character, strictConversion) !=
        conversionOK) {
      Next = Begin + 1;
      OS << llvm::format("\\x%02x", *Begin);
    } else if (sys::unicode::isPrintable(static_cast<int>(Character)) ||
               (KeepLines && Character == '\n')) {
      OS.write(reinterpret_cast<const char *>(Begin),
               static_cast<size_t>(Next - Begin));
    } else {
      escapeCharacter(Character, OS);
    }
  }
  return Out;
}

std::string torchprof::shellWord(StringRef Path) {
  std::string Word = Path.str();
  if (Path.startswith("-") || Path.startswith("@"))
    Word.insert(0, "./");
  auto IsPlain = [](char C) {
    return isAlnum(C) || StringRef("_@%+=:,./-").contains(C);
  };
  if (!Word.empty() && all_of(Word, IsPlain))
    return Word;
  if (printable(Word) != Word) {
    std::string Escaped;
    for (char C : Word) {
      if (C == '\\' || C == '\'')
        Escaped += '\\';
      Escaped += C;
    }
    return ("$'" + Twine(printable(Escaped)) + "'").str();
  }
  std::string Quoted = "'";
  for (char C : Word)
    if (C == '\'')
      Quoted += "'\\''";
    else
      Quoted += C;
  return Quoted + "'";
}
