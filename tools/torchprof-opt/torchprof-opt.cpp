//===- torchprof-opt.cpp - put probes into TorchScript models -------------===//

#include "../common/IgnoredSignals.h"
#include "../common/Messages.h"
#include "../common/ToolSupport.h"
#include "Actions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/InitLLVM.h"

#include <cstdlib>
#include <vector>

using namespace torchprof;

static const char *Overview =
    "torchprof-opt: put timestamp probes into TorchScript models\n\n"
    "  torchprof-opt --instrument model.pt -o model_instr.pt\n"
    "  torchprof-opt --print-sites model.pt\n"
    "  torchprof-opt --strip model_instr.pt -o model.pt\n"
    "  torchprof-opt --passes=insert-probes,verify-probes graph.ir\n";

namespace {
struct Action {
  const llvm::cl::Option &Option;
  int (*Run)();
};

/// An option that only some actions have.
struct LimitedOption {
  const llvm::cl::Option &Option;
  std::vector<int (*)()> Takers;
};
} // namespace

/// An error if an option is given that the action would ignore: who asks for
/// --verify must not believe that something was compared.
static int checkOptions(const Action &Chosen) {
  const LimitedOption Limited[] = {
      {options::Output, {instrumentAction, stripAction}},
      {options::Force, {instrumentAction, stripAction}},
      {options::Verify, {instrumentAction}},
      {options::Inputs, {instrumentAction}},
      {options::Grad, {instrumentAction}},
      {options::Verbose, {instrumentAction}},
      {options::TimePasses, {instrumentAction}},
      {options::Format, {printSitesAction}},
      {options::Nodes, {instrumentAction, printSitesAction, passesAction}},
      {options::Level, {instrumentAction, printSitesAction, passesAction}},
      {options::Include, {instrumentAction, printSitesAction, passesAction}},
      {options::Exclude, {instrumentAction, printSitesAction, passesAction}},
      {options::Methods, {instrumentAction, printSitesAction}},
      {options::Libraries,
       {instrumentAction, stripAction, checkAction, printSitesAction,
        passesAction}},
      {options::MapDevice,
       {instrumentAction, stripAction, checkAction, printSitesAction}},
  };
  for (const LimitedOption &L : Limited)
    if (L.Option.getNumOccurrences() &&
        !llvm::is_contained(L.Takers, Chosen.Run))
      return reportError((L.Option.ArgStr.size() == 1 ? "-" : "--") +
                         L.Option.ArgStr + ": --" + Chosen.Option.ArgStr +
                         " has no such option");
  return ExitFine;
}

int main(int Argc, char **Argv) {
  noteIgnoredSignals();
  llvm::InitLLVM Init(Argc, Argv, /*InstallPipeSignalExitHandler=*/false);
  initTool(Argv[0], llvm::Twine("LibTorch ") + torchVersion());
  // This tool runs models to compare results, never to record.
  setenv("TORCHPROF", "off", 1);
  llvm::cl::HideUnrelatedOptions(options::Category);
  if (!parseOptions(Argc, Argv, Overview))
    return ExitInput;

  const Action Actions[] = {
      {options::Instrument, instrumentAction},
      {options::Strip, stripAction},
      {options::Check, checkAction},
      {options::PrintSites, printSitesAction},
      {options::Passes, passesAction},
      {options::ListPasses, listPassesAction},
  };
  const Action *Chosen = nullptr;
  for (const Action &A : Actions) {
    if (!A.Option.getNumOccurrences())
      continue;
    if (Chosen)
      return reportError("more than one action");
    Chosen = &A;
  }
  if (!Chosen)
    return reportError("no action, such as --instrument; see --help");
  if (int Code = checkOptions(*Chosen))
    return Code;
  if (options::Input.empty() && Chosen->Run != listPassesAction)
    return reportError("no input file");
  return Chosen->Run();
}
