//===- PrintTable.cpp - aligned text --------------------------------------===//

#include "PrintTable.h"
#include "../../common/Printable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Locale.h"

#include <numeric>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

static constexpr unsigned Gap = 2; // between columns

/// Width that a shortened column keeps.
static unsigned leastWidth(Shorten How) {
  return How == Shorten::KeepStart ? 16 : 12;
}

std::string report::headingOf(const TableColumn &C, TimeUnit Unit) {
  if (C.Type == ValueType::TimeNs && Unit != TimeUnit::Auto)
    return C.Title + " (" + unitName(Unit).str() + ")";
  return C.Title;
}

/// Columns that a text takes on the terminal.
static unsigned widthOf(StringRef Text) {
  int Width = sys::locale::columnWidth(Text);
  return Width < 0 ? static_cast<unsigned>(Text.size())
                   : static_cast<unsigned>(Width);
}

/// Its first character. \p Text is printable, so it is UTF-8.
static StringRef firstCharacter(StringRef Text) {
  return Text.take_front(getNumBytesForUTF8(static_cast<UTF8>(Text.front())));
}

/// As much of its beginning as \p Width columns hold.
static StringRef beginOf(StringRef Text, unsigned Width) {
  size_t Bytes = 0;
  for (unsigned Used = 0; Bytes < Text.size();) {
    StringRef Next = firstCharacter(Text.drop_front(Bytes));
    Used += widthOf(Next);
    if (Used > Width)
      break;
    Bytes += Next.size();
  }
  return Text.take_front(Bytes);
}

/// The same of its end.
static StringRef endOf(StringRef Text, unsigned Width) {
  unsigned Left = widthOf(Text); // of what may be very long: counted once
  while (Left > Width) {
    StringRef First = firstCharacter(Text);
    Left -= widthOf(First);
    Text = Text.drop_front(First.size());
  }
  return Text;
}

std::string report::shortened(StringRef Text, unsigned Width, Shorten How) {
  if (widthOf(Text) <= Width || How == Shorten::Never)
    return Text.str();
  unsigned Kept = Width > 2 ? Width - 2 : 0;
  if (How == Shorten::KeepStart)
    return beginOf(Text, Kept).str() + "..";
  StringRef End = endOf(Text, Kept);
  char Before = Text[Text.size() - Kept - 1];
  if (Before == '.' || Before == '/')
    return ".." + End.str();
  // Begin with a whole component if one fits.
  size_t Start = End.find_first_of("./");
  if (Start != StringRef::npos && Start + 1 < End.size())
    End = End.drop_front(Start + 1);
  return ".." + End.str();
}

static std::string padded(StringRef Text, unsigned Width, bool Left) {
  unsigned Used = widthOf(Text);
  std::string Padding(Used < Width ? Width - Used : 0, ' ');
  return Left ? Text.str() + Padding : Padding + Text.str();
}

namespace {

class TextTable {
public:
  TextTable(const Table &T, const PrintOptions &Options, raw_ostream &OS);
  void print();

private:
  void fit();
  void line(ArrayRef<std::string> Fields, ArrayRef<Value> Values);
  void footer();

  const Table &T;
  const PrintOptions &Options;
  raw_ostream &OS;
  std::vector<std::string> Heading;
  std::vector<std::vector<std::string>> Rows;
  std::vector<unsigned> Widths;
  std::vector<bool> Dropped;
};

} // namespace

TextTable::TextTable(const Table &T, const PrintOptions &Options,
                     raw_ostream &OS)
    : T(T), Options(Options), OS(OS) {
  for (const TableColumn &C : T.Columns) {
    Heading.push_back(printable(headingOf(C, Options.Unit)));
    Widths.push_back(widthOf(Heading.back()));
  }
  for (const std::vector<Value> &Row : T.Rows) {
    std::vector<std::string> &Fields = Rows.emplace_back();
    for (size_t I = 0; I < Row.size(); ++I) {
      const TableColumn &C = T.Columns[I];
      Fields.push_back(printable(formatValue(Row[I], C, Options.Unit)));
      if (C.MaxWidth)
        Fields.back() = shortened(Fields.back(), C.MaxWidth, C.Narrow);
      Widths[I] = std::max(Widths[I], widthOf(Fields.back()));
    }
  }
  Dropped.resize(Widths.size());
  fit();
}

