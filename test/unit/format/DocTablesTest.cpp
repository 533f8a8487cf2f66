//===- DocTablesTest.cpp - tables of the documentation --------------------===//
//
// The tables of docs/profile-format.md that repeat a .def file stand between
// two comments and are made from it: with UPDATE_DOCS=1 in the environment
// this test writes them, without it compares them. The table of the runtime's
// interface is written by hand, and only its names are looked for.
//
//===----------------------------------------------------------------------===//

#include "torchprof/format/Segments.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sstream>
#include <vector>

using namespace torchprof::format;

namespace {

/// "a `|` would end the cell" as a cell of a table.
std::string cell(std::string_view Text) {
  std::string Out;
  for (char C : Text) {
    if (C == '|')
      Out += '\\';
    Out += C;
  }
  return Out;
}

template <typename... Fields> std::string row(const Fields &...F) {
  std::ostringstream OS;
  OS << '|';
  ((OS << ' ' << F << " |"), ...);
  OS << '\n';
  return OS.str();
}

std::string segmentTypes() {
  std::string Out =
      row("Type", "name", "record", "entries", "at byte", "owner", "holds") +
      row("---", "---", "---", "---", "---", "---", "---");
  auto Offset = [](uint64_t Bytes) {
    return Bytes ? std::to_string(Bytes) : std::string();
  };
  auto Entry = [](std::string_view Name) {
    return Name == "NoEntry" ? std::string() : std::string(Name);
  };
  auto Owner = [](SegmentOwner O) {
    return O == SegmentOwner::Lane ? "a lane" : "the process";
  };
#define TORCHPROF_SEGMENT(TYPE, NUMBER, RECORD, ENTRY, OFFSET, OWNER, MEANING) \
  Out += row(NUMBER, #TYPE, #RECORD, Entry(#ENTRY), Offset(OFFSET),            \
             Owner(SegmentOwner::OWNER), cell(MEANING));
#include "torchprof/format/SegmentTypes.def"
  return Out;
}

std::string counters() {
  std::string Out =
      row("number", "name", "of", "counts") + row("---", "---", "---", "---");
  auto IsOf = [](std::string_view Of) {
    return Of == "Epoch" ? "an epoch" : "the process";
  };
  unsigned Number = 0;
#define TORCHPROF_COUNTER(ENUMERATOR, NAME, SHOWN, OF, MEANING, TEXT)          \
  Out += row(Number++, "`" #NAME "`", IsOf(#OF), cell(MEANING));
#include "torchprof/format/Counters.def"
  return Out;
}

std::string cellFields() {
  std::string Out = row("offset", "type", "field", "in JSON", "meaning") +
                    row("---", "---", "---", "---", "---");
#define TORCHPROF_CELL_FIELD(NAME, JSON, INITIAL, COMBINE, MEANING)            \
  Out += row(offsetof(Cell, NAME), "u64", #NAME, "`" #JSON "`", cell(MEANING));
#include "torchprof/format/CellFields.def"
  return Out;
}

std::string dynamicKinds() {
  std::string Out = row("Kind", "in JSON and in tables", "has cells", "is") +
                    row("---", "---", "---", "---");
  auto HasCells = [](std::string_view Spans) {
    return Spans == "Timed" ? "yes" : "no";
  };
#define TORCHPROF_DYNAMIC_KIND(NAME, NUMBER, TEXT, SPANS, MEANING)             \
  Out += row(NUMBER, "`" TEXT "`", HasCells(#SPANS), cell(MEANING));
#include "torchprof/format/DynamicKinds.def"
  return Out;
}

/// The head of an enumeration's table.
std::string wordsOf(const char *Column) {
  return row(Column, "in JSON and in tables", "is") + row("---", "---", "---");
}

std::string clockKinds() {
  std::string Out = wordsOf("Clock");
#define TORCHPROF_CLOCK_KIND(NAME, NUMBER, TEXT, MEANING)                      \
  Out += row(NUMBER, "`" TEXT "`", cell(MEANING));
#include "torchprof/format/ClockKinds.def"
  return Out;
}

std::string planKinds() {
  std::string Out = wordsOf("Kind");
#define TORCHPROF_PLAN_KIND(NAME, NUMBER, TEXT, MEANING)                       \
  Out += row(NUMBER, "`" TEXT "`", cell(MEANING));
#include "torchprof/format/PlanKinds.def"
  return Out;
}

std::string planParts() {
  std::string Out = wordsOf("Part");
#define TORCHPROF_PLAN_PART(NAME, NUMBER, TEXT, MEANING)                       \
  Out += row(NUMBER, "`" TEXT "`", cell(MEANING));
#include "torchprof/format/PlanParts.def"
  return Out;
}

std::string measures() {
  std::string Out =
      row("Measure", "Name", "recorded with", "Unit", "Sum", "is") +
      row("---", "---", "---", "---", "---", "---");
#define TORCHPROF_MEASURE(NAME, NUMBER, ID, WORD, UNIT, SUM, MEANING)          \
  Out += row(NUMBER, "`" ID "`", "`" WORD "`", #UNIT, #SUM, cell(MEANING));
#include "torchprof/format/Measures.def"
  return Out;
}

struct DocTable {
  const char *File; ///< the .def file
  std::string Text;
};

std::string readPage(const char *Path) {
  std::ifstream File(Path);
  return {std::istreambuf_iterator<char>(File), {}};
}

TEST(DocTables, AreMadeFromTheDefFiles) {
  const char *Path = TORCHPROF_DOCS "/profile-format.md";
  std::string Page = readPage(Path), Wanted = Page;
  for (const DocTable &T : {DocTable{"SegmentTypes.def", segmentTypes()},
                            DocTable{"Counters.def", counters()},
                            DocTable{"ClockKinds.def", clockKinds()},
                            DocTable{"CellFields.def", cellFields()},
                            DocTable{"DynamicKinds.def", dynamicKinds()},
                            DocTable{"PlanKinds.def", planKinds()},
                            DocTable{"PlanParts.def", planParts()},
                            DocTable{"Measures.def", measures()}}) {
    std::string Begin = std::string("<!-- from ") + T.File + " -->\n";
    size_t From = Wanted.find(Begin);
    ASSERT_NE(From, std::string::npos) << Begin;
    From += Begin.size();
    size_t To = Wanted.find("<!-- end -->", From);
    ASSERT_NE(To, std::string::npos) << T.File;
    Wanted.replace(From, To - From, T.Text);
  }
  if (std::getenv("UPDATE_DOCS"))
    std::ofstream(Path) << Wanted;
  EXPECT_EQ(readPage(Path), Wanted) << "run this test with UPDATE_DOCS=1";
}

/// The word before the first parenthesis behind each \p Marker.
std::vector<std::string> namesIn(const char *Path, const std::string &Marker) {
  std::string Text = readPage(Path);
  std::vector<std::string> Found;
  for (size_t At = Text.find(Marker); At != Text.npos;
       At = Text.find(Marker, At + 1)) {
    size_t End = Text.find('(', At + Marker.size());
    size_t Begin = Text.find_last_of(" *:", End) + 1;
    Found.push_back(Text.substr(Begin, End - Begin));
  }
  return Found;
}

TEST(DocTables, TheRuntimesPageHasItsWholeInterface) {
  std::string Page = readPage(TORCHPROF_DOCS "/runtime.md");
  auto Has = [&](const std::string &Text) {
    return Page.find(Text) != Page.npos;
  };
  std::vector<std::string> Functions =
      namesIn(TORCHPROF_DOCS "/../runtime/include/torchprof/torchprof.h",
              "\nTORCHPROF_API ");
  EXPECT_FALSE(Functions.empty());
  for (const std::string &Name : Functions)
    EXPECT_TRUE(Has("`" + Name + "`")) << Name;
  std::vector<std::string> Operators =
      namesIn(TORCHPROF_DOCS "/../runtime/torch/ControlOps.cpp",
              "control(\"torchprof::");
  EXPECT_FALSE(Operators.empty());
  for (const std::string &Name : Operators)
    EXPECT_TRUE(Has("`" + Name + "(") || Has(".torchprof." + Name + "("))
        << Name;
}

TEST(DocTables, TheFormatsPageIsOfThisVersion) {
  std::string Page = readPage(TORCHPROF_DOCS "/profile-format.md");
  std::string Version = std::to_string(FormatVersion);
  EXPECT_EQ(Page.substr(0, Page.find('\n')),
            "# The profile format, version " + Version);
  EXPECT_NE(Page.find("| u32 | Version | " + Version + "; "),
            std::string::npos);
}

} // namespace
