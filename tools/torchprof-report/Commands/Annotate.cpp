//===- Annotate.cpp - source lines with times -----------------------------===//
//
// Each line of a site's inlined call stack is charged the site's self time:
// the innermost as its own, all of them inclusively. Self times do not overlap,
// so no line is charged twice for the same time. So it is with the gradients of
// the site, and with what ran beside its parent, in columns of their own. What
// is no time, such as bytes and FLOPs, is that of all sites.
//
//===----------------------------------------------------------------------===//

#include "../Report/PlaceMeasures.h"
#include "../Report/WorkColumns.h"
#include "LineTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace annotate_command {

namespace {
cl::SubCommand Command("annotate", "Print the source lines with times");
LineTableOptions Options(Command);
cl::list<std::string>
    Sort("sort", cl::CommaSeparated,
         cl::desc("Sort by a column id (total_ns), or by order: file and line"),
         cl::value_desc("id,..."), cl::sub(Command));
cl::opt<std::string> FileGlob("file", cl::desc("Only files that match"),
                              cl::value_desc("glob"), cl::sub(Command));
cl::opt<unsigned> Limit("limit", cl::desc("Print at most n lines (0: all)"),
                        cl::value_desc("n"), cl::sub(Command));

struct SourceLine {
  std::string Place; ///< "file:line"
  std::string Text;
  uint64_t Hits = 0; ///< calls of the nodes on the line itself
  UInt128 Self = 0;
  UInt128 Total = 0;
  UInt128 Async = 0; ///< of all nodes that it leads to, in neither of these
  GradientSum Backward;
  GradientSum TotalBackward;
  PlaceMeasures Measures;
  SiteWork Done;        ///< by the nodes on the line itself
  bool Clipped = false; ///< a node's self time would be below 0
};

/// By file and number.
using SourceLines = std::map<std::pair<std::string, uint32_t>, SourceLine>;
using LineColumns = ColumnSet<SourceLine, RowContext>;
} // namespace

static SourceLines collect(const SiteTable &Sites, const Selection &Selected) {
  SourceLines Lines;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (!Sites[S].isPart() || !Sites.seen(S) || !Selected.matches(Sites, S))
      continue;
    GradientSum Backward = Sites.backwardOf(S);
    UInt128 Self = Sites.self(S).Amount + Sites.plansOf(S);
    // What ran beside its parent is in neither time, as in the tree.
    bool Timed = !Sites[S].Async;
    bool Innermost = true;
    // A recursive function has one line several times.
    std::set<std::pair<std::string, uint32_t>> Charged;
    for (const Frame &F : Sites.frames(S)) {
      std::pair<std::string, uint32_t> Key(F.File.empty() ? "?" : F.File,
                                           F.Line);
      SourceLine &Line = Lines[Key];
      if (Line.Text.empty())
        Line.Text = F.Text;
      Line.Place = Key.first;
      if (F.Line)
        Line.Place += ":" + std::to_string(F.Line);
      if (Innermost) {
        Line.Hits += Sites.measured(S).Count;
        Line.Backward += Backward;
        if (Timed) {
          Line.Self += Self;
          Line.Clipped |= Sites.self(S).Excess != 0;
        }
        Line.Done.add(Sites, S);
      }
      if (Charged.insert(Key).second) {
        Line.TotalBackward += Backward;
        (Timed ? Line.Total : Line.Async) += Self;
        addMeasures(Line.Measures, Sites, S, /*IsDirect=*/Innermost, Timed);
      }
      Innermost = false;
    }
  }
  return Lines;
}

