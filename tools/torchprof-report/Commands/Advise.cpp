//===- Advise.cpp - what the figures show, and what to try ----------------===//

#include "../Report/Advice.h"
#include "Command.h"
#include "Options.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace advise_command {

namespace {
cl::SubCommand Command("advise", "Say what costs time needlessly, as far as a "
                                 "profile shows it");
InputOptions Input(Command);
OutputOptions Output(Command);
SelectionOptions Choice(Command);
RoofOptions Peaks(Command);
LeastShareOption MinPercent(Command, "Say nothing of less than this share (2)");
} // namespace

/// What rules look at that the runtime was not told to record.
static void noteUnrecorded(Table &T, const SiteTable &Sites) {
  std::vector<StringRef> Switches, Words;
  if (!Sites.hasVariants()) {
    Switches.push_back("shapes");
    Words.push_back("shapes");
  }
  if (!numberOf(Sites.measures(), "cpu")) {
    Switches.push_back("cpu");
    Words.push_back("CPU time");
  }
  if (Words.empty())
    return;
  bool IsOne = Words.size() == 1 && Words.front() == "CPU time";
  T.Notes.push_back(
      "note: " + join(Words, " and ") + (IsOne ? " was" : " were") +
      " not recorded; with TORCHPROF_RECORD=" + join(Switches, ",") +
      " there may be more to say");
}

static Expected<Outcome> run() {
  Expected<Optional<double>> LeastShare = MinPercent.percent();
  if (!LeastShare)
    return LeastShare.takeError();
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
  Table T = makeAdvice(Sites, *Selected, Under,
                       LeastShare->getValueOr(AdvicePercent));
  noteUnrecorded(T, Sites);
  if (Sites.hasVariants() && !Under.isKnown())
    T.Notes.push_back(
        "note: what the machine does at most was not measured; "
        "with --calibrate when recording, or --peak-gflops and --peak-gbytes, "
        "there may be more to say");
  if (Error E = Output.print({{std::move(T)}}))
    return E;
  return Outcome::Fine;
}

static CommandRegistration Registration(Command, run, "advise model.tprof");

} // namespace advise_command
