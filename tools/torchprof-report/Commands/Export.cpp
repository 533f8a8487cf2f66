//===- Export.cpp - profiles in the formats of other viewers --------------===//

#include "../Exporters/Exporter.h"
#include "Command.h"
#include "Options.h"

#include "llvm/ADT/StringExtras.h"

#include <unistd.h>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace export_command {

namespace {
cl::SubCommand Command("export", "Write a file that another viewer opens");
InputOptions Input(Command);
cl::opt<std::string> Output("o", cl::desc("Write to this file, not to stdout"),
                            cl::value_desc("file"), cl::init("-"),
                            cl::sub(Command));
SelectionOptions Choice(Command);
RoofOptions Peaks(Command);
cl::opt<std::string> To("to", cl::desc("Format; --to=help lists them"),
                        cl::value_desc("format"), cl::Required,
                        cl::sub(Command));
cl::opt<Weight> StackWeight(
    "weight", cl::desc("What the width of a stack stands for"),
    cl::init(Weight::SelfNs), cl::sub(Command),
    cl::values(
        clEnumValN(Weight::SelfNs, weightName(Weight::SelfNs), "self time"),
        clEnumValN(Weight::Calls, weightName(Weight::Calls), "number of calls"),
        clEnumValN(Weight::DeviceNs, weightName(Weight::DeviceNs),
                   "self time on the device")));
cl::opt<bool> FromAggregate(
    "from-aggregate",
    cl::desc("Make up a timeline of one run of mean times; needs no trace"),
    cl::sub(Command));
cl::opt<std::string> Title("title", cl::desc("Name of what was profiled"),
                           cl::value_desc("text"), cl::sub(Command));
} // namespace

static void listExporters() {
  for (const Exporter &E : allExporters())
    outs() << left_justify(E.Name, 12) << E.Help << '\n';
}

/// An error if something was asked for that \p E has no use for.
static Error checkOptions(const Exporter &E) {
  struct {
    const cl::Option &Option;
    ExportOption Kind;
  } Limited[] = {{StackWeight, HasWeight},
                 {Title, HasTitle},
                 {FromAggregate, HasAggregate},
                 {Peaks.Gflops, HasPeaks},
                 {Peaks.Gbytes, HasPeaks}};
  for (const auto &[Option, Kind] : Limited)
    if (Option.getNumOccurrences() && !(E.Options & Kind))
      return createStringError(inconvertibleErrorCode(),
                               "--" + Option.ArgStr + ": --to=" + E.Name +
                                   " has no such option");
  return Error::success();
}

static Expected<Outcome> run() {
  if (To == "help") {
    listExporters();
    return Outcome::Fine;
  }
  Expected<Exporter> E = findExporter(To);
  if (!E)
    return E.takeError();
  if (Error Failure = checkOptions(*E))
    return Failure;
  if (!E->Text && Output == "-" && isatty(STDOUT_FILENO))
    return createStringError(inconvertibleErrorCode(),
                             "--to=" + To +
                                 " writes bytes, not text, and not to a "
                                 "terminal: give it a file with -o FILE");
  SiteTable Sites;
  RunLatencies Runs;
  Roof Under;
  Optional<Profile> Single;
  SlotToSite SlotsOfSingle;
  AddOptions Options;
  Options.Operators = E->Operators;
  if (Error Failure =
          Input.addTo(Sites, Options, [&](Profile &P, const SlotToSite &Slots) {
            Runs.add(P, Slots);
            Under.raise(P);
            if (Input.Files.size() == 1) {
              Single = std::move(P);
              SlotsOfSingle = Slots;
            }
          }))
    return Failure;
  if (Error Failure = Peaks.apply(Under))
    return Failure;
  Expected<Selection> Selected = Choice.select(Sites);
  if (!Selected)
    return Selected.takeError();
  if (StackWeight == Weight::DeviceNs && !numberOf(Sites.measures(), "device"))
    return createStringError(inconvertibleErrorCode(),
                             Input.Files.front() +
                                 ": no device time in this profile; record it "
                                 "with TORCHPROF_RECORD=device");
  ExportInput In = {Sites, *Selected, Runs, makeTotals(Sites, *Selected)};
  In.Single = Single ? &*Single : nullptr;
  In.SlotsOfSingle = &SlotsOfSingle;
  In.Under = Under;
  In.StackWeight = StackWeight;
  In.FromAggregate = FromAggregate;
  In.Title = Title;
  if (In.Title.empty()) {
    In.Title = Input.Files.front();
    if (Input.Files.size() > 1)
      In.Title += " and " + utostr(Input.Files.size() - 1) + " more";
  }
  if (Error Failure = writeOutput(
          Output, [&](raw_ostream &OS) { return E->Write(In, OS); }))
    return Failure;
  return Outcome::Fine;
}

static CommandRegistration
    Registration(Command, run, "export --to=html model.tprof -o model.html");

} // namespace export_command
