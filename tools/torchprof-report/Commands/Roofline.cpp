//===- Roofline.cpp - how far nodes are from the machine's limits ---------===//

#include "Command.h"
#include "Options.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace roofline_command {

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
RoofOptions Peaks(Command);
} // namespace

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
  if (Error E = Peaks.apply(Under))
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

} // namespace roofline_command
