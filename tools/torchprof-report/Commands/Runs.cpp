//===- Runs.cpp - how long the runs took ----------------------------------===//

#include "../Report/Runs.h"
#include "Command.h"
#include "Options.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {
cl::SubCommand Command("runs", "Print the latency of runs and what varies");
InputOptions Input(Command);
OutputOptions Output(Command);
SelectionOptions Choice(Command);
cl::opt<unsigned> Last("last", cl::desc("Latencies of the last n runs"),
                       cl::value_desc("n"), cl::init(10), cl::sub(Command));
cl::opt<unsigned> Limit("limit",
                        cl::desc("Rows of the tables of nodes (0: all)"),
                        cl::value_desc("n"), cl::init(10), cl::sub(Command));
} // namespace

static Expected<Outcome> run() {
  SiteTable Sites;
  RunLatencies Latencies;
  if (Error E =
          Input.addTo(Sites, {}, [&](Profile &P) { Latencies.add(P, Sites); }))
    return E;
  Expected<Selection> Selected = Choice.select(Sites);
  if (!Selected)
    return Selected.takeError();
  Document D;
  D.Tables.push_back(makeLatencyTable(Sites, Latencies));
  D.Tables.push_back(makeLatencyHistogram(Sites));
  if (Last)
    D.Tables.push_back(makeLastRuns(Sites, Latencies, Last));
  D.Tables.push_back(makeVaryingNodes(Sites, *Selected, Limit));
  D.Tables.push_back(makeSlowFirstCalls(Sites, *Selected, Limit));
  // An empty table says less than none.
  if (Output.Format == TableFormat::Table)
    erase_if(D.Tables, [](const Table &T) { return T.Rows.empty(); });
  if (Error E = Output.print(D))
    return E;
  return Outcome::Fine;
}

static CommandRegistration Registration(Command, run, "runs model.tprof");
