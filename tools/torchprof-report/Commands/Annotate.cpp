//===- Annotate.cpp - source lines with times -----------------------------===//
//
// Each line of a site's inlined call stack is charged the site's self time:
// the innermost as its own, all of them inclusively. Self times do not overlap,
// so no line is charged twice for the same time.
//
//===----------------------------------------------------------------------===//

#include "../Report/Rows.h"
#include "Command.h"
#include "Options.h"

#include "llvm/Support/GlobPattern.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {
enum class LineOrder { Total, Self, File };

cl::SubCommand Command("annotate", "Print the source lines with times");
InputOptions Input(Command);
OutputOptions Output(Command);
SelectionOptions Choice(Command);
cl::opt<LineOrder>
    Sort("sort", cl::desc("Order of the lines"), cl::init(LineOrder::Total),
         cl::sub(Command),
         cl::values(clEnumValN(LineOrder::Total, "total_ns",
                               "most time in or under the line first"),
                    clEnumValN(LineOrder::Self, "self_ns",
                               "most time in the line itself first"),
                    clEnumValN(LineOrder::File, "file", "file and line")));
cl::opt<std::string> FileGlob("file", cl::desc("Only files that match"),
                              cl::value_desc("glob"), cl::sub(Command));
cl::opt<unsigned> Limit("limit", cl::desc("Print at most n lines (0: all)"),
                        cl::value_desc("n"), cl::sub(Command));

struct SourceLine {
  std::string Text;
  uint64_t Hits = 0; ///< calls of the nodes on the line itself
  double Self = 0;
  double Total = 0;
};

using SourceLines = std::map<std::pair<std::string, uint32_t>, SourceLine>;
} // namespace

static SourceLines collect(const SiteTable &Sites, const Selection &Selected) {
  SourceLines Lines;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (Sites[S].isRegion() || Sites[S].Async || !Sites.reached(S) ||
        !Selected.matches(Sites, S))
      continue;
    double Self = std::max(0.0, static_cast<double>(Sites.self(S)));
    bool Innermost = true;
    // A recursive function has one line several times.
    std::set<std::pair<std::string, uint32_t>> Charged;
    for (const Frame &F : Sites.frames(S)) {
      std::pair<std::string, uint32_t> Key(F.File.empty() ? "?" : F.File,
                                           F.Line);
      SourceLine &Line = Lines[Key];
      if (Line.Text.empty())
        Line.Text = F.Text;
      if (Innermost) {
        Line.Hits += Sites.measured(S).Count;
        Line.Self += Self;
      }
      if (Charged.insert(Key).second)
        Line.Total += Self;
      Innermost = false;
    }
  }
  return Lines;
}

static Expected<Outcome> run() {
  SiteTable Sites;
  if (Error E = Input.addTo(Sites, {/*Histograms=*/false}))
    return E;
  Expected<Selection> Selected = Choice.select(Sites);
  if (!Selected)
    return Selected.takeError();
  Totals All = makeTotals(Sites, *Selected);
  SourceLines Lines = collect(Sites, *Selected);
  if (!FileGlob.empty()) {
    Expected<GlobPattern> Pattern = GlobPattern::create(FileGlob);
    if (!Pattern)
      return createStringError(inconvertibleErrorCode(),
                               "--file=" + FileGlob + ": " +
                                   toString(Pattern.takeError()));
    std::string Files;
    for (auto Line = Lines.begin(); Line != Lines.end();) {
      const std::string &File = Line->first.first;
      if (Files.find(File) == std::string::npos)
        Files += (Files.empty() ? "" : ", ") + File;
      Line = Pattern->match(File) ? std::next(Line) : Lines.erase(Line);
    }
    if (Lines.empty())
      return createStringError(inconvertibleErrorCode(),
                               "--file=" + FileGlob +
                                   ": expected a glob that matches one of " +
                                   Files + ", found none that does");
  }

  std::vector<SourceLines::const_iterator> Order;
  for (auto Line = Lines.begin(); Line != Lines.end(); ++Line)
    Order.push_back(Line);
  if (Sort != LineOrder::File)
    stable_sort(Order, [](auto A, auto B) {
      return Sort == LineOrder::Self ? A->second.Self > B->second.Self
                                     : A->second.Total > B->second.Total;
    });
  Table T;
  T.Columns = {TableColumn::count("hits", "hits"),
               TableColumn::time("self_ns", "self"),
               TableColumn::percent("pct_self", "% self"),
               TableColumn::time("total_ns", "total"),
               TableColumn::percent("pct_total", "% total"),
               TableColumn::text("source", "source"),
               TableColumn::text("text", "text", Shorten::KeepStart)};
  size_t Shown = Limit ? std::min<size_t>(Limit, Order.size()) : Order.size();
  const TickClock &Clock = Sites.clock();
  for (auto Line : ArrayRef(Order).take_front(Shown)) {
    const SourceLine &L = Line->second;
    std::string Place = Line->first.first;
    if (Line->first.second)
      Place += ":" + std::to_string(Line->first.second);
    T.Rows.push_back({Value::count(L.Hits), Value::timeNs(Clock.toNs(L.Self)),
                      Value::percent(All.share(L.Self)),
                      Value::timeNs(Clock.toNs(L.Total)),
                      Value::percent(All.share(L.Total)), placeValue(Place),
                      Value::text(L.Text)});
  }
  if (Error E = Output.print({{T}}))
    return E;
  return Outcome::Fine;
}

static CommandRegistration Registration(Command, run,
                                        "annotate model.tprof --limit=20");
