//===- Loads.cpp - the files that LibTorch loaded -------------------------===//

#include "Loads.h"
#include "Events.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

void LoadHistory::add(const Profile &P) {
  TickClock Clock(P);
  for (const format::LoadEvent &E : P.Loads)
    Loads.add({std::string(format::fileOf(E)), Clock.realtimeNs(E.BeginTicks),
               Clock.steadyNs(E.BeginTicks),
               Clock.toNs(static_cast<double>(E.Ticks)),
               threadName(P, E.Thread)});
}

static const RunColumns<LoadedFile> &loadColumns() {
  using Row = LoadedFile;
  static const RunColumns<Row> Columns({
      {TableColumn::text("file", "file"), "",
       [](const Row &R, const SiteTable &) {
         return R.Name.empty() ? Value() : Value::text(R.Name);
       }},
      beganColumn<Row>(),
      timeColumn<Row>(),
      {TableColumn::text("thread", "thread"), "",
       [](const Row &R, const SiteTable &) { return Value::text(R.Thread); }},
  });
  return Columns;
}

Table report::makeLoadTable(const SiteTable &Sites, const LoadHistory &History,
                            unsigned Limit) {
  std::vector<LoadedFile> Rows = longest(History.loads(), Limit);
  Table T = makeRunTable<LoadedFile>("loads", "files that LibTorch loaded",
                                     loadColumns(), Rows, Sites);
  if (Rows.empty())
    return T;
  double Ns = 0;
  for (const LoadedFile &L : History.loads())
    Ns += L.Ns;
  T.Footer.push_back(
      countOfEvents("loads", "Loads", History.loads().size(), Rows.size()));
  T.Footer.push_back({"time_ns", "Time", Value::timeNs(Ns), Value(), ""});
  noteCounter(T, Sites, format::Counter::DroppedLoads);
  return T;
}
