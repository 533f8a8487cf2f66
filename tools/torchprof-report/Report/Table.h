//===- Table.h - what a command says, before it has a format ----*- C++ -*-===//
//
// Commands make Documents; printDocument() turns them into aligned text, CSV,
// JSON or Markdown. Values keep their exact numbers until then, so all formats
// say the same: people get units, machines get nanoseconds and the unit in the
// column's name.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_TABLE_H
#define TORCHPROF_REPORT_TABLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>
#include <vector>

namespace torchprof::report {

enum class ValueType { None, Text, Count, Bytes, TimeNs, Percent, Number };

struct Value {
  ValueType Type = ValueType::None;
  std::string Text;
  std::string Display;    ///< shown to people instead, if not empty
  uint64_t Count = 0;     ///< of Count and Bytes
  bool Negative = false;  ///< Bytes below 0, by Count
  double Number = 0;      ///< of TimeNs, Percent and Number
  bool Marked = false;    ///< a note under the table explains it; shown as "*"
  bool Estimated = false; ///< not measured, as a note says; shown as "~"

  static Value text(llvm::StringRef S) {
    Value V;
    V.Type = ValueType::Text;
    V.Text = S.str();
    return V;
  }
  static Value count(uint64_t N) {
    Value V;
    V.Type = ValueType::Count;
    V.Count = N;
    return V;
  }
  static Value bytes(uint64_t N) {
    Value V = count(N);
    V.Type = ValueType::Bytes;
    return V;
  }
  /// \p More bytes less \p Less bytes.
  static Value bytesLess(uint64_t More, uint64_t Less) {
    Value V = bytes(More < Less ? Less - More : More - Less);
    V.Negative = More < Less;
    return V;
  }
  /// A number of bytes that has wrapped around if it is below 0.
  static Value signedBytes(uint64_t N) {
    return static_cast<int64_t>(N) < 0 ? bytesLess(0, 0 - N) : bytes(N);
  }
  static Value number(ValueType Type, double N) {
    Value V;
    V.Type = Type;
    V.Number = N;
    return V;
  }
  static Value timeNs(double Ns) { return number(ValueType::TimeNs, Ns); }
  static Value percent(double P) { return number(ValueType::Percent, P); }
};

/// How a text gives way when the terminal is narrow.
enum class Shorten { Never, KeepStart, KeepEnd };

struct TableColumn {
  std::string Id;    ///< in CSV and JSON, with the unit: "total_ns"
  std::string Title; ///< for people: "total"
  ValueType Type = ValueType::Text;
  Shorten Narrow = Shorten::Never;
  int Decimals = -1;        ///< of Number and Percent; -1: the format's default
  std::string WhenEmpty;    ///< shown to people for an empty text
  unsigned MaxWidth = 0;    ///< of a text for people; 0: any
  bool MayDrop = false;     ///< left out of text that is still too wide
  bool ForMachines = false; ///< in CSV and JSON only

  static TableColumn make(llvm::StringRef Id, llvm::StringRef Title,
                          ValueType Type, Shorten Narrow = Shorten::Never,
                          int Decimals = -1) {
    TableColumn C;
    C.Id = Id.str();
    C.Title = Title.str();
    C.Type = Type;
    C.Narrow = Narrow;
    C.Decimals = Decimals;
    return C;
  }
  static TableColumn text(llvm::StringRef Id, llvm::StringRef Title,
                          Shorten Narrow = Shorten::KeepEnd) {
    return make(Id, Title, ValueType::Text, Narrow);
  }
  static TableColumn time(llvm::StringRef Id, llvm::StringRef Title) {
    return make(Id, Title, ValueType::TimeNs);
  }
  static TableColumn count(llvm::StringRef Id, llvm::StringRef Title) {
    return make(Id, Title, ValueType::Count);
  }
  static TableColumn percent(llvm::StringRef Id, llvm::StringRef Title,
                             int Decimals = -1) {
    return make(Id, Title, ValueType::Percent, Shorten::Never, Decimals);
  }
  static TableColumn number(llvm::StringRef Id, llvm::StringRef Title,
                            int Decimals) {
    return make(Id, Title, ValueType::Number, Shorten::Never, Decimals);
  }
};

struct FooterLine {
  std::string Id;
  std::string Title;
  Value Amount;
  Value Share;              ///< percent, or None
  std::string Note;         ///< for people
  bool ForMachines = false; ///< in JSON only

  /// What people are told by the note of another line, or by the title.
  static FooterLine forMachines(llvm::StringRef Id, Value Amount) {
    return {Id.str(), "", std::move(Amount), Value(), "", true};
  }
};

struct Table {
  std::string Id;    ///< member name in JSON; empty for the only table
  std::string Title; ///< heading for people; may be empty
  std::vector<TableColumn> Columns;
  std::vector<std::vector<Value>> Rows;
  std::vector<FooterLine> Footer;
  std::vector<std::string> Notes; ///< lines under the table, for people
  /// By row: the numbers of the sites that it is about, the longest first.
  /// Empty if rows are about no sites.
  std::vector<std::vector<uint32_t>> Sites;
};

struct Document {
  std::vector<Table> Tables;
};

enum class TableFormat { Table, Csv, Json, Markdown };

/// Unit of times in text and Markdown. Auto: each time in its own unit.
enum class TimeUnit { Auto, Ns, Us, Ms, S };

struct PrintOptions {
  TableFormat Format = TableFormat::Table;
  TimeUnit Unit = TimeUnit::Auto;
  unsigned Width = 0; ///< columns of the terminal; 0: not limited
  bool Colors = false;
};

/// Prints a document. CSV holds the rows only: footers would be rows of another
/// kind there; several tables are separated by an empty line.
void printDocument(const Document &D, const PrintOptions &Options,
                   llvm::raw_ostream &OS);

/// A place in the source: people see it without the folder that packages are
/// installed in.
Value placeValue(llvm::StringRef Place);
/// A time for people: "1.234 ms".
std::string formatTime(double Ns, TimeUnit Unit = TimeUnit::Auto);
/// A number of bytes for people: "1.5 MiB".
std::string formatBytes(uint64_t Bytes);
/// A value for people, in a column of this kind.
std::string formatValue(const Value &V, const TableColumn &C, TimeUnit Unit);
/// A value for machines: exact counts, ns with at most one decimal.
std::string exactValue(const Value &V, const TableColumn &C);
/// Name of a unit, "ms"; empty for Auto.
llvm::StringRef unitName(TimeUnit Unit);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_TABLE_H
