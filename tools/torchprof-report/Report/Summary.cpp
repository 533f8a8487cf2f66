//===- Summary.cpp - the report's own table -------------------------------===//

#include "Summary.h"
#include "DeviceColumns.h"
#include "MeasuredPart.h"
#include "WorkColumns.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

/// What a grouping shows unless it is told.
static std::vector<std::string> defaultColumns(GroupBy Group) {
  switch (Group) {
  case GroupBy::Node:
    return {"kind",     "name",    "module",  "calls",
            "total_ns", "self_ns", "mean_ns", "pct_total"};
  case GroupBy::Shape:
    return {"kind",     "name",    "module", "shapes", "calls",
            "total_ns", "mean_ns", "min_ns", "max_ns", "pct_total"};
  case GroupBy::Kind:
    return {"kind",    "calls",    "total_ns", "self_ns",
            "mean_ns", "pct_self", "pct_total"};
  case GroupBy::Module:
    return {"module",  "class",    "calls",    "total_ns",
            "self_ns", "pct_self", "pct_total"};
  case GroupBy::Class:
    return {"class", "calls", "total_ns", "self_ns", "pct_self", "pct_total"};
  case GroupBy::Source:
  case GroupBy::Stack:
    return {"source",  "kind",     "calls",    "total_ns",
            "self_ns", "pct_self", "pct_total"};
  case GroupBy::Thread:
  case GroupBy::Method:
    return {"name", "calls", "total_ns", "self_ns", "pct_self", "pct_total"};
  }
  return {};
}

Expected<Table> report::makeSummary(const SummaryInput &In,
                                    const SummaryOptions &Options) {
  ArrayRef<TableMeasure> Measures = In.Sites.measures();
  RowColumns Columns = rowColumns(Measures);
  std::vector<std::string> Ids = Options.Columns;
  if (Ids.empty()) {
    Ids = defaultColumns(Options.Group);
    if (Options.Group == GroupBy::Node && In.Sites.hasVariants())
      Ids.insert(llvm::find(Ids, "calls"), "shapes");
    In.Sites.modelNames().addColumns(Ids);
    // Measures are not told apart by shapes.
    if (Options.Group != GroupBy::Shape)
      for (std::string &Id : shownMeasureColumns(Measures))
        Ids.push_back(std::move(Id));
    if (Options.Group == GroupBy::Node && DeviceMeasures(Measures))
      Ids.push_back("launch_bound");
  }
  auto Chosen = Columns.choose(Ids, "--columns");
  if (!Chosen)
    return Chosen.takeError();
  std::vector<std::string> Keys = Options.Sort;
  if (Keys.empty())
    Keys = {"total_ns"};
  RowOptions Grouping = {Options.Group, Options.StackDepth, Options.ShowAll};
  Grouping.WithWork = needWork(Ids) || needWork(Keys);
  Grouping.Keys = is_contained(Ids, "key") || is_contained(Keys, "key");
  std::vector<Row> Rows = makeRows(In.Sites, In.Selected, Grouping);
  RowContext Context = In.context();
  if (Options.MinPercent > 0)
    erase_if(Rows, [&](const Row &R) {
      return In.All.isBelow(static_cast<double>(R.Total), Options.MinPercent);
    });
  if (Error E = Columns.sort(Rows, Keys, Context))
    return E;

  Table T;
  size_t Shown = Options.Limit ? std::min<size_t>(Options.Limit, Rows.size())
                               : Rows.size();
  RowColumns::fill(T, ArrayRef(Rows).take_front(Shown), *Chosen, Context);
  if (Options.Group == GroupBy::Node)
    for (const Row &R : ArrayRef(Rows).take_front(Shown))
      T.Sites.push_back({R.Order});
  for (TableColumn &C : T.Columns) {
    C.MayDrop =
        Options.Columns.empty() && (C.Id == "mean_ns" || C.Id == "self_ns");
    if (C.Id == "module" && Options.Group == GroupBy::Module)
      C.WhenEmpty = "(root)";
    if (C.Id == "name")
      C.MaxWidth = Options.NameWidth;
    if (C.Id == "shapes")
      C.WhenEmpty = "-";
  }
  if (Shown < Rows.size())
    T.Notes.push_back(utostr(Rows.size() - Shown) +
                      " more rows; --limit=0 shows them");
  addFooter(T, In, Options.ShowAll);
  // An order by what is not there is none.
  std::vector<std::string> Asked = Ids;
  append_range(Asked, Keys);
  for (std::string &Note : missingMeasureNotes(Asked, Measures))
    T.Notes.push_back(std::move(Note));
  if (std::string Note = rescaledNote(Asked, In.Sites.rescaled());
      !Note.empty())
    T.Notes.push_back(std::move(Note));
  for (std::string &Note : partNotes(Ids, In.Sites, In.Selected))
    T.Notes.push_back(std::move(Note));
  for (std::string &Note : workNotes(Asked, In.Sites, In.Selected, In.All))
    T.Notes.push_back(std::move(Note));
  explainMarks(T);
  return T;
}
