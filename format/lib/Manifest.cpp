//===- Manifest.cpp - the table of sites and its text ---------------------===//
//
// Line-oriented text: docs/manifest-format.md; ManifestParser.cpp reads it.
//
//===----------------------------------------------------------------------===//

#include "torchprof/format/Manifest.h"

#include <algorithm>
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
  size_t Size = 0;
  for (uint32_t S = Scope; S != NoIndex; S = Scopes[S].Parent)
    if (const std::string &Segment = Strings[Scopes[S].Module];
        !Segment.empty())
      Size += Segment.size() + (Size ? 1 : 0);
  // From its end, so that each segment is copied once.
  std::string Path(Size, '.');
  size_t Begin = Size;
  for (uint32_t S = Scope; S != NoIndex; S = Scopes[S].Parent) {
    const std::string &Segment = Strings[Scopes[S].Module];
    if (Segment.empty())
      continue;
    if (Begin != Size)
      --Begin;
    Begin -= Segment.size();
    Segment.copy(&Path[Begin], Segment.size());
  }
  return Path;
}

std::vector<std::string_view> moduleNames(std::string_view Path) {
  std::vector<std::string_view> Names;
  for (size_t Begin = 0, End; Begin < Path.size(); Begin = End + 1) {
    size_t Close = Path[Begin] == '(' ? Path.find(')', Begin) : Begin;
    End = std::min(Path.find('.', Close), Path.size());
    if (End > Begin)
      Names.push_back(Path.substr(Begin, End - Begin));
  }
  return Names;
}

/// The first of \p Entries that lies too deep in others; their number if none
/// does.
template <typename Entry>
static size_t firstTooDeep(const std::vector<Entry> &Entries) {
  if (Entries.size() <= MostLevels)
    return Entries.size();
  std::vector<uint32_t> Levels;
  for (const Entry &E : Entries) {
    uint32_t Level = E.Parent < Levels.size() ? Levels[E.Parent] + 1 : 1;
    if (Level > MostLevels)
      break;
    Levels.push_back(Level);
  }
  return Levels.size();
}

/// The first scope whose module path is too long; their number if none is.
static size_t firstTooLong(const Manifest &M) {
  struct Length {
    size_t Names = 0, Bytes = 0;
  };
  std::vector<Length> Paths;
  for (const ManifestScope &S : M.Scopes) {
    Length Path = S.Parent < Paths.size() ? Paths[S.Parent] : Length();
    if (const std::string &Module = M.string(S.Module); !Module.empty()) {
      Path.Names += moduleNames(Module).size();
      Path.Bytes += Module.size() + 1;
    }
    if (Path.Names > MostLevels || Path.Bytes > MostPathBytes)
      break;
    Paths.push_back(Path);
  }
  return Paths.size();
}

