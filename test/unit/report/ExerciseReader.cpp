//===- ExerciseReader.cpp - read anything, say everything -----------------===//

#include "ExerciseReader.h"
#include "../../../tools/torchprof-report/Profile/CheckProfile.h"
#include "../../../tools/torchprof-report/Profile/ProfileJson.h"
#include "../../../tools/torchprof-report/Profile/ProfileReader.h"
#include "../../../tools/torchprof-report/Report/Merge.h"
#include "../../../tools/torchprof-report/Report/ModuleTree.h"
#include "../../../tools/torchprof-report/Report/Runs.h"
#include "../../../tools/torchprof-report/Report/Summary.h"

using namespace llvm;
using namespace torchprof::report;

std::string test::exerciseReader(StringRef Bytes) {
  Expected<Profile> P =
      readProfile(MemoryBuffer::getMemBufferCopy(Bytes, "damaged.tprof"));
  if (!P)
    return toString(P.takeError());
  SiteTable Sites;
  AddOptions Adding;
  Adding.Lanes = true;
  SlotToSite Slots = Sites.add(*P, Adding);
  RunLatencies Latencies;
  Latencies.add(*P, Slots);
  Selection Everything;
  SummaryInput In(Sites, Everything);
  Document D;
  for (GroupBy Group : {GroupBy::Node, GroupBy::Kind, GroupBy::Stack,
                        GroupBy::Module, GroupBy::Thread}) {
    SummaryOptions Options;
    Options.Group = Group;
    RowColumns Columns = rowColumns({});
    for (const RowColumns::Column *C : Columns.all())
      Options.Columns.push_back(C->id().str());
    D.Tables.push_back(cantFail(makeSummary(In, Options)));
  }
  D.Tables.push_back(cantFail(makeFxTable(In, {})));
  D.Tables.push_back(cantFail(makeTorchTable(In, {})));
  D.Tables.push_back(makeLatencyTable(Sites, Everything, Latencies));
  D.Tables.push_back(makeLatencyHistogram(Sites, Everything, Latencies));
  D.Tables.push_back(makeLastRuns(Sites, Everything, Latencies, 0));
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (Sites.measured(S).Count)
      D.Tables.push_back(
          cantFail(makeFirstCalls(Sites, Everything, Sites.name(S))));
  D.Tables.push_back(makeVaryingNodes(Sites, Everything, 0));
  D.Tables.push_back(makeSlowFirstCalls(Sites, Everything, 0));
  for (TableFormat Format : {TableFormat::Table, TableFormat::Json}) {
    PrintOptions Options;
    Options.Format = Format;
    printDocument(D, Options, nulls());
  }
  makeModuleTrees(Sites, Everything);
  checkProfile(*P);
  writeProfileJson(*P, nulls());
  Merger Sum(/*Mixed=*/false);
  cantFail(Sum.add(*P));
  // Damaged sums need not fit a cell.
  consumeError(Sum.finish().takeError());
  dropFalseCells(*P);
  dropBadCells(*P);
  return std::string();
}
