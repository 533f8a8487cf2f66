//===- Advise.cpp - what the figures show, and what to try ----------------===//

#include "../Report/Advice.h"
#include "Command.h"
#include "Options.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {
cl::SubCommand Command("advise", "Say what costs time needlessly, as far as a "
                                 "profile shows it");
InputOptions Input(Command);
OutputOptions Output(Command);
SelectionOptions Choice(Command);
RoofOptions Peaks(Command);
cl::opt<double> MinPercent("min-pct",
                           cl::desc("Say nothing of less than this share (2)"),
                           cl::value_desc("percent"), cl::init(AdvicePercent),
                           cl::sub(Command));
} // namespace

static Expected<Outcome> run() {
  SiteTable Sites;
  Roof Under;
  if (Error E = Input.addTo(
          Sites, {}, [&](Profile &P, const SlotToSite &) { Under.raise(P); }))
    return E;
  if (Error E = Peaks.apply(Under))
    return E;
  Expected<Selection> Selected = Choice.select(Sites);
  if (!Selected)
    return Selected.takeError();
  Table T = makeAdvice(Sites, *Selected, Under, MinPercent);
  if (!Sites.hasVariants())
    T.Notes.push_back("note: shapes were not recorded; with "
                      "TORCHPROF_RECORD=shapes there may be more to say");
  else if (!Under.isKnown())
    T.Notes.push_back(
        "note: what the machine does at most was not measured; "
        "with --calibrate when recording, or --peak-gflops and --peak-gbytes, "
        "there may be more to say");
  if (Error E = Output.print({{std::move(T)}}))
    return E;
  return Outcome::Fine;
}

static CommandRegistration Registration(Command, run, "advise model.tprof");
