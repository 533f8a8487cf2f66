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
  M.Producer = "a test\nof two lines";
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
  EXPECT_EQ(printManifest(M), Text);
  EXPECT_EQ(M.modulePath(2), "layer1.0");
  EXPECT_EQ(M.modulePath(0), "");
  EXPECT_EQ(M.string(M.Scopes[1].Class), "Back\\slash\r");
  EXPECT_EQ(M.Producer, "a test\nof two lines");
  EXPECT_EQ(M.Sites[2].Producers, (std::vector<uint32_t>{1, 0}));
  ASSERT_EQ(M.Names.size(), 1u);
  EXPECT_EQ(M.Names[0].Value, 17u);
  EXPECT_EQ(M.string(M.Names[0].Name), "x6");
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

TEST(Manifest, ErrorsNameLineAndCause) {
  std::string Text = printManifest(makeManifest());
  EXPECT_EQ(errorOf("torchprof-manifest 2\n"),
            "manifest line 1: expected manifest version 1, found version 2");
  EXPECT_EQ(errorOf("something\n"),
            "manifest line 1: expected 'torchprof-manifest', found "
            "'something'");
  EXPECT_EQ(errorOf(withoutEnd(Text)),
            "manifest line 1: expected a closing checksum, found none: the "
            "manifest is cut short");
}

TEST(Manifest, EachMessageBehindAValidChecksum) {
  const std::string Head = "torchprof-manifest 1\nmodel 1\n";
  const std::string Sites = Head + "sites 0\nproducer x\n";
  const std::string Strings = Sites + "strings 1\n\n";
  const std::pair<std::string, std::string> Cases[] = {
      {"torchprof-manifest one\n", "line 1: expected a number, found 'one'"},
      {"torchprof-manifest 1\nmodel xyz\n",
       "line 2: expected a hexadecimal number, found 'xyz'"},
      {Head + "sites 4294967295\n",
       "line 3: expected a number of at most 4294967294, found 4294967295"},
      {Head + "sites 999\n", "line 3: expected a count of at most "},
      {Head + "sites 0\nproducer a\\q\n",
       "line 4: expected \\\\, \\n, \\r or \\0, found another escape"},
      {Sites + "strings 1\nx\n",
       "line 6: expected the empty string first, found another"},
      {Sites + "strings 3\n\na\na\n",
       "line 8: expected each string once, found one twice"},
      {Strings + "scopes 0\nchair\n",
       "line 8: expected 'table', found 'chair'"},
      {Strings + "scopes 1\n0 0 0 0 0 0 0 0\n",
       "line 8: expected '-', found an index into an empty table"},
      {Head + "sites 1\nproducer x\nstrings 1\n\nscopes 0\ntable\n"
              "- 0 0 0 0 0 0 0 0 0\n",
       "line 9: expected an entry to refer to, found an empty table"},
  };
  for (const auto &[Text, Message] : Cases)
    EXPECT_NE(errorOf(closed(Text)).find("manifest " + Message),
              std::string::npos)
        << errorOf(closed(Text)) << "\n  expected: " << Message;
  // Nothing but the part that is asked for is read.
  EXPECT_EQ(errorOf("torchprof-manifest 1"),
            "manifest line 1: expected more lines, found the end");
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

TEST(Manifest, AHugeCountIsNotBelieved) {
  EXPECT_NE(errorOf(closed("torchprof-manifest 1\nmodel 1\nsites 4000000000\n"
                           "producer x\nstrings 1\n\nscopes 0\ntable\n")),
            "");
}

TEST(Manifest, TheDocumentedExampleCanBeRead) {
  std::ifstream In(TORCHPROF_DOCS "/manifest-format.md");
  std::string Page((std::istreambuf_iterator<char>(In)),
                   std::istreambuf_iterator<char>());
  size_t Start = Page.find("```text\n");
  ASSERT_NE(Start, std::string::npos);
  Start += strlen("```text\n");
  std::string Text = Page.substr(Start, Page.find("```", Start) - Start);
  Manifest M;
  std::string Error;
  ASSERT_TRUE(parseManifest(Text, M, Error)) << Error;
  ASSERT_EQ(M.Sites.size(), 3u);
  EXPECT_EQ(M.string(M.Sites[1].Kind), "aten::relu");
  EXPECT_EQ(M.string(M.Sites[1].Source.Text), "return torch.relu(x)");
  EXPECT_EQ(M.Sites[2].Producers, (std::vector<uint32_t>{1}));
  EXPECT_EQ(printManifest(M), Text);
}

} // namespace
