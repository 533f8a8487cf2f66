//===- LineTable.h - commands that print lines of their own -----*- C++ -*-===//
//
// What the commands have in common whose table has neither sites nor groups as
// rows: --list-columns, the choice of columns and sites, printing.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_LINETABLE_H
#define TORCHPROF_REPORT_LINETABLE_H

#include "../Report/MeasuredPart.h"
#include "../Report/WorkColumns.h"
#include "Command.h"
#include "Options.h"

#include <vector>

namespace torchprof::report {

/// The options of such a command.
struct LineTableOptions {
  InputOptions Input;
  OutputOptions Output;
  SelectionOptions Choice;
  ColumnOptions Columns;

  explicit LineTableOptions(llvm::cl::SubCommand &Sub)
      : Input(Sub), Output(Sub), Choice(Sub), Columns(Sub) {}
};

/// A column of gradients' times, for the row of a table of columns. \p Get
/// takes a line, and \p Show says which of the times.
template <typename Line, typename Function>
ColumnOf<Line, RowContext> backwardColumn(
    llvm::StringRef Id, llvm::StringRef Title, llvm::StringRef Help,
    Function Get,
    Value (*Show)(const GradientSum &, const RowContext &) = backwardValue) {
  return {TableColumn::time(Id, Title), Help.str(),
          [Get, Show](const Line &L, const RowContext &C) {
            return Show(Get(L), C);
          },
          /*NeedsHistogram=*/false, /*OfGradients=*/true};
}

/// The column of what ran beside its parent, the same way. \p Get takes a line.
template <typename Line, typename Function>
ColumnOf<Line, RowContext> asyncColumn(llvm::StringRef Help, Function Get) {
  ColumnOf<Line, RowContext> Column = {
      TableColumn::time("asynchronous_ns", "asynchronous"), Help.str(),
      [Get](const Line &L, const RowContext &C) {
        UInt128 Ticks = Get(L);
        return Ticks ? Value::timeNs(C.Clock.toNs(static_cast<double>(Ticks)))
                     : Value();
      }};
  Column.OfAsync = true;
  return Column;
}

/// Prints the lines that \p Collect makes of the selected sites. \p Shown are
/// the columns that nobody has to ask for; those of gradients, measures and
/// what ran beside its parent are left out of a profile without any, and
/// "model" where one model ran. The column \p Naming says what a line is of: in
/// a text it stands first if none that was asked for does. \p WithOperators:
/// AddOptions::Operators.
template <typename Line, typename Function>
llvm::Expected<Outcome> printLines(const LineTableOptions &Options,
                                   const ColumnSet<Line, RowContext> &Known,
                                   llvm::ArrayRef<llvm::StringRef> Shown,
                                   llvm::ArrayRef<llvm::StringRef> Naming,
                                   bool WithOperators, Function Collect) {
  using Columns = ColumnSet<Line, RowContext>;
  if (Options.Columns.List) {
    if (llvm::Error E = Options.Output.print({{Known.list()}}))
      return E;
    return Outcome::Fine;
  }
  auto Ids = Options.Columns.ids(Shown);
  if (Options.Output.Format == TableFormat::Table &&
      llvm::none_of(Naming,
                    [&](auto Id) { return llvm::is_contained(Ids, Id); }))
    Ids.insert(Ids.begin(), Naming.front().str());
  llvm::Expected<typename Columns::Choice> Chosen =
      Known.choose(Ids, "--columns");
  if (!Chosen)
    return Chosen.takeError();
  SiteTable Sites;
  AddOptions Added;
  Added.Histograms = false;
  Added.Operators = WithOperators;
  if (llvm::Error E = Options.Input.addTo(Sites, Added))
    return E;
  llvm::Expected<Selection> Selected = Options.Choice.select(Sites);
  if (!Selected)
    return Selected.takeError();
  Totals All = makeTotals(Sites, *Selected);
  if (Options.Columns.ids({}).empty())
    llvm::erase_if(*Chosen, [&](const auto *C) {
      return (C->id() == "model" && !Sites.modelNames().areNeeded()) ||
             (C->OfGradients && !Sites.hasGradients()) ||
             (C->OfAsync && !All.Async) ||
             (!C->OfMeasure.empty() &&
              llvm::none_of(Sites.measures(), [&](const TableMeasure &M) {
                return M.Id == C->OfMeasure;
              }));
    });
  llvm::Expected<std::vector<Line>> Lines = Collect(Sites, *Selected, All);
  if (!Lines)
    return Lines.takeError();
  Table T;
  Columns::fill(T, *Lines, *Chosen, {Sites.clock(), All});
  for (std::string &Note : partNotes(Ids, Sites, *Selected))
    T.Notes.push_back(std::move(Note));
  for (std::string &Note : workNotes(Ids, Sites, *Selected, All))
    T.Notes.push_back(std::move(Note));
  explainMarks(T);
  if (llvm::Error E = Options.Output.print({{T}}))
    return E;
  return Outcome::Fine;
}

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_LINETABLE_H