/// Takes from the widest column that may be shortened until the line fits, and
/// then leaves out columns that may be left out, from the right.
void TextTable::fit() {
  if (Options.Width == 0 || Widths.empty())
    return;
  unsigned Needed = std::accumulate(Widths.begin(), Widths.end(), 0u) +
                    Gap * static_cast<unsigned>(Widths.size() - 1);
  while (Needed > Options.Width) {
    size_t Widest = Widths.size();
    for (size_t I = 0; I < Widths.size(); ++I)
      if (T.Columns[I].Narrow != Shorten::Never &&
          Widths[I] > leastWidth(T.Columns[I].Narrow) &&
          (Widest == Widths.size() || Widths[I] > Widths[Widest]))
        Widest = I;
    if (Widest == Widths.size())
      break;
    --Widths[Widest];
    --Needed;
  }
  for (size_t I = Widths.size(); I-- && Needed > Options.Width;)
    if (T.Columns[I].MayDrop) {
      Dropped[I] = true;
      Needed -= Widths[I] + Gap;
    }
  for (std::vector<std::string> &Fields : Rows)
    for (size_t I = 0; I < Fields.size(); ++I)
      Fields[I] = shortened(Fields[I], Widths[I], T.Columns[I].Narrow);
}

void TextTable::line(ArrayRef<std::string> Fields, ArrayRef<Value> Values) {
  std::string Line;
  raw_string_ostream Out(Line);
  for (size_t I = 0; I < Fields.size(); ++I) {
    if (Dropped[I])
      continue;
    bool Left = T.Columns[I].Type == ValueType::Text;
    unsigned Used = widthOf(Fields[I]);
    unsigned Padding = Used < Widths[I] ? Widths[I] - Used : 0;
    if (!Left)
      Out.indent(Padding);
    // A share of a tenth or more is worth a look.
    bool Hot = Options.Colors && I < Values.size() &&
               Values[I].Type == ValueType::Percent && Values[I].Number >= 10;
    if (Hot)
      Out << "\033[31m";
    Out << Fields[I];
    if (Hot)
      Out << "\033[0m";
    if (Left)
      Out.indent(Padding);
    if (I + 1 < Fields.size())
      Out.indent(Gap);
  }
  OS << StringRef(Out.str()).rtrim(' ') << '\n';
}

std::string report::footerAmount(const FooterLine &Line, TimeUnit Unit) {
  std::string Text = formatValue(Line.Amount, {}, Unit);
  if (Line.Amount.Type == ValueType::TimeNs && Unit != TimeUnit::Auto)
    Text.append(1, ' ').append(unitName(Unit).str());
  return Text;
}

void TextTable::footer() {
  TableColumn Plain;
  unsigned TitleWidth = 0, AmountWidth = 0, ShareWidth = 0;
  auto Amount = [&](const FooterLine &Line) {
    return footerAmount(Line, Options.Unit);
  };
  auto Share = [&](const FooterLine &Line) {
    return Line.Share.Type == ValueType::None
               ? std::string()
               : formatValue(Line.Share, Plain, TimeUnit::Auto);
  };
  for (const FooterLine &Line : T.Footer) {
    TitleWidth = std::max(TitleWidth, widthOf(Line.Title));
    AmountWidth = std::max(AmountWidth, widthOf(Amount(Line)));
    ShareWidth = std::max(ShareWidth, widthOf(Share(Line)));
  }
  for (const FooterLine &Line : T.Footer) {
    std::string Text = padded(Line.Title, TitleWidth, /*Left=*/true);
    Text += std::string(Gap, ' ') +
            padded(Amount(Line), AmountWidth, /*Left=*/false);
    Text +=
        std::string(Gap, ' ') + padded(Share(Line), ShareWidth, /*Left=*/false);
    Text += std::string(Gap, ' ') + printable(Line.Note);
    OS << StringRef(Text).rtrim(' ') << '\n';
  }
}

void TextTable::print() {
  if (!T.Title.empty())
    OS << printable(T.Title) << '\n';
  if (!T.Columns.empty()) {
    if (Options.Colors)
      OS << "\033[1m";
    line(Heading, {});
    if (Options.Colors)
      OS << "\033[0m";
    std::vector<std::string> Rule;
    for (unsigned Width : Widths)
      Rule.emplace_back(Width, '-');
    line(Rule, {});
    for (size_t I = 0; I < Rows.size(); ++I)
      line(Rows[I], T.Rows[I]);
  }
  if (!T.Footer.empty()) {
    if (!T.Columns.empty())
      OS << '\n';
    footer();
  }
  for (const std::string &Note : T.Notes)
    OS << printable(Note) << '\n';
  ListSeparator Comma;
  for (size_t I = 0; I < Dropped.size(); ++I)
    if (Dropped[I])
      OS << Comma << T.Columns[I].Title;
  if (is_contained(Dropped, true))
    OS << " left out to fit " << Options.Width
       << " columns; --width=0 shows all\n";
}

void report::printTextTable(const Table &T, const PrintOptions &Options,
                            raw_ostream &OS) {
  TextTable(T, Options, OS).print();
}
