//===- ModelActions.cpp - torchprof-opt on .pt files ----------------------===//

#include "../common/Messages.h"
#include "../common/OutputFile.h"
#include "../common/Printable.h"
#include "../common/ToolSupport.h"
#include "Actions.h"
#include "RequestHolder.h"
#include "VerifyBridge.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace torchprof {

using llvm::outs;
using llvm::StringRef;

/// Reports a failure of what reads the input and writes the output.
static int reportFailure(const Outcome &Failed) {
  return reportOutcome(Failed.IsOfOutput ? options::Output : options::Input,
                       Failed);
}

static int load(StringRef Path, ModelHolder &Held) {
  const char *Device =
      options::MapDevice.empty() ? nullptr : options::MapDevice.c_str();
  if (Outcome Failed = loadModel(Path.str().c_str(), Device, Held.receive()))
    return reportOutcome(options::Input, Failed);
  return ExitFine;
}

int loadLibraries() {
  for (const std::string &Library : options::Libraries)
    if (Outcome Failed = loadLibrary(Library.c_str()))
      return reportOutcome(Library, Failed);
  return ExitFine;
}

/// Loads the libraries and the model; returns the exit code.
static int loadInput(ModelHolder &Held) {
  if (int Code = loadLibraries())
    return Code;
  return load(options::Input, Held);
}

/// How many of the calls that were verified are so.
struct CallCounts {
  unsigned WithGrad = 0;
  unsigned BackwardFailed = 0; ///< their outputs cannot be differentiated
};

/// For every --verify, loads and calls the input and the written file. The
/// arguments of a call are the --input options before the next --verify.
static int verifyOutput(const OutputFile &Output, CallCounts &Counts) {
  ModelHolder Original, Instrumented;
  for (unsigned I = 0; I < options::Verify.size(); ++I) {
    unsigned Start = options::Verify.getPosition(I);
    unsigned End = I + 1 < options::Verify.size()
                       ? options::Verify.getPosition(I + 1)
                       : UINT_MAX;
    std::vector<std::string> Texts;
    for (unsigned J = 0; J < options::Inputs.size(); ++J)
      if (unsigned At = options::Inputs.getPosition(J); At > Start && At < End)
        Texts.push_back(options::Inputs[J]);
    TextListHolder Inputs(Texts);
    CallRequest Call;
    if (!options::Verify[I].empty())
      Call.Method = options::Verify[I].c_str();
    Call.Inputs = Inputs.get();
    Call.Grad = options::Grad;
    if (!Original.get())
      if (int Code = load(options::Input, Original))
        return Code;
    if (!Instrumented.get())
      if (int Code = load(Output.temporaryPath(), Instrumented))
        return Code;
    if (Outcome Failed = verifyCall(*Original.get(), *Instrumented.get(), Call))
      return reportOutcome(options::Input, Failed);
    Counts.WithGrad += Call.HasGradients;
    Counts.BackwardFailed += Call.BackwardFailed;
  }
  return ExitFine;
}

static int openOutput(OutputFile &Output) {
  if (!options::Inputs.empty() &&
      (options::Verify.empty() ||
       options::Inputs.getPosition(0) < options::Verify.getPosition(0)))
    return reportError("--input needs a --verify before it");
  if (options::Verify.empty() && options::Grad)
    return reportError("--grad needs a --verify");
  if (options::Output.empty())
    return reportError("no output given; name it with -o FILE");
  std::vector<std::string> Read = filesOfInputs(options::Inputs);
  llvm::append_range(Read, options::Libraries);
  Read.push_back(options::Input);
  std::string Error =
      whyNotWritable(options::Output, FileKind::Model, options::Force, Read);
  if (Error.empty())
    Error = Output.open(options::Output);
  if (!Error.empty())
    return reportError(options::Output + ": " + Error);
  return ExitFine;
}

/// Loads the input, calls \p Write to fill the output's temporary file, and
/// keeps that file on success.
static int
rewriteInput(llvm::function_ref<int(Model &, const OutputFile &)> Write) {
  ModelHolder Held;
  if (int Code = loadInput(Held))
    return Code;
  OutputFile Output;
  if (int Code = openOutput(Output))
    return Code;
  if (int Code = Write(*Held.get(), Output))
    return Code;
  if (std::string Error = Output.keep(); !Error.empty())
    return reportError(options::Output + ": " + Error);
  return ExitFine;
}

static void printReport(const InstrumentReport &Report,
                        const CallCounts &Counts) {
  outs() << printable(options::Output) << ": " << Report.Sites << " sites in "
         << Report.Methods << (Report.Methods == 1 ? " method, " : " methods, ")
         << Report.Nodes << " nodes seen";
  if (!Report.Skipped.empty())
    outs() << "; skipped: " << Report.Skipped.c_str();
  if (Report.Vanished)
    outs() << "; " << Report.Vanished << " vanished when loaded";
  if (!options::Verify.empty())
    outs() << "; verified " << options::Verify.size()
           << (options::Verify.size() == 1 ? " call" : " calls");
  if (Counts.WithGrad)
    outs() << ", " << Counts.WithGrad << " with gradients";
  if (Counts.BackwardFailed)
    outs() << ", " << Counts.BackwardFailed
           << " whose outputs cannot be differentiated";
  outs() << '\n';
  if (options::Verbose && !Report.SkippedNodes.empty())
    outs() << printable(Report.SkippedNodes.c_str(), /*KeepLines=*/true)
           << '\n';
}

int instrumentAction() {
  InstrumentReport Report;
  CallCounts Counts;
  int Code = rewriteInput([&](Model &M, const OutputFile &Output) -> int {
    RequestHolder Request;
    if (Outcome Failed = instrumentToFile(
            M, Request.get(), Output.temporaryPath().c_str(), Report))
      return reportFailure(Failed);
    return verifyOutput(Output, Counts);
  });
  if (Code)
    return Code;
  if (options::TimePasses)
    llvm::errs() << Report.Times.c_str();
  if (!options::Quiet)
    printReport(Report, Counts);
  return ExitFine;
}

int stripAction() {
  uint64_t Methods = 0;
  int Code = rewriteInput([&](Model &M, const OutputFile &Output) -> int {
    if (Outcome Failed =
            stripToFile(M, Output.temporaryPath().c_str(), Methods))
      return reportFailure(Failed);
    return ExitFine;
  });
  if (Code)
    return Code;
  if (!options::Quiet)
    outs() << printable(options::Output) << ": " << Methods
           << (Methods == 1 ? " method" : " methods") << " restored\n";
  return ExitFine;
}

int checkAction() {
  ModelHolder Held;
  if (int Code = loadInput(Held))
    return Code;
  uint64_t Sites = 0;
  if (Outcome Failed = checkModel(*Held.get(), Sites))
    return reportOutcome(options::Input, Failed);
  if (!options::Quiet)
    outs() << printable(options::Input) << ": " << Sites
           << (Sites == 1 ? " site" : " sites")
           << ", probes and manifest agree\n";
  return ExitFine;
}

int printSitesAction() {
  ModelHolder Held;
  if (int Code = loadInput(Held))
    return Code;
  OwnedText Text;
  RequestHolder Request;
  bool Json = options::Format == options::FormatValue::Json;
  if (Outcome Failed = printModelSites(*Held.get(), Request.get(), Json, Text))
    return reportOutcome(options::Input, Failed);
  outs() << (Json ? std::string(Text.c_str())
                  : printable(Text.c_str(), /*KeepLines=*/true));
  return ExitFine;
}

} // namespace torchprof
