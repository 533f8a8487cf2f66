//===- PrintableTest.cpp - text of others for a terminal ------------------===//

#include "../../../tools/common/Printable.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace torchprof;

namespace {

TEST(Printable, LeavesTextAlone) {
  for (StringRef Text : {"", "aten::conv2d", "C:\\a b\"c'", "größe", "日本語"})
    EXPECT_EQ(printable(Text), Text);
}

TEST(Printable, EscapesWhatATerminalObeys) {
  EXPECT_EQ(printable("a\x1b[31m\x7f"), "a\\x1b[31m\\x7f");
  EXPECT_EQ(printable("1\n2\r3\t4"), "1\\n2\\r3\\t4");
  EXPECT_EQ(printable(StringRef("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\u009b2J"), "\\u009b2J");
}

TEST(Printable, KeepsLinesIfAsked) {
  EXPECT_EQ(printable("1\n2\r\n\x1b", /*KeepLines=*/true), "1\n2\\r\n\\x1b");
}

TEST(Printable, EscapesWhatReordersText) {
  EXPECT_EQ(printable("\u202eabc\u2066\u200f"), "\\u202eabc\\u2066\\u200f");
  EXPECT_EQ(printable("\U000e0041"), "\\U000e0041");
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc3(\xe2\x82"), "\\xc3(\\xe2\\x82");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // a surrogate
}

TEST(ShellWord, LeavesPlainPathsAlone) {
  for (StringRef Path : {"a.tprof", "/tmp/x-1_2/a,b.tprof", "./-a"})
    EXPECT_EQ(shellWord(Path), Path);
}

TEST(ShellWord, QuotesWhatAShellWouldTakeForSomethingElse) {
  EXPECT_EQ(shellWord(""), "''");
  EXPECT_EQ(shellWord("mo del.pt"), "'mo del.pt'");
  EXPECT_EQ(shellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(shellWord("~a"), "'~a'");
  EXPECT_EQ(shellWord("$a\\b*"), "'$a\\b*'");
  EXPECT_EQ(shellWord("größe"), "'größe'");
}

TEST(ShellWord, IsNoOptionAndNoResponseFile) {
  EXPECT_EQ(shellWord("-a.pt"), "./-a.pt");
  EXPECT_EQ(shellWord("@a.pt"), "./@a.pt");
  EXPECT_EQ(shellWord("-a b"), "'./-a b'");
}

TEST(ShellWord, EscapesWhatATerminalObeys) {
  EXPECT_EQ(shellWord("e\x1b[31m'\\"), "$'e\\x1b[31m\\'\\\\'");
  EXPECT_EQ(shellWord("-\n"), "$'./-\\n'");
}

} // namespace
