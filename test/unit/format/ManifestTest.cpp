//===- ManifestTest.cpp - the manifest's text -----------------------------===//

#include "torchprof/format/Manifest.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

using namespace torchprof;

namespace {

Manifest makeManifest() {
  Manifest M;
  M.ModelId = 0x5b6c1d2e3f4;
  M.ModelName = "net\\1";
  M.Producer = "a test\nof two lines";
  M.Options = {{"nodes", "all"}, {"include", "a b\n*"}};
  ManifestScope Root;
  Root.Function = M.intern("forward(x)");
  M.Scopes.push_back(Root);
  ManifestScope Child;
  Child.Parent = 0;
  Child.Module = M.intern("layer1");
  Child.Class = M.intern("Back\\slash\r");
  Child.Call = {M.intern("net.py"), 3, 5, M.intern("self.layer1(x)")};
  M.Scopes.push_back(Child);
  Child.Parent = 1;
  Child.Module = M.intern("0");
  M.Scopes.push_back(Child);
  ManifestSite Site;
  Site.Kind = M.intern("method");
  Site.Flags = SF_Root;
  M.Sites.push_back(Site);
  Site.Parent = 0;
  Site.Kind = M.intern("aten::relu");
  Site.Scope = 2;
  Site.Flags = SF_Method | SF_Async;
  M.Sites.push_back(Site);
  Site.Producers = {1, 0};
  M.Sites.push_back(Site);
  M.Names.push_back({M.intern("layer1.0.forward"), 17, M.intern("x6")});
  return M;
}

/// The error of a text that should not be read.
std::string errorOf(const std::string &Text) {
  Manifest M;
  std::string Error;
  EXPECT_FALSE(parseManifest(Text, M, Error));
  return Error;
}

/// Closes a text with the checksum that it should have.
std::string closed(std::string Text) {
  char Buffer[32];
  snprintf(Buffer, sizeof(Buffer), "end %016llx\n",
           static_cast<unsigned long long>(hashText(Text)));
  return Text + Buffer;
}

std::string withoutEnd(const std::string &Text) {
  return Text.substr(0, Text.rfind("end "));
}

TEST(Manifest, WhatWasPrintedIsReadAndPrintedTheSame) {
  std::string Text = printManifest(makeManifest());
  Manifest M;
  std::string Error;
  ASSERT_TRUE(parseManifest(Text, M, Error)) << Error;
  EXPECT_TRUE(M == makeManifest());
  EXPECT_EQ(printManifest(M), Text);
  EXPECT_EQ(M.modulePath(2), "layer1.0");
  EXPECT_EQ(M.modulePath(0), "");
  EXPECT_EQ(M.string(M.Scopes[1].Class), "Back\\slash\r");
  EXPECT_EQ(M.Producer, "a test\nof two lines");
  EXPECT_EQ(M.ModelName, "net\\1");
  EXPECT_EQ(M.Options, makeManifest().Options);
  EXPECT_EQ(M.Sites[1].Flags, uint32_t(SF_Method | SF_Async));
  EXPECT_EQ(M.Scopes[2].Call.Line, 3u);
  EXPECT_EQ(M.Sites[2].Producers, (std::vector<uint32_t>{1, 0}));
  ASSERT_EQ(M.Names.size(), 1u);
  EXPECT_EQ(M.Names[0].Value, 17u);
  EXPECT_EQ(M.string(M.Names[0].Name), "x6");
}

TEST(Manifest, InstancesOfAClassAreOneModule) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(moduleNames(""), Names());
  EXPECT_EQ(moduleNames("layer1.0.conv"), (Names{"layer1", "0", "conv"}));
  EXPECT_EQ(moduleNames(".a..b."), (Names{"a", "b"}));
  EXPECT_EQ(moduleNames("(a.0|b.1.c).conv.0"),
            (Names{"(a.0|b.1.c)", "conv", "0"}));
  EXPECT_EQ(moduleNames("(a.0"), (Names{"(a.0"}));
}

TEST(Manifest, InterningGoesOnAfterReading) {
  Manifest M;
  std::string Error;
  ASSERT_TRUE(parseManifest(printManifest(makeManifest()), M, Error));
  size_t Count = M.Strings.size();
  EXPECT_EQ(M.string(M.intern("aten::relu")), "aten::relu");
  EXPECT_EQ(M.Strings.size(), Count);
}

TEST(Manifest, HeadIsReadWithoutTheRest) {
  ManifestHead Head;
  std::string Error;
  ASSERT_TRUE(parseManifestHead(printManifest(makeManifest()), Head, Error));
  EXPECT_EQ(Head.ModelId, 0x5b6c1d2e3f4u);
  EXPECT_EQ(Head.SiteCount, 3u);
  EXPECT_EQ(Head.ModelName, "net\\1");
  EXPECT_EQ(Head.Options, makeManifest().Options);
}