static LineColumns lineColumns() {
  using Line = SourceLine;
  using Ctx = RowContext;
  auto Time = [](UInt128 Ticks, const Ctx &C) {
    return Value::timeNs(C.Clock.toNs(static_cast<double>(Ticks)));
  };
  auto Share = [](UInt128 Ticks, const Ctx &C) {
    return C.All.shareValue(static_cast<double>(Ticks));
  };
  std::vector<LineColumns::Column> Columns = {
      {TableColumn::count("hits", "hits"), "calls of the nodes on the line",
       [](const Line &L, const Ctx &) { return Value::count(L.Hits); }},
      {TableColumn::time("self_ns", "self"), "self times of these nodes",
       [Time](const Line &L, const Ctx &C) {
         Value Self = Time(L.Self, C);
         Self.Marked = L.Clipped;
         return Self;
       }},
      {TableColumn::percent("pct_self", "% self"),
       "self in percent of the runs' time",
       [Share](const Line &L, const Ctx &C) { return Share(L.Self, C); }},
      {TableColumn::time("total_ns", "total"),
       "self times of all nodes that the line leads to",
       [Time](const Line &L, const Ctx &C) { return Time(L.Total, C); }},
      {TableColumn::percent("pct_total", "% total"),
       "total in percent of the runs' time",
       [Share](const Line &L, const Ctx &C) { return Share(L.Total, C); }},
      asyncColumn<Line>("self times of all nodes that the line leads to and "
                        "that ran beside their parents",
                        [](const Line &L) { return L.Async; }),
      backwardColumn<Line>("backward_ns", "backward",
                           "gradients of the nodes on the line",
                           [](const Line &L) { return L.Backward; }),
      backwardColumn<Line>("total_backward_ns", "total backward",
                           "gradients of all nodes that the line leads to",
                           [](const Line &L) { return L.TotalBackward; }),
  };
  addPlaceColumns(Columns, &Line::Measures,
                  {", of all nodes that the line leads to",
                   ", of the nodes that the line leads to the largest",
                   ", of the nodes on the line"});
  addWorkColumns(Columns, &Line::Done);
  Columns.push_back(
      {TableColumn::text("source", "source"), "file:line",
       [](const Line &L, const Ctx &) { return placeValue(L.Place); }});
  Columns.push_back(
      {TableColumn::text("text", "text", Shorten::KeepStart), "the line",
       [](const Line &L, const Ctx &) { return Value::text(L.Text); }});
  return LineColumns(std::move(Columns));
}

/// Drops the lines of other files than those that --file wants.
static Error chooseFiles(SourceLines &Lines) {
  if (FileGlob.empty())
    return Error::success();
  Expected<GlobPattern> Pattern = GlobPattern::create(FileGlob);
  if (!Pattern)
    return createStringError(inconvertibleErrorCode(),
                             "--file=" + FileGlob + ": " +
                                 toString(Pattern.takeError()));
  std::set<std::string> Files;
  for (auto Line = Lines.begin(); Line != Lines.end();) {
    Files.insert(Line->first.first);
    Line =
        Pattern->match(Line->first.first) ? std::next(Line) : Lines.erase(Line);
  }
  if (!Lines.empty())
    return Error::success();
  return createStringError(inconvertibleErrorCode(),
                           "no file matches --file=" + FileGlob +
                               "; there are " +
                               join(Files.begin(), Files.end(), ", "));
}

static Expected<std::vector<SourceLine>> chooseLines(const SiteTable &Sites,
                                                     const Selection &Selected,
                                                     const Totals &All) {
  SourceLines ByPlace = collect(Sites, Selected);
  if (Error E = chooseFiles(ByPlace))
    return E;
  std::vector<SourceLine> Lines;
  for (auto &[Place, Line] : ByPlace)
    Lines.push_back(std::move(Line));
  std::vector<std::string> Keys(Sort.begin(), Sort.end());
  if (Keys.empty())
    Keys = {"total_ns"};
  if (Error E = lineColumns().sort(Lines, Keys, {Sites.clock(), All}))
    return E;
  if (Limit && Limit < Lines.size())
    Lines.resize(Limit);
  return Lines;
}

/// The columns that nobody has to ask for, as far as the profile has them.
static std::vector<StringRef> shownColumns() {
  static const std::vector<std::string> OfMeasures = shownPlaceColumns();
  std::vector<StringRef> Ids = {
      "hits",      "self_ns",         "pct_self",    "total_ns",
      "pct_total", "asynchronous_ns", "backward_ns", "total_backward_ns"};
  Ids.insert(Ids.end(), OfMeasures.begin(), OfMeasures.end());
  Ids.insert(Ids.end(), {"source", "text"});
  return Ids;
}

static Expected<Outcome> run() {
  return printLines<SourceLine>(Options, lineColumns(), shownColumns(),
                                /*Naming=*/{"source", "text"},
                                /*WithOperators=*/false, chooseLines);
}

static CommandRegistration Registration(Command, run,
                                        "annotate model.tprof --limit=20");

} // namespace annotate_command
