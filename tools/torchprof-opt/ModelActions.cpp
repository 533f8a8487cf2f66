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

#include <deque>

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

namespace {

/// A --verify; its arguments are the --input options before the next one.
class VerifiedCall {
public:
  explicit VerifiedCall(unsigned Number)
      : Texts(inputsOf(Number)), Inputs(Texts) {
    if (!options::Verify[Number].empty())
      Request.Method = options::Verify[Number].c_str();
    Request.Inputs = Inputs.get();
    Request.Grad = options::Grad;
  }
  VerifiedCall(const VerifiedCall &) = delete; // Request points into the rest
  VerifiedCall &operator=(const VerifiedCall &) = delete;

private:
  static std::vector<std::string> inputsOf(unsigned Number) {
    unsigned Start = options::Verify.getPosition(Number);
    unsigned End = Number + 1 < options::Verify.size()
                       ? options::Verify.getPosition(Number + 1)
                       : UINT_MAX;
    std::vector<std::string> Texts;
    for (unsigned I = 0; I < options::Inputs.size(); ++I)
      if (unsigned At = options::Inputs.getPosition(I); At > Start && At < End)
        Texts.push_back(options::Inputs[I]);
    return Texts;
  }

  std::vector<std::string> Texts;
  TextListHolder Inputs;

public:
  CallRequest Request;
};

} // namespace

/// For every --verify, calls the input and the written file.
static int verifyOutput(const OutputFile &Output, CallCounts &Counts) {
  if (options::Verify.empty())
    return ExitFine;
  ModelHolder Original, Instrumented;
  if (int Code = load(options::Input, Original))
    return Code;
  if (int Code = load(Output.temporaryPath(), Instrumented))
    return Code;
  std::deque<VerifiedCall> Calls;
  for (unsigned I = 0; I < options::Verify.size(); ++I)
    Calls.emplace_back(I);
  for (Optimizing Stage : {Optimizing::Off, Optimizing::On})
    for (VerifiedCall &Call : Calls)
      if (Outcome Failed = verifyCall(*Original.get(), *Instrumented.get(),
                                      Call.Request, Stage))
        return reportOutcome(options::Input, Failed);
  for (const VerifiedCall &Call : Calls) {
    Counts.WithGrad += Call.Request.HasGradients;
    Counts.BackwardFailed += Call.Request.BackwardFailed;
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
