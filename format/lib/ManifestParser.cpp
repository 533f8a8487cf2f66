//===- ManifestParser.cpp - read the text of a manifest -------------------===//
//
// Every number is checked where it is read, so the rest of torchprof never
// meets an index that leads nowhere. A damaged count costs nothing: tables grow
// line by line. Unknown sections, keys and flags are skipped.
//
//===----------------------------------------------------------------------===//

#include "LineParser.h"
#include "torchprof/format/Manifest.h"
#include "torchprof/format/Site.h"

#include <algorithm>
#include <array>

namespace torchprof {

namespace {

/// What a manifest may require: additions that a reader would misunderstand
/// the manifest without. None so far.
constexpr std::array<std::string_view, 0> KnownFeatures{};

constexpr size_t ShortestSite = sizeof("- 0 0\n") - 1;

/// Reads the sections. Those that the tables of others depend on come first;
/// unknown ones may stand anywhere.
class ManifestReader {
public:
  ManifestReader(LineParser &P, Manifest &M) : P(P), M(M) {}

  bool readHead(std::string_view Text, ManifestHead &Head) {
    return readVersion() && checkSum(Text) &&
           readHeadSection(Text.size(), Head);
  }

  bool readTables(uint32_t SiteCount) {
    static constexpr struct {
      const char *Name;
      bool Required;
      bool (ManifestReader::*Read)(uint32_t Lines);
    } Sections[] = {
        {"strings", true, &ManifestReader::readStrings},
        {"scopes", true, &ManifestReader::readScopes},
        {"sites", true, &ManifestReader::readSites},
        {"names", false, &ManifestReader::readNames},
    };
    auto Next = std::begin(Sections);
    std::string_view Name;
    uint32_t Lines = 0;
    while (P.nextSection(Name, Lines)) {
      auto Section =
          std::find_if(std::begin(Sections), std::end(Sections),
                       [&](const auto &S) { return Name == S.Name; });
      bool IsEnd = Name == "end";
      if (Section == std::end(Sections) && !IsEnd) {
        if (!P.skipLines(Lines))
          return false;
        continue;
      }
      for (; Next < Section; ++Next)
        if (Next->Required)
          return P.fail(std::string("section '") + Next->Name +
                        "' is missing before " + P.quoted(Name));
      if (IsEnd)
        return M.Sites.size() == SiteCount ||
               P.fail("the head counts " + std::to_string(SiteCount) +
                      " sites, but there are " +
                      std::to_string(M.Sites.size()));
      if (Section < Next)
        return P.fail("section " + P.quoted(Name) +
                      " is out of order or stands twice");
      if (!(this->*Section->Read)(Lines))
        return false;
      Next = Section + 1;
    }
    return false;
  }

private:
  bool readVersion() {
    std::string_view Key;
    uint32_t Version = 0;
    if (!P.nextKey(Key))
      return false;
    if (Key != "torchprof-manifest")
      return P.fail("this is no manifest");
    if (!P.number(Version, NoIndex))
      return false;
    if (Version < ManifestVersion)
      return P.failWhole("the model was instrumented by an older torchprof; "
                         "instrument the model again");
    if (Version > ManifestVersion)
      return P.failWhole("the model was instrumented by a newer torchprof "
                         "(manifest version " +
                         std::to_string(Version) + "); use that one");
    return true;
  }

  /// The last line is "end CHECKSUM".
  bool checkSum(std::string_view Text) {
    size_t End = Text.rfind("\nend ");
    uint64_t Stored = 0;
    if (End != std::string_view::npos) {
      std::string_view Number = Text.substr(End + 5);
      if (!Number.empty() && Number.back() == '\n')
        Number.remove_suffix(1);
      if (!P.readNumber(Number, Stored, 16))
        End = std::string_view::npos;
    }
    if (End == std::string_view::npos)
      return P.failWhole("the manifest was cut off: it has no checksum");
    if (hashText(Text.substr(0, End + 1)) != Stored)
      return P.failWhole(
          "the manifest is damaged: its checksum does not match");
    return true;
  }

  bool readHeadSection(size_t TextSize, ManifestHead &Head) {
    std::string_view Key;
    uint32_t Lines = 0;
    bool HasModel = false, HasSites = false;
    if (!P.nextSection(Key, Lines))
      return false;
    if (Key != "head")
      return P.fail("section 'head' is missing before " + P.quoted(Key));
    for (; Lines; --Lines) {
      if (!P.nextKey(Key))
        return false;
      if (Key == "model") {
        HasModel = true;
        if (!P.hex(Head.ModelId))
          return false;
      } else if (Key == "sites") {
        HasSites = true;
        if (!P.number(Head.SiteCount, format::MaxSitesPerModel))
          return false;
        // The runtime reserves memory for each, without reading on.
        if (Head.SiteCount > TextSize / ShortestSite)
          return P.fail("the text is too short for " +
                        std::to_string(Head.SiteCount) + " sites");
      } else if (Key == "name") {
        if (!P.unescape(Head.ModelName))
          return false;
      } else if (Key == "producer") {
        if (!P.unescape(M.Producer))
          return false;
      } else if (Key == "option") {
        ManifestOption &O = Head.Options.emplace_back();
        O.Name = P.takeUntil(P.Line, ' ');
        if (!P.unescape(O.Value))
          return false;
      } else if (Key == "requires") {
        if (!isKnown(P.Line))
          return P.failWhole("the model needs " + P.quoted(P.Line) +
                             ", which this torchprof does not know; use a "
                             "newer one");
      }
    }
    if (!HasModel || !HasSites)
      return P.fail(std::string("the head has no line '") +
                    (HasModel ? "sites" : "model") + "'");
    return true;
  }