TEST(Manifest, EveryTruncationIsAnError) {
  std::string Text = printManifest(makeManifest());
  for (size_t Size = 0; Size + 1 < Text.size(); ++Size)
    EXPECT_NE(errorOf(Text.substr(0, Size)), "") << Size;
}

TEST(Manifest, EveryChangedByteIsAnError) {
  std::string Text = printManifest(makeManifest());
  for (size_t I = 0; I < Text.size(); ++I) {
    std::string Changed = Text;
    Changed[I] ^= 1;
    EXPECT_NE(errorOf(Changed), "") << I;
  }
}

TEST(Manifest, OtherVersionsSayWhatToDo) {
  EXPECT_EQ(errorOf("torchprof-manifest 1\nmodel 1\n"),
            "the model was instrumented by an older torchprof; instrument the "
            "model again");
  EXPECT_EQ(errorOf("torchprof-manifest 3\n"),
            "the model was instrumented by a newer torchprof (manifest version "
            "3); use that one");
}

TEST(Manifest, DamageIsToldApart) {
  std::string Text = printManifest(makeManifest());
  EXPECT_EQ(errorOf("something\n"), "manifest line 1: this is no manifest");
  EXPECT_EQ(errorOf("torchprof-manifest 2"),
            "manifest line 1: the text ends too early");
  EXPECT_EQ(errorOf(withoutEnd(Text)),
            "the manifest was cut off: it has no checksum");
  Text.replace(Text.find("relu"), 1, "R");
  EXPECT_EQ(errorOf(Text),
            "the manifest is damaged: its checksum does not match");
}

const std::string Head = "torchprof-manifest 2\nhead 2\nmodel 1\nsites 0\n";
const std::string Strings = Head + "strings 1\n\n";
const std::string NoScopes = Strings + "scopes 0\n";

TEST(Manifest, EachMessageBehindAValidChecksum) {
  const std::string Start = "torchprof-manifest 2\n";
  const std::string OneScope = Strings + "scopes 1\n- 0\n";
  const std::pair<std::string, std::string> Cases[] = {
      {"torchprof-manifest one\n", "line 1: 'one' is not a number"},
      {Start + "strings 1\n\n", "line 2: section 'head' is missing before "
                                "'strings'"},
      {Start + "head 1\nmodel xyz\n",
       "line 3: 'xyz' is not a hexadecimal number"},
      {Start + "head 1\nmodel 1\n", "line 3: the head has no line 'sites'"},
      {Start + "head 1\nsites 0\n", "line 3: the head has no line 'model'"},
      {Start + "head 1\nsites 1048577\n",
       "line 3: 1048577 is more than 1048576"},
      {Start + "head 1\nsites 999\n",
       "line 3: the text is too short for 999 sites"},
      {Start + "head 1\nname a\\q\n", "line 3: unknown escape in 'a\\q'"},
      {Head + "strings 0\n", "line 5: there is no string 0"},
      {Head + "strings 1\nx\n", "line 6: string 0 is not empty"},
      {Head + "strings 3\n\na\na\n", "line 8: string 'a' stands twice"},
      {Head + "strings 4000000000\n\n",
       "line 5: section 'strings' has fewer than 4000000000 lines"},
      {Head + "scopes 0\n",
       "line 5: section 'strings' is missing before 'scopes'"},
      {NoScopes, "line 8: section 'sites' is missing before 'end'"},
      {NoScopes + "strings 1\n\n",
       "line 8: section 'strings' is out of order or stands twice"},
      {Strings + "scopes 1\n0 0\n", "line 8: there is no earlier scope 0"},
      {Strings + "scopes 1\n- 7\n", "line 8: there is no string 7"},
      {Strings + "scopes 1\n- 0 at=0:1:x:0\n", "line 8: 'x' is not a number"},
      {Strings + "scopes 1\n- 0 here\n",
       "line 8: 'here' is not of the form key=value"},
      {NoScopes + "sites 1\n- 0 0\n", "line 9: there is no scope 0"},
      {OneScope + "sites 1\n- 0 0\n",
       "line 11: the head counts 0 sites, but there are 1"},
      {OneScope + "sites 1\n- 0 0 from=1\n", "line 10: there is no site 1"},
  };
  for (const auto &[Text, Message] : Cases)
    EXPECT_EQ(errorOf(closed(Text)), "manifest " + Message);
}

