//===- Check.cpp - what a file is and whether it is whole -----------------===//

#include "../../common/Printable.h"
#include "../Profile/CheckProfile.h"
#include "../Profile/EnumNames.h"
#include "../Report/SiteOptions.h"
#include "../Report/SiteTable.h"
#include "Command.h"
#include "Options.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace check_command {

namespace {
cl::SubCommand Command("check", "Say what a file is and whether it is whole");
cl::opt<std::string> Input(cl::Positional, cl::Required, cl::desc("FILE.tprof"),
                           cl::sub(Command));
cl::opt<std::string> Output("o", cl::desc("Where --recover writes"),
                            cl::value_desc("file"), cl::sub(Command));
cl::opt<bool> Recover("recover",
                      cl::desc("Write what is consistent to the file of -o"),
                      cl::sub(Command));

/// Prints "label   text" lines.
class Facts {
public:
  explicit Facts(raw_ostream &OS) : OS(OS) {}
  void add(StringRef Label, const Twine &Text) {
    OS << left_justify(Label, 13) << ' ' << printable(Text.str()) << '\n';
  }

private:
  raw_ostream &OS;
};
} // namespace

static StringRef stateMeaning(const Profile &P) {
  switch (P.State) {
  case format::FileState::Open:
    return "open: the process runs, or ended without its exit handler";
  case format::FileState::Closed:
    return "closed by the process's exit handler";
  case format::FileState::Snapshot:
    return "a snapshot of a running process";
  case format::FileState::Merged:
    return "made by merge";
  }
  return "unknown";
}

static void printFacts(const Profile &P, const SiteTable &Sites,
                       raw_ostream &OS) {
  Facts F(OS);
  const format::ProcessRecord &R = P.Process;
  F.add("file", P.FileName);
  F.add("version", Twine(format::FormatVersion));
  F.add("state", stateMeaning(P));
  F.add("size", Twine(P.FileBytes) + " bytes in " + Twine(P.SegmentCount) +
                    " segments");
  F.add("process", Twine(R.Pid) + " on " + fixedText(R.Host) + ": " +
                       fixedText(R.Command));
  F.add("runtime", fixedText(R.Runtime) + ", " + fixedText(R.Framework));
  F.add("mode", R.Mode == format::RecordMode::Trace ? "trace" : "aggregate");
  if (R.Schedule[0])
    F.add("schedule", fixedText(R.Schedule));
  const TickClock &Clock = Sites.clock();
  std::string Rate;
  raw_string_ostream(Rate) << nameOf(R.Clock) << ", "
                           << llvm::format("%.6f", Clock.nsPerTick())
                           << " ns per tick, " << P.Anchors.size()
                           << " anchors, drift at most "
                           << llvm::format("%.0f", Clock.driftNs()) << " ns";
  F.add("clock", Rate);
  for (const Model &M : P.Models)
    F.add("model",
          (M.Table->ModelName.empty() ? "" : M.Table->ModelName + ", id ") +
              utohexstr(M.Table->ModelId, /*LowerCase=*/true) + ": " +
              Twine(M.Table->Sites.size()) + " sites, by " + M.Table->Producer +
              siteOptions(*M.Table));
  auto Count = [&](format::DynamicKind Kind, StringRef Text) {
    if (auto N = count_if(P.DynamicSites,
                          [&](const DynamicSite &D) { return D.Kind == Kind; }))
      F.add((Text + (Text.endswith("s") ? "" : "s")).str(), Twine(N));
  };
#define TORCHPROF_DYNAMIC_KIND(NAME, NUMBER, TEXT, SPANS, MEANING)             \
  Count(format::DynamicKind::NAME, TEXT);
#include "torchprof/format/DynamicKinds.def"
  for (const Lane &L : P.Lanes) {
    size_t Cells = 0, Runs = 0;
    uint64_t Events = 0, Dropped = 0;
    for (ArrayRef<format::Cell> C : L.Cells)
      Cells += C.size();
    for (const RunRing &Ring : L.Runs)
      Runs += Ring.Samples.size();
    for (const TraceBuffer &T : L.Traces) {
      Events += T.Events.size();
      Dropped += T.dropped();
    }
    std::string Text = L.name() + ": " + utostr(Cells) + " cells, " +
                       utostr(Runs) + " kept runs";
    if (!L.Traces.empty())
      Text += ", " + utostr(Events) + " events, " + utostr(Dropped) +
              " events dropped";
    // In the order of the file, where each has a segment for some slots.
    MapVector<StringRef, size_t> Measures;
    for (const MeasureCells &M : L.Measures)
      Measures[M.Name] += M.Cells.size();
    for (const auto &[Name, Count] : Measures)
      Text += ", " + utostr(Count) + " cells of " + Name.str();
    size_t Variants = 0;
    for (ArrayRef<format::VariantCell> C : L.Variants)
      Variants += C.size();
    if (Variants)
      Text += ", " + utostr(Variants) + " cells of signatures";
    F.add("thread", Text);
  }
}

/// Where each thread was when it stopped.
static void printInFlight(const Profile &P, const SiteTable &Sites,
                          const SlotToSite &Slots, raw_ostream &OS) {
  Facts F(OS);
  for (const Lane &L : P.Lanes) {
    uint32_t S = Slots[L.CurrentSlot];
    if (S == NoIndex)
      continue;
    std::string Module = Sites.modulePath(S);
    F.add("in flight", L.name() + ": " + Sites.kind(S) + " " + Sites.name(S) +
                           (Module.empty() ? "" : " in " + Module) + " (" +
                           Sites.source(S) + ")");
  }
}

static void printLosses(const Profile &P, raw_ostream &OS) {
  Facts F(OS);
  for (unsigned I = 0; I < format::CounterCapacity; ++I)
    if (P.Process.Counters[I])
      F.add(counterName(I), " " + Twine(P.Process.Counters[I]));
}

static Expected<Outcome> run() {
  if (Recover && Output.empty())
    return createStringError(inconvertibleErrorCode(),
                             "--recover needs a file to write: -o OUT");
  if (!Recover && !Output.empty())
    return createStringError(inconvertibleErrorCode(),
                             "-o is only for --recover");
  Expected<Profile> P = loadWithWarnings(Input, nullptr, FalseNumbers::Kept);
  if (!P)
    return P.takeError();
  SiteTable Sites;
  SlotToSite Slots = Sites.addSites(*P);
  printFacts(*P, Sites, outs());
  printInFlight(*P, Sites, Slots, outs());
  printLosses(*P, outs());
  std::vector<std::string> Findings = checkProfile(*P);
  for (const std::string &Text : Findings)
    outs() << "finding: " << printable(Text) << '\n';
  bool Whole = Findings.empty() && !P->Damaged;
  outs() << (Whole ? "the file is whole\n" : "the file is not whole\n");
  if (Recover) {
    size_t Dropped = dropBadCells(*P);
    if (Error E = writeProfileTo(Output, *P))
      return E;
    outs() << "wrote " << printable(Output) << ", left out " << Dropped
           << " cells\n";
  }
  return Whole ? Outcome::Fine : Outcome::Finding;
}

static CommandRegistration Registration(Command, run, "check model.tprof");

} // namespace check_command