  static bool isKnown(std::string_view Feature) {
    return std::find(std::begin(KnownFeatures), std::end(KnownFeatures),
                     Feature) != std::end(KnownFeatures);
  }

  bool string(std::string_view Word, uint32_t &Value) {
    return P.toIndex(Word, Value, M.Strings.size(), "string");
  }

  bool string(uint32_t &Value) {
    return P.index(Value, M.Strings.size(), "string");
  }

  bool readStrings(uint32_t Lines) {
    std::string Text;
    for (uint32_t I = 0; I < Lines; ++I) {
      if (!P.nextLine() || !P.unescape(Text))
        return false;
      if (I == 0 && !Text.empty())
        return P.fail("string 0 is not empty");
      if (M.intern(Text) != I)
        return P.fail("string " + P.quoted(Text) + " stands twice");
    }
    return Lines > 0 || P.fail("there is no string 0");
  }

  /// "FILE:LINE:COLUMN:TEXT"
  bool position(std::string_view Word, SourcePosition &Position) {
    return string(P.takeUntil(Word, ':'), Position.File) &&
           P.toNumber(P.takeUntil(Word, ':'), Position.Line, NoIndex) &&
           P.toNumber(P.takeUntil(Word, ':'), Position.Column, NoIndex) &&
           string(Word, Position.Text);
  }

  /// The rest of a line: "KEY=VALUE KEY=VALUE ...". \p Read returns false on
  /// errors only.
  template <typename Reader> bool properties(Reader Read) {
    while (!P.Line.empty()) {
      std::string_view Word = P.takeUntil(P.Line, ' ');
      size_t Equals = Word.find('=');
      if (Equals == std::string_view::npos)
        return P.fail(P.quoted(Word) + " is not of the form key=value");
      if (!Read(Word.substr(0, Equals), Word.substr(Equals + 1)))
        return false;
    }
    return true;
  }

  bool readScopes(uint32_t Lines) {
    for (uint32_t I = 0; I < Lines; ++I) {
      ManifestScope S;
      if (!P.nextLine() || !P.parent(S.Parent, I, "earlier scope") ||
          !string(S.Function) ||
          !properties([&](std::string_view Key, std::string_view Value) {
            if (Key == "module")
              return string(Value, S.Module);
            if (Key == "class")
              return string(Value, S.Class);
            return Key != "at" || position(Value, S.Call);
          }))
        return false;
      M.Scopes.push_back(S);
    }
    return true;
  }

  bool readFlags(std::string_view Names, uint32_t &Flags) {
    while (!Names.empty()) {
      std::string_view Name = P.takeUntil(Names, ',');
      for (const SiteFlagInfo &Info : SiteFlagTable)
        if (Name == Info.Name)
          Flags |= Info.Flag;
    }
    return true;
  }

  bool readProducers(std::string_view List, std::vector<uint32_t> &Producers,
                     uint32_t SiteCount) {
    while (!List.empty()) {
      uint32_t Producer = 0;
      if (!P.toIndex(P.takeUntil(List, ','), Producer, SiteCount, "site"))
        return false;
      Producers.push_back(Producer);
    }
    return true;
  }

  bool readSites(uint32_t Lines) {
    for (uint32_t I = 0; I < Lines; ++I) {
      ManifestSite S;
      if (!P.nextLine() || !P.parent(S.Parent, I, "earlier site") ||
          !string(S.Kind) || !P.index(S.Scope, M.Scopes.size(), "scope") ||
          !properties([&](std::string_view Key, std::string_view Value) {
            if (Key == "overload")
              return string(Value, S.Overload);
            if (Key == "name")
              return string(Value, S.Name);
            if (Key == "at")
              return position(Value, S.Source);
            if (Key == "flags")
              return readFlags(Value, S.Flags);
            return Key != "from" || readProducers(Value, S.Producers, Lines);
          }))
        return false;
      M.Sites.push_back(std::move(S));
    }
    return true;
  }

  bool readNames(uint32_t Lines) {
    for (uint32_t I = 0; I < Lines; ++I) {
      ManifestName N;
      if (!P.nextLine() || !string(N.Function) || !P.number(N.Value, NoIndex) ||
          !string(N.Name))
        return false;
      M.Names.push_back(N);
    }
    return true;
  }

  LineParser &P;
  Manifest &M;
};

} // namespace

bool parseManifestHead(std::string_view Text, ManifestHead &Head,
                       std::string &Error) {
  Manifest Unused;
  LineParser P(Text, Error);
  return ManifestReader(P, Unused).readHead(Text, Head);
}

bool parseManifest(std::string_view Text, Manifest &M, std::string &Error) {
  M = Manifest();
  ManifestHead Head;
  LineParser P(Text, Error);
  ManifestReader Reader(P, M);
  if (!Reader.readHead(Text, Head) || !Reader.readTables(Head.SiteCount))
    return false;
  if (std::string Cause = whyTooDeep(M); !Cause.empty())
    return P.failWhole("the manifest's " + Cause);
  M.ModelId = Head.ModelId;
  M.ModelName = std::move(Head.ModelName);
  M.Options = std::move(Head.Options);
  return true;
}

} // namespace torchprof