// A reader that calls itself for each level has no more of them to fear.
TEST(Manifest, OnlySoManyLevelsAreRead) {
  Manifest Table;
  ManifestScope Scope;
  Scope.Module = Table.intern("a");
  ManifestSite Site;
  for (uint32_t I = 0; I < MostLevels; ++I) {
    Table.Scopes.push_back(Scope);
    Table.Sites.push_back(Site);
    Scope.Parent = Site.Parent = I;
  }
  Manifest Read;
  std::string Error;
  EXPECT_TRUE(parseManifest(printManifest(Table), Read, Error)) << Error;

  Manifest Deeper = Table;
  Deeper.Sites.push_back(Site);
  EXPECT_EQ(errorOf(printManifest(Deeper)),
            "the manifest's site 2048: more than 2048 levels deep");
  Deeper = Table;
  Deeper.Scopes.push_back(Scope);
  EXPECT_EQ(errorOf(printManifest(Deeper)),
            "the manifest's scope 2048: more than 2048 levels deep");
  Deeper = Table;
  Deeper.Scopes[9].Module = Deeper.intern("a.b");
  EXPECT_EQ(errorOf(printManifest(Deeper)),
            "the manifest's scope 2047: a module path of more than 2048 names "
            "or 1048576 bytes");
  Deeper = Table;
  Deeper.Scopes[0].Module = Deeper.intern(std::string(MostPathBytes, 'a'));
  EXPECT_EQ(errorOf(printManifest(Deeper)),
            "the manifest's scope 0: a module path of more than 2048 names or "
            "1048576 bytes");
  // The instances of a class are one name, however many they are.
  std::string Instances = "(";
  for (uint32_t I = 0; I < MostLevels; ++I)
    Instances += "layers." + std::to_string(I) + "|";
  Deeper = Table;
  Deeper.Scopes[0].Module = Deeper.intern(Instances + "last)");
  EXPECT_TRUE(parseManifest(printManifest(Deeper), Read, Error)) << Error;
}

TEST(Manifest, WhatIsUnknownIsSkipped) {
  Manifest M;
  std::string Error;
  std::string Text = printManifest(makeManifest());
  auto Insert = [&](const char *Before, const char *Added) {
    size_t At = Text.find(Before);
    ASSERT_NE(At, std::string::npos);
    Text.insert(At, Added);
  };
  Insert("strings ", "weather 2\nsunny\nstrings 9\n");
  Insert(" flags=async", " color=3");
  Insert("async,method", "purple,");
  Text.replace(Text.find("head 6\n"), strlen("head 6\n"),
               "head 7\nmotto all is well\n");
  ASSERT_TRUE(parseManifest(closed(withoutEnd(Text)), M, Error)) << Error;
  EXPECT_EQ(printManifest(M), printManifest(makeManifest()));
}

TEST(Manifest, AnUnknownRequirementIsAnError) {
  std::string Text = printManifest(makeManifest());
  Text.replace(Text.find("head 6\n"), strlen("head 6\n"),
               "head 7\nrequires tail\n");
  Text = closed(withoutEnd(Text));
  const char *Message = "the model needs 'tail', which this torchprof does not "
                        "know; use a newer one";
  EXPECT_EQ(errorOf(Text), Message);
  ManifestHead Head;
  std::string Error;
  EXPECT_FALSE(parseManifestHead(Text, Head, Error));
  EXPECT_EQ(Error, Message);
}

TEST(Manifest, IndicesAreCheckedBehindAValidChecksum) {
  Manifest Forward = makeManifest();
  Forward.Sites[1].Parent = 2; // parents precede children
  EXPECT_NE(errorOf(printManifest(Forward)), "");
  Manifest Scope = makeManifest();
  Scope.Sites[1].Scope = 3;
  EXPECT_NE(errorOf(printManifest(Scope)), "");
  Manifest Producer = makeManifest();
  Producer.Sites[2].Producers = {3};
  EXPECT_NE(errorOf(printManifest(Producer)), "");
  Manifest String = makeManifest();
  String.Sites[0].Kind = static_cast<uint32_t>(String.Strings.size());
  EXPECT_NE(errorOf(printManifest(String)), "");
}

std::string documentation() {
  std::ifstream In(TORCHPROF_DOCS "/manifest-format.md");
  return {std::istreambuf_iterator<char>(In), std::istreambuf_iterator<char>()};
}

TEST(Manifest, EveryFlagIsDocumented) {
  std::string Page = documentation();
  for (const SiteFlagInfo &Info : SiteFlagTable)
    EXPECT_NE(
        Page.find(std::string("| `") + Info.Name + "` | " + Info.Help + " |"),
        std::string::npos)
        << Info.Name;
}

TEST(Manifest, TheDocumentedExampleCanBeRead) {
  std::string Page = documentation();
  size_t Start = Page.find("```text\n");
  ASSERT_NE(Start, std::string::npos);
  Start += strlen("```text\n");
  std::string Text = Page.substr(Start, Page.find("```", Start) - Start);
  Manifest M;
  std::string Error;
  ASSERT_TRUE(parseManifest(Text, M, Error)) << Error;
  ASSERT_EQ(M.Sites.size(), 3u);
  EXPECT_EQ(M.ModelName, "net");
  EXPECT_EQ(M.string(M.Sites[1].Kind), "aten::relu");
  EXPECT_EQ(M.string(M.Sites[1].Source.Text), "return torch.relu(x)");
  EXPECT_EQ(M.Sites[2].Producers, (std::vector<uint32_t>{1}));
  EXPECT_EQ(printManifest(M), Text);
}

} // namespace
