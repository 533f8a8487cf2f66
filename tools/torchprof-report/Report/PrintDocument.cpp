//===- PrintDocument.cpp - CSV, JSON and Markdown -------------------------===//

#include "PrintTable.h"
#include "Table.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

// Of the JSON that the commands print; grows when members change.
static constexpr int64_t SchemaVersion = 1;

/// RFC 4180: quotes around what would not survive without.
static void printCsvField(StringRef Text, raw_ostream &OS) {
  if (Text.find_first_of("\",\r\n") == StringRef::npos) {
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
    printCsvField(C.Id, OS);
  }
  OS << '\n';
  for (const std::vector<Value> &Row : T.Rows) {
    ListSeparator Comma(",");
    for (size_t I = 0; I < Row.size(); ++I) {
      OS << Comma;
      printCsvField(exactValue(Row[I], T.Columns[I]), OS);
    }
    OS << '\n';
  }
}

static void printJsonValue(const Value &V, const TableColumn &C,
                           json::OStream &J) {
  if (V.Type == ValueType::None)
    J.value(nullptr);
  else if (V.Type == ValueType::Text)
    J.value(json::isUTF8(V.Text) ? V.Text : json::fixUTF8(V.Text));
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
  for (char C : Text) {
    if (C == '|' || C == '\\' || C == '*' || C == '_' || C == '<')
      Out += '\\';
    Out += C == '\n' ? ' ' : C;
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
       << escapeMarkdown(formatValue(Line.Amount, {}, TimeUnit::Auto));
    if (Line.Share.Type != ValueType::None)
      OS << " (" << formatValue(Line.Share, {}, TimeUnit::Auto) << ')';
    if (!Line.Note.empty())
      OS << ", " << escapeMarkdown(Line.Note);
    OS << '\n';
  }
  for (const std::string &Note : T.Notes)
    OS << '\n' << escapeMarkdown(Note) << '\n';
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
      printMarkdown(T, Options, OS);
    else
      printTextTable(T, Options, OS);
  }
}
