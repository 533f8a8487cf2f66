//===- Manifest.cpp - the table of sites and its text ---------------------===//
//
// Line-oriented text: docs/manifest-format.md. The head comes first, so that
// the runtime can stop reading there; a checksum closes the text, so that a
// damaged manifest is never half believed.
//
//===----------------------------------------------------------------------===//

#include "torchprof/format/Manifest.h"

#include <charconv>
#include <cinttypes>
#include <cstdio>

namespace torchprof {

uint64_t hashText(std::string_view Text, uint64_t Seed) {
  for (unsigned char C : Text)
    Seed = (Seed ^ C) * 0x100000001b3ull;
  return Seed;
}

uint32_t Manifest::intern(std::string_view Text) {
  size_t Hash = std::hash<std::string_view>()(Text);
  auto [First, Last] = Interned.equal_range(Hash);
  for (auto It = First; It != Last; ++It)
    if (Strings[It->second] == Text)
      return It->second;
  auto Index = static_cast<uint32_t>(Strings.size());
  Strings.emplace_back(Text);
  Interned.emplace(Hash, Index);
  return Index;
}

std::string Manifest::modulePath(uint32_t Scope) const {
  std::string Path;
  for (uint32_t S = Scope; S != NoIndex; S = Scopes[S].Parent) {
    const std::string &Segment = Strings[Scopes[S].Module];
    if (Segment.empty())
      continue;
    Path = Path.empty() ? Segment : Segment + "." + Path;
  }
  return Path;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void appendEscaped(std::string &Out, std::string_view Text) {
  for (char C : Text) {
    switch (C) {
    case '\\':
      Out += "\\\\";
      break;
    case '\n':
      Out += "\\n";
      break;
    case '\r':
      Out += "\\r";
      break;
    case '\0':
      Out += "\\0";
      break;
    default:
      Out += C;
    }
  }
}

static void appendNumber(std::string &Out, uint32_t Number) {
  if (Number == NoIndex)
    Out += '-';
  else
    Out += std::to_string(Number);
}

static void appendPosition(std::string &Out, const SourcePosition &P) {
  for (uint32_t Number : {P.File, P.Line, P.Column, P.Text}) {
    Out += ' ';
    appendNumber(Out, Number);
  }
}

static std::string hexText(uint64_t Value) {
  char Buffer[17];
  std::snprintf(Buffer, sizeof(Buffer), "%016" PRIx64, Value);
  return Buffer;
}

std::string printManifest(const Manifest &M) {
  std::string Out = "torchprof-manifest " + std::to_string(ManifestVersion);
  Out += "\nmodel " + hexText(M.ModelId);
  Out += "\nsites " + std::to_string(M.Sites.size());
  Out += "\nproducer ";
  appendEscaped(Out, M.Producer);
  Out += "\nstrings " + std::to_string(M.Strings.size()) + "\n";
  for (const std::string &Text : M.Strings) {
    appendEscaped(Out, Text);
    Out += '\n';
  }
  Out += "scopes " + std::to_string(M.Scopes.size()) + "\n";
  for (const ManifestScope &S : M.Scopes) {
    appendNumber(Out, S.Parent);
    for (uint32_t Number : {S.Module, S.Class, S.Function}) {
      Out += ' ';
      appendNumber(Out, Number);
    }
    appendPosition(Out, S.Call);
    Out += '\n';
  }
  Out += "table\n";
  for (const ManifestSite &S : M.Sites) {
    appendNumber(Out, S.Parent);
    for (uint32_t Number : {S.Kind, S.Overload, S.Name, S.Scope}) {
      Out += ' ';
      appendNumber(Out, Number);
    }
    appendPosition(Out, S.Source);
    Out += ' ';
    appendNumber(Out, S.Flags);
    for (uint32_t P : S.Producers) {
      Out += ' ';
      appendNumber(Out, P);
    }
    Out += '\n';
  }
  if (!M.Names.empty())
    Out += "names " + std::to_string(M.Names.size()) + "\n";
  for (const ManifestName &N : M.Names) {
    appendNumber(Out, N.Function);
    for (uint32_t Number : {N.Value, N.Name}) {
      Out += ' ';
      appendNumber(Out, Number);
    }
    Out += '\n';
  }
  Out += "end " + hexText(hashText(Out)) + "\n";
  return Out;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {

/// Takes the text apart, line by line and number by number. The first error
/// wins; afterwards every call fails.
class Parser {
public:
  Parser(std::string_view Text, std::string &Error)
      : Rest(Text), Error(Error) {}

  bool fail(const std::string &Cause) {
    if (!Failed)
      Error = "manifest line " + std::to_string(LineNumber) + ": " + Cause;
    Failed = true;
    return false;
  }

  bool failed() const { return Failed; }

  bool nextLine() {
    if (Failed)
      return false;
    ++LineNumber;
    size_t End = Rest.find('\n');
    if (End == std::string_view::npos)
      return fail("expected more lines, found the end");
    Line = Rest.substr(0, End);
    Rest.remove_prefix(End + 1);
    return true;
  }

  /// Reads a line "KEYWORD value" and leaves the value in Line.
  bool nextLine(std::string_view Keyword) {
    if (!nextLine())
      return false;
    std::string Wanted = std::string(Keyword) + " ";
    if (!Line.starts_with(Wanted))
      return fail("expected '" + std::string(Keyword) + "', found '" +
                  std::string(Line.substr(0, 40)) + "'");
    Line.remove_prefix(Wanted.size());
    return true;
  }

  /// Reads a line "KEYWORD count". The count is bounded by the bytes that are
  /// left, so a damaged count cannot make the caller allocate much.
  bool nextCount(std::string_view Keyword, uint32_t &Count) {
    if (!nextLine(Keyword) || !number(Count, NoIndex - 1))
      return false;
    if (Count > Rest.size())
      return fail("expected a count of at most " + std::to_string(Rest.size()) +
                  ", found " + std::to_string(Count));
    return true;
  }

  bool atEndOfLine() const { return Line.empty(); }

  /// Whether the next line is "KEYWORD value".
  bool follows(std::string_view Keyword) const {
    return !Failed && Rest.size() > Keyword.size() &&
           Rest.starts_with(Keyword) && Rest[Keyword.size()] == ' ';
  }

  /// Reads a number of at most \p Limit, or "-" for NoIndex if \p Optional.
  bool number(uint32_t &Value, uint32_t Limit, bool Optional = false) {
    if (Failed)
      return false;
    size_t End = std::min(Line.find(' '), Line.size());
    std::string_view Word = Line.substr(0, End);
    Line.remove_prefix(End == Line.size() ? End : End + 1);
    if (Optional && Word == "-") {
      Value = NoIndex;
      return true;
    }
    auto [Last, Code] =
        std::from_chars(Word.data(), Word.data() + Word.size(), Value);
    if (Code != std::errc() || Last != Word.data() + Word.size())
      return fail("expected a number, found '" +
                  std::string(Word.substr(0, 40)) + "'");
    if (Value > Limit)
      return fail("expected a number of at most " + std::to_string(Limit) +
                  ", found " + std::to_string(Value));
    return true;
  }

  bool index(uint32_t &Value, size_t Size, bool Optional = false) {
    if (Size == 0 && !Optional)
      return fail("expected an entry to refer to, found an empty table");
    return number(Value, Size == 0 ? 0 : static_cast<uint32_t>(Size - 1),
                  Optional) &&
           (Value == NoIndex || Value < Size ||
            fail("expected '-', found an index into an empty table"));
  }

  bool hex(uint64_t &Value) {
    auto [Last, Code] =
        std::from_chars(Line.data(), Line.data() + Line.size(), Value, 16);
    if (Code != std::errc() || Last != Line.data() + Line.size())
      return fail("expected a hexadecimal number, found '" +
                  std::string(Line.substr(0, 40)) + "'");
    return true;
  }

  bool position(SourcePosition &P, size_t Strings) {
    return index(P.File, Strings) && number(P.Line, NoIndex) &&
           number(P.Column, NoIndex) && index(P.Text, Strings);
  }

  bool unescape(std::string &Out) {
    for (size_t I = 0; I < Line.size(); ++I) {
      if (Line[I] != '\\') {
        Out += Line[I];
        continue;
      }
      char C = ++I < Line.size() ? Line[I] : '?';
      if (C == '\\')
        Out += '\\';
      else if (C == 'n')
        Out += '\n';
      else if (C == 'r')
        Out += '\r';
      else if (C == '0')
        Out += '\0';
      else
        return fail("expected \\\\, \\n, \\r or \\0, found another escape");
    }
    return true;
  }

  std::string_view Line;

private:
  std::string_view Rest;
  std::string &Error;
  unsigned LineNumber = 0;
  bool Failed = false;
};

} // namespace

static bool parseHead(Parser &P, std::string_view Text, ManifestHead &Head) {
  uint32_t Version = 0;
  if (!P.nextLine("torchprof-manifest") || !P.number(Version, NoIndex))
    return false;
  if (Version != ManifestVersion)
    return P.fail("expected manifest version " +
                  std::to_string(ManifestVersion) + ", found version " +
                  std::to_string(Version));
  size_t End = Text.rfind("\nend ");
  uint64_t Stored = 0;
  if (End != std::string_view::npos) {
    std::string_view Number = Text.substr(End + 5);
    if (!Number.empty() && Number.back() == '\n')
      Number.remove_suffix(1);
    auto [Last, Code] = std::from_chars(
        Number.data(), Number.data() + Number.size(), Stored, 16);
    if (Code != std::errc() || Last != Number.data() + Number.size())
      End = std::string_view::npos;
  }
  if (End == std::string_view::npos)
    return P.fail("expected a closing checksum, found none: the manifest is "
                  "cut short");
  if (hashText(Text.substr(0, End + 1)) != Stored)
    return P.fail("expected the checksum of its text, found another: the "
                  "manifest is damaged");
  return P.nextLine("model") && P.hex(Head.ModelId) &&
         P.nextCount("sites", Head.SiteCount);
}

bool parseManifestHead(std::string_view Text, ManifestHead &Head,
                       std::string &Error) {
  Parser P(Text, Error);
  return parseHead(P, Text, Head);
}

bool parseManifest(std::string_view Text, Manifest &M, std::string &Error) {
  Parser P(Text, Error);
  M = Manifest();
  ManifestHead Head;
  uint32_t StringCount = 0, ScopeCount = 0;
  if (!parseHead(P, Text, Head) || !P.nextLine("producer") ||
      !P.unescape(M.Producer) || !P.nextCount("strings", StringCount))
    return false;
  M.ModelId = Head.ModelId;
  M.Strings.clear();
  M.Strings.reserve(StringCount);
  for (uint32_t I = 0; I < StringCount; ++I) {
    M.Strings.emplace_back();
    if (!P.nextLine() || !P.unescape(M.Strings.back()))
      return false;
  }
  if (M.Strings.empty() || !M.Strings.front().empty())
    return P.fail("expected the empty string first, found another");
  // The table of strings grows no more; interning goes on with what is there.
  Manifest Indexed;
  for (const std::string &Text : M.Strings)
    Indexed.intern(Text);
  if (Indexed.Strings.size() != M.Strings.size())
    return P.fail("expected each string once, found one twice");
  Indexed.ModelId = M.ModelId;
  Indexed.Producer = std::move(M.Producer);
  M = std::move(Indexed);
  if (!P.nextCount("scopes", ScopeCount))
    return false;
  M.Scopes.resize(ScopeCount);
  for (uint32_t I = 0; I < ScopeCount; ++I) {
    ManifestScope &S = M.Scopes[I];
    if (!P.nextLine() || !P.index(S.Parent, I, /*Optional=*/true) ||
        !P.index(S.Module, StringCount) || !P.index(S.Class, StringCount) ||
        !P.index(S.Function, StringCount) || !P.position(S.Call, StringCount))
      return false;
  }
  if (!P.nextLine())
    return false;
  if (P.Line != "table")
    return P.fail("expected 'table', found '" +
                  std::string(P.Line.substr(0, 40)) + "'");
  M.Sites.resize(Head.SiteCount);
  for (uint32_t I = 0; I < Head.SiteCount; ++I) {
    ManifestSite &S = M.Sites[I];
    if (!P.nextLine() || !P.index(S.Parent, I, /*Optional=*/true) ||
        !P.index(S.Kind, StringCount) || !P.index(S.Overload, StringCount) ||
        !P.index(S.Name, StringCount) || !P.index(S.Scope, ScopeCount) ||
        !P.position(S.Source, StringCount) || !P.number(S.Flags, NoIndex))
      return false;
    while (!P.atEndOfLine()) {
      uint32_t Producer = 0;
      if (!P.index(Producer, Head.SiteCount))
        return false;
      S.Producers.push_back(Producer);
    }
  }
  uint32_t NameCount = 0;
  if (P.follows("names") && !P.nextCount("names", NameCount))
    return false;
  M.Names.resize(NameCount);
  for (ManifestName &N : M.Names)
    if (!P.nextLine() || !P.index(N.Function, StringCount) ||
        !P.number(N.Value, NoIndex) || !P.index(N.Name, StringCount))
      return false;
  return P.nextLine("end");
}

} // namespace torchprof
