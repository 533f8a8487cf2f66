//===- PrintDocument.cpp - CSV, JSON and Markdown -------------------------===//

#include "../../common/Printable.h"
#include "../Profile/JsonText.h"
#include "PrintTable.h"
#include "Table.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

// Of the JSON that the commands print; grows when members change.
static constexpr int64_t SchemaVersion = 1;

/// RFC 4180: quotes around what would not survive without. What a spreadsheet
/// would take for a formula begins with an apostrophe instead.
static void printCsvText(StringRef Name, raw_ostream &OS) {
  std::string Text = printable(Name);
  if (!Text.empty() && StringRef("=+-@").contains(Text.front()))
    Text.insert(Text.begin(), '\'');
  if (StringRef(Text).find_first_of("\",") == StringRef::npos) {
    OS << Text;
    return;
  }
  OS << '"';
  for (char C : Text) {
    if (C == '"')
      OS << '"';
    OS << C;
  }
  OS << '"';
}

static void printCsv(const Table &T, raw_ostream &OS) {
  ListSeparator Comma(",");
  for (const TableColumn &C : T.Columns) {
    OS << Comma;
    printCsvText(C.Id, OS);
  }
  OS << '\n';
  for (const std::vector<Value> &Row : T.Rows) {
    ListSeparator Comma(",");
    for (size_t I = 0; I < Row.size(); ++I) {
      OS << Comma;
      std::string Text = exactValue(Row[I], T.Columns[I]);
      if (Row[I].Type == ValueType::Text)
        printCsvText(Text, OS);
      else
        OS << Text;
    }
    OS << '\n';
  }
}

static void printJsonValue(const Value &V, const TableColumn &C,
                           json::OStream &J) {
  if (V.Type == ValueType::None)
    J.value(nullptr);
  else if (V.Type == ValueType::Text)
    J.value(jsonText(V.Text));
  else // the same digits as in CSV
    J.rawValue(exactValue(V, C));
}

static void printJson(const Table &T, json::OStream &J) {
  J.attributeArray("rows", [&] {
    for (const std::vector<Value> &Row : T.Rows)
      J.object([&] {
        for (size_t I = 0; I < Row.size(); ++I) {
          J.attributeBegin(T.Columns[I].Id);
          printJsonValue(Row[I], T.Columns[I], J);
          J.attributeEnd();
        }
      });
  });
  if (T.Footer.empty())
    return;
  J.attributeObject("footer", [&] {
    for (const FooterLine &Line : T.Footer) {
      J.attributeBegin(Line.Id);
      printJsonValue(Line.Amount, {}, J);
      J.attributeEnd();
    }
  });
}

static void printJson(const Document &D, raw_ostream &OS) {
  json::OStream J(OS, 2);
  J.object([&] {
    J.attribute("schema_version", SchemaVersion);
    for (const Table &T : D.Tables) {
      if (T.Id.empty())
        printJson(T, J);
      else
        J.attributeObject(T.Id, [&] { printJson(T, J); });
    }
  });
  J.flush();
  OS << '\n';
}

static std::string escapeMarkdown(StringRef Text) {
  std::string Out;
  for (char C : printable(Text)) {
    if (StringRef("|\\*_<`[").contains(C))
      Out += '\\';
    Out += C;
  }
  return Out;
}

static void printMarkdown(const Table &T, const PrintOptions &Options,
                          raw_ostream &OS) {
  if (!T.Title.empty())
    OS << "### " << escapeMarkdown(T.Title) << "\n\n";
  for (const TableColumn &C : T.Columns)
    OS << "| " << escapeMarkdown(headingOf(C, Options.Unit)) << ' ';
  OS << "|\n";
  for (const TableColumn &C : T.Columns)
    OS << (C.Type == ValueType::Text ? "| --- " : "| ---: ");
  OS << "|\n";
  for (const std::vector<Value> &Row : T.Rows) {
    for (size_t I = 0; I < Row.size(); ++I)
      OS << "| "
         << escapeMarkdown(formatValue(Row[I], T.Columns[I], Options.Unit))
         << ' ';
    OS << "|\n";
  }
  if (!T.Footer.empty())
    OS << '\n';
  for (const FooterLine &Line : T.Footer) {
    OS << "- " << Line.Title << ": "
       << escapeMarkdown(footerAmount(Line, Options.Unit));
    if (Line.Share.Type != ValueType::None)
      OS << " (" << formatValue(Line.Share, {}, TimeUnit::Auto) << ')';
    if (!Line.Note.empty())
      OS << ", " << escapeMarkdown(Line.Note);
    OS << '\n';
  }
  for (const std::string &Note : T.Notes)
    OS << '\n' << escapeMarkdown(Note) << '\n';
}

/// \p T without the columns and lines that only machines read.
static Table forPeople(const Table &T) {
  Table Out = T;
  for (size_t I = T.Columns.size(); I-- > 0;) {
    if (!T.Columns[I].ForMachines)
      continue;
    Out.Columns.erase(Out.Columns.begin() + static_cast<ptrdiff_t>(I));
    for (std::vector<Value> &Row : Out.Rows)
      Row.erase(Row.begin() + static_cast<ptrdiff_t>(I));
  }
  erase_if(Out.Footer, [](const FooterLine &Line) { return Line.ForMachines; });
  return Out;
}

void report::printDocument(const Document &D, const PrintOptions &Options,
                           raw_ostream &OS) {
  if (Options.Format == TableFormat::Json)
    return printJson(D, OS);
  ListSeparator EmptyLine("\n");
  for (const Table &T : D.Tables) {
    OS << EmptyLine;
    if (Options.Format == TableFormat::Csv)
      printCsv(T, OS);
    else if (Options.Format == TableFormat::Markdown)
      printMarkdown(forPeople(T), Options, OS);
    else
      printTextTable(forPeople(T), Options, OS);
  }
}
