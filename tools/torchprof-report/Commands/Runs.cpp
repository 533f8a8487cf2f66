//===- Runs.cpp - how long the runs took ----------------------------------===//

#include "../Report/Runs.h"
#include "../Report/Loads.h"
#include "../Report/NewShapes.h"
#include "../Report/Plans.h"
#include "../Report/RunMemory.h"
#include "Command.h"
#include "Options.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace runs_command {

namespace {
cl::SubCommand Command("runs", "Print the latency of runs and what varies");
InputOptions Input(Command);
OutputOptions Output(Command);
SelectionOptions Choice(Command);
TableOptions Tables(Command);
cl::opt<unsigned>
    Last("last",
         cl::desc("Latencies of the last n runs (0: all that are kept; "
                  "default: 10, in CSV and JSON all)"),
         cl::value_desc("n"), cl::sub(Command));
cl::opt<std::string>
    Node("node",
         cl::desc("Print the first calls of the nodes of this name or key"),
         cl::value_desc("name"), cl::sub(Command));
cl::opt<unsigned>
    Limit("limit", cl::desc("Rows of the tables after the last runs (0: all)"),
          cl::value_desc("n"), cl::init(10), cl::sub(Command));
} // namespace

static unsigned lastRuns() {
  if (Last.getNumOccurrences())
    return Last;
  bool People = Output.Format == TableFormat::Table ||
                Output.Format == TableFormat::Markdown;
  return People ? 10 : 0;
}

static Expected<Outcome> run() {
  for (const cl::opt<unsigned> *Count : {&Last, &Limit})
    if (!Node.empty() && Count->getNumOccurrences())
      return createStringError(inconvertibleErrorCode(),
                               "--" + Count->ArgStr +
                                   ": not with --node, which prints all calls "
                                   "that are kept");
  SiteTable Sites;
  RunLatencies Latencies;
  LoadHistory Loads;
  PlanHistory Plans;
  RunMemory Memory;
  AddOptions Options;
  Options.Lanes = !Node.empty();
  if (Error E =
          Input.addTo(Sites, Options, [&](Profile &P, const SlotToSite &Slots) {
            Latencies.add(P, Slots);
            Loads.add(P);
            Plans.add(P, Sites, Slots);
            Memory.add(P, Slots);
          }))
    return E;
  Expected<Selection> Selected = Choice.select(Sites);
  if (!Selected)
    return Selected.takeError();
  Document D;
  if (!Node.empty()) {
    Expected<Table> Calls = makeFirstCalls(Sites, *Selected, Node);
    if (!Calls)
      return Calls.takeError();
    D.Tables.push_back(std::move(*Calls));
  } else {
    D.Tables.push_back(makeLatencyTable(Sites, *Selected, Latencies));
    D.Tables.push_back(makeLatencyHistogram(Sites, *Selected, Latencies));
    D.Tables.push_back(makeLastRuns(Sites, *Selected, Latencies, lastRuns()));
    // Where no peak is known there is no table of them.
    std::string Unknown =
        noteRunsWithoutMemory(Sites, *Selected, Memory, lastRuns());
    if (!Unknown.empty())
      D.Tables.back().Notes.push_back(Unknown);
    for (format::MemoryPlace Place : format::MemoryPlaces)
      D.Tables.push_back(
          makeRunPeaks(Sites, *Selected, Memory, Place, lastRuns()));
    D.Tables.push_back(makeLoadTable(Sites, Loads, Limit));
    D.Tables.push_back(makePlanTable(Sites, *Selected, Plans, Limit));
    D.Tables.push_back(makeNewShapes(Sites, *Selected, Latencies, Limit));
    D.Tables.push_back(makeVaryingNodes(Sites, *Selected, Limit));
    D.Tables.push_back(makeSlowFirstCalls(Sites, *Selected, Limit));
  }
  if (Error E = Tables.choose(D))
    return E;
  // An empty table says less than none.
  if (Output.Format == TableFormat::Table)
    erase_if(D.Tables, [](const Table &T) { return T.Rows.empty(); });
  if (Error E = Output.print(D))
    return E;
  return Outcome::Fine;
}

static CommandRegistration Registration(Command, run, "runs model.tprof");

} // namespace runs_command
