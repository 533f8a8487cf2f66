//===- Summary.cpp - the report's own table -------------------------------===//

#include "Summary.h"

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
                                    const SummaryOptions &Options,
                                    std::vector<Row> ThreadRows) {
  std::vector<std::string> Ids = Options.Columns;
  if (Ids.empty())
    Ids = defaultColumns(Options.Group);
  auto Columns = findColumns(Ids, "--columns");
  if (!Columns)
    return Columns.takeError();
  std::vector<Row> Rows =
      Options.Group == GroupBy::Thread
          ? std::move(ThreadRows)
          : makeRows(In.Sites, In.Selected,
                     {Options.Group, Options.StackDepth, Options.Unreached});
  RowContext Context = In.context();
  if (Options.MinPercent > 0)
    erase_if(Rows, [&](const Row &R) {
      return In.All.share(static_cast<double>(R.Total)) < Options.MinPercent;
    });
  std::vector<std::string> Keys = Options.Sort;
  if (Keys.empty())
    Keys = {"total_ns"};
  if (Error E = sortRows(Rows, Keys, Context))
    return E;

  Table T;
  for (const Column *C : *Columns) {
    T.Columns.push_back(C->describe());
    T.Columns.back().MayDrop =
        Options.Columns.empty() && (C->Id == "mean_ns" || C->Id == "self_ns");
    if (C->Id == "module")
      T.Columns.back().WhenEmpty =
          Options.Group == GroupBy::Module ? "(root)" : "";
  }
  size_t Shown = Options.Limit ? std::min<size_t>(Options.Limit, Rows.size())
                               : Rows.size();
  for (const Row &R : ArrayRef(Rows).take_front(Shown)) {
    std::vector<Value> &Values = T.Rows.emplace_back();
    for (const Column *C : *Columns)
      Values.push_back(C->Get(R, Context));
  }
  addFooter(T, In);
  if (Shown < Rows.size())
    T.Notes.insert(T.Notes.begin(), utostr(Rows.size() - Shown) +
                                        " more rows; --limit=0 shows them");
  return T;
}