std::string whyTooDeep(const Manifest &M) {
  auto Text = [](const char *What, size_t Index) {
    return std::string(What) + " " + std::to_string(Index) + ": ";
  };
  const std::string Levels =
      "more than " + std::to_string(MostLevels) + " levels deep";
  if (size_t Scope = firstTooDeep(M.Scopes); Scope < M.Scopes.size())
    return Text("scope", Scope) + Levels;
  if (size_t Site = firstTooDeep(M.Sites); Site < M.Sites.size())
    return Text("site", Site) + Levels;
  if (size_t Scope = firstTooLong(M); Scope < M.Scopes.size())
    return Text("scope", Scope) + "a module path of more than " +
           std::to_string(MostLevels) + " names or " +
           std::to_string(MostPathBytes) + " bytes";
  return std::string();
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

/// Fields are separated by one blank; a line begins without one.
static void separate(std::string &Line) {
  if (!Line.empty() && Line.back() != '\n')
    Line += ' ';
}

static void appendNumber(std::string &Out, uint32_t Number) {
  separate(Out);
  if (Number == NoIndex)
    Out += '-';
  else
    Out += std::to_string(Number);
}

static void appendKey(std::string &Out, const char *Key) {
  separate(Out);
  Out.append(Key).append("=");
}

/// Most sites and scopes have no overload, module, ...: 0 is left out.
static void appendString(std::string &Out, const char *Key, uint32_t String) {
  if (String == 0)
    return;
  appendKey(Out, Key);
  Out += std::to_string(String);
}

static void appendPosition(std::string &Out, const SourcePosition &P) {
  if (P == SourcePosition())
    return;
  appendKey(Out, "at");
  Out += std::to_string(P.File);
  for (uint32_t Number : {P.Line, P.Column, P.Text})
    Out.append(":").append(std::to_string(Number));
}

static void appendFlags(std::string &Out, uint32_t Flags) {
  bool Any = false;
  for (const SiteFlagInfo &Info : SiteFlagTable) {
    if (!(Flags & Info.Flag))
      continue;
    if (!Any)
      appendKey(Out, "flags");
    Out.append(Any ? "," : "").append(Info.Name);
    Any = true;
  }
}

static void appendProducers(std::string &Out,
                            const std::vector<uint32_t> &Producers) {
  if (Producers.empty())
    return;
  appendKey(Out, "from");
  for (size_t I = 0; I < Producers.size(); ++I)
    Out.append(I ? "," : "").append(std::to_string(Producers[I]));
}

static std::string hexText(uint64_t Value) {
  char Buffer[17];
  std::snprintf(Buffer, sizeof(Buffer), "%016" PRIx64, Value);
  return Buffer;
}

static void beginSection(std::string &Out, const char *Name, size_t Lines) {
  Out.append(Name).append(" ").append(std::to_string(Lines)).append("\n");
}

static void printScope(std::string &Out, const ManifestScope &S) {
  appendNumber(Out, S.Parent);
  appendNumber(Out, S.Function);
  appendString(Out, "module", S.Module);
  appendString(Out, "class", S.Class);
  appendPosition(Out, S.Call);
  Out += '\n';
}

static void printSite(std::string &Out, const ManifestSite &S) {
  appendNumber(Out, S.Parent);
  appendNumber(Out, S.Kind);
  appendNumber(Out, S.Scope);
  appendString(Out, "overload", S.Overload);
  appendString(Out, "name", S.Name);
  appendPosition(Out, S.Source);
  appendFlags(Out, S.Flags);
  appendProducers(Out, S.Producers);
  Out += '\n';
}

std::string printManifest(const Manifest &M) {
  std::string Out = "torchprof-manifest " + std::to_string(ManifestVersion);
  Out += '\n';
  beginSection(Out, "head", 4 + M.Options.size());
  Out += "model " + hexText(M.ModelId) + "\n";
  Out += "sites " + std::to_string(M.Sites.size()) + "\n";
  Out += "name ";
  appendEscaped(Out, M.ModelName);
  Out += "\nproducer ";
  appendEscaped(Out, M.Producer);
  Out += '\n';
  for (const ManifestOption &O : M.Options) {
    Out.append("option ").append(O.Name).append(" ");
    appendEscaped(Out, O.Value);
    Out += '\n';
  }
  beginSection(Out, "strings", M.Strings.size());
  for (const std::string &Text : M.Strings) {
    appendEscaped(Out, Text);
    Out += '\n';
  }
  beginSection(Out, "scopes", M.Scopes.size());
  for (const ManifestScope &S : M.Scopes)
    printScope(Out, S);
  beginSection(Out, "sites", M.Sites.size());
  for (const ManifestSite &S : M.Sites)
    printSite(Out, S);
  if (!M.Names.empty())
    beginSection(Out, "names", M.Names.size());
  for (const ManifestName &N : M.Names) {
    for (uint32_t Number : {N.Function, N.Value, N.Name})
      appendNumber(Out, Number);
    Out += '\n';
  }
  std::string Sum = hexText(hashText(Out));
  Out.append("end ").append(Sum).append("\n");
  return Out;
}

} // namespace torchprof
