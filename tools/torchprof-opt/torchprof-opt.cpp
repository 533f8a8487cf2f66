//===- torchprof-opt.cpp - put probes into TorchScript models -------------===//

#include "../common/ToolSupport.h"
#include "Actions.h"

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

int main(int Argc, char **Argv) {
  llvm::InitLLVM Init(Argc, Argv);
  initTool(Argv[0]);
  // This tool runs models to compare results, never to record.
  setenv("TORCHPROF", "off", 1);
  llvm::cl::HideUnrelatedOptions(options::Category);
  if (!parseOptions(Argc, Argv, Overview))
    return ExitInput;

  struct Action {
    bool Chosen;
    int (*Run)();
  };
  const std::vector<Action> Actions = {
      {options::Instrument, instrumentAction},
      {options::Strip, stripAction},
      {options::Check, checkAction},
      {options::PrintSites, printSitesAction},
      {options::Passes.getNumOccurrences() > 0, passesAction},
      {options::ListPasses, listPassesAction},
  };
  int (*Run)() = nullptr;
  for (const Action &A : Actions) {
    if (!A.Chosen)
      continue;
    if (Run)
      return reportError("more than one action");
    Run = A.Run;
  }
  if (!Run)
    return reportError("no action, such as --instrument; see --help");
  if (options::Input.empty() && Run != listPassesAction)
    return reportError("no input file");
  return Run();
}
