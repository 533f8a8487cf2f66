//===- Roofline.cpp - how far nodes are from the machine's limits ---------===//

#include "../Report/Roofline.h"
#include "Command.h"
#include "Options.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {
cl::SubCommand Command("roofline",
                       "Print how far nodes are from the machine's limits");
InputOptions Input(Command);
OutputOptions Output(Command);
SelectionOptions Choice(Command);
ColumnOptions Columns(Command);
cl::opt<bool> ByKind("kinds", cl::desc("A row per operator, not per node"),
                     cl::sub(Command));
cl::opt<unsigned> Limit("limit", cl::desc("Print at most n rows (0: all)"),
                        cl::value_desc("n"), cl::init(20), cl::sub(Command));
cl::opt<double> PeakGflops("peak-gflops",
                           cl::desc("What the machine computes at most"),
                           cl::value_desc("GFLOP/s"), cl::sub(Command));
cl::opt<double> PeakGbytes("peak-gbytes",
                           cl::desc("What its memory moves at most"),
                           cl::value_desc("GB/s"), cl::sub(Command));
} // namespace

/// Checks an option that takes the place of what was measured.
static Error override(const cl::opt<double> &Option, double &Peak, Roof &R) {
  if (!Option.getNumOccurrences())
    return Error::success();
  if (!(Option > 0 && Option < 1e9))
    return createStringError(inconvertibleErrorCode(),
                             "--" + Option.ArgStr +
                                 ": expected a number above 0");
  Peak = Option * 1e9;
  R.Source = "as told";
  return Error::success();
}

static Expected<Outcome> run() {
  if (Columns.List) {
    if (Error E = Output.print({{rooflineColumns()}}))
      return E;
    return Outcome::Fine;
  }
  SiteTable Sites;
  Roof Under;
  std::string Name;
  if (Error E = Input.addTo(Sites, {/*Histograms=*/false},
                            [&](Profile &P, const SlotToSite &) {
                              Name = P.FileName;
                              Under.raise(P);
                            }))
    return E;
  if (Error E = override(PeakGflops, Under.FlopsPerSecond, Under))
    return E;
  if (Error E = override(PeakGbytes, Under.BytesPerSecond, Under))
    return E;
  if (!Sites.hasVariants())
    return createStringError(inconvertibleErrorCode(),
                             Name + ": shapes were not recorded; "
                                    "TORCHPROF_RECORD=shapes records them");
  if (!Under.isKnown())
    return createStringError(inconvertibleErrorCode(),
                             Name + ": " + RoofMissing +
                                 ", or pass --peak-gflops and --peak-gbytes");
  Expected<Selection> Selected = Choice.select(Sites);
  if (!Selected)
    return Selected.takeError();
  Expected<Table> T =
      makeRoofline(Sites, *Selected, Under, {Limit, ByKind, Columns.ids({})});
  if (!T)
    return T.takeError();
  if (Error E = Output.print({{std::move(*T)}}))
    return E;
  return Outcome::Fine;
}

static CommandRegistration Registration(Command, run, "roofline model.tprof");
