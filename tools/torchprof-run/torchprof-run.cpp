//===- torchprof-run.cpp - run a model and record a profile ---------------===//

#include "../common/IgnoredSignals.h"
#include "../common/Messages.h"
#include "../common/OutputFile.h"
#include "../common/Printable.h"
#include "../common/RecordingSwitches.h"
#include "../common/ShowProfile.h"
#include "../common/ToolSupport.h"
#include "Compare.h"
#include "CompareBridge.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace llvm;
using namespace torchprof;

static const char *Overview =
    "torchprof-run: run a TorchScript model and record a profile\n\n"
    "  torchprof-run model.pt --input 'float[1,3,224,224]' --runs 10\n\n"
    "An input is a tensor such as float[1,3,224,224] or "
    "int64[2,16]{0:1000},\n"
    "a scalar (3, 1.5, true, 'text', None), a [list], a (tuple), a {dict},\n"
    "or @FILE.pt, a saved tensor or a tuple of all inputs. The model needs no\n"
    "probes, and the file does not change.\n";

static cl::OptionCategory Category("torchprof-run options");
static cl::opt<std::string> ModelPath(cl::Positional, cl::desc("MODEL.pt"),
                                      cl::cat(Category));
static cl::list<std::string> Inputs("input", cl::desc("An argument, in order"),
                                    cl::value_desc("spec"), cl::cat(Category));
static cl::opt<std::string> Method("method",
                                   cl::desc("Method to run (forward)"),
                                   cl::value_desc("name"), cl::init("forward"),
                                   cl::cat(Category));
static cl::opt<unsigned long long> Runs("runs", cl::desc("Recorded runs (10)"),
                                        cl::init(10), cl::value_desc("n"),
                                        cl::cat(Category));
static cl::opt<unsigned long long> Warmup("warmup",
                                          cl::desc("Runs before recording (3)"),
                                          cl::init(3), cl::value_desc("n"),
                                          cl::cat(Category));
static cl::opt<unsigned> Threads("threads", cl::desc("Intra-op threads"),
                                 cl::value_desc("n"), cl::init(0),
                                 cl::cat(Category));
static cl::opt<unsigned long long>
    Seed("seed", cl::desc("Seed of random inputs and models (0)"), cl::init(0),
         cl::value_desc("n"), cl::cat(Category));
static cl::opt<bool> Grad("grad", cl::desc("Run with gradients enabled"),
                          cl::cat(Category));
static cl::opt<bool>
    Calibrate("calibrate",
              cl::desc("Record shapes, and what the machine does at most"),
              cl::cat(Category));
static cl::opt<bool>
    Compare("compare",
            cl::desc("Record nothing: run the model as it is, frozen and\n"
                     "optimized for inference, in turns"),
            cl::cat(Category));
static cl::list<std::string>
    Libraries("load", cl::desc("Load a library that the model needs"),
              cl::Hidden, cl::value_desc("lib.so"), cl::cat(Category));
static cl::opt<std::string>
    MapDevice("map-device",
              cl::desc("Move the model and its inputs there, \"cuda\", and\n"
                       "record how long that device works"),
              cl::value_desc("device"), cl::cat(Category));
static cl::opt<std::string>
    Output("o", cl::desc("Profile to write (the model's stem + .tprof)"),
           cl::value_desc("file"), cl::cat(Category));
static cl::opt<bool>
    Force("force",
          cl::desc("Also replace files that torchprof has not written"),
          cl::cat(Category));
static cl::opt<bool> Record("record",
                            cl::desc("Then print a summary and write a page"),
                            cl::cat(Category));
static cl::opt<bool> Quiet("quiet", cl::desc("Print nothing but errors"),
                           cl::cat(Category));
static cl::opt<bool>
    PrintClock("print-clock", cl::Hidden,
               cl::desc("Print which clock probes read, and why"),
               cl::cat(Category));

// The latency of each run is kept: 8 GB for as many.
static constexpr unsigned long long MaxRuns = 1'000'000'000;
// LibTorch starts them all, each with a stack of megabytes.
static constexpr unsigned MaxThreads = 1024;

static void showProgress(uint64_t Done, const RunRequest &Request) {
  errs() << "\r\033[K";
  if (Done < Request.Warmup)
    errs() << "warm-up " << Done + 1 << " of " << Request.Warmup;
  else if (Done < Request.Warmup + Request.Runs)
    errs() << "run " << Done - Request.Warmup + 1 << " of " << Request.Runs;
}

/// The value that \p Share of the sorted latencies do not exceed (nearest
/// rank).
static uint64_t quantile(ArrayRef<uint64_t> Sorted, double Share) {
  size_t Rank = static_cast<size_t>(Share * Sorted.size() + 0.999999);
  return Sorted[std::clamp<size_t>(Rank, 1, Sorted.size()) - 1];
}

static void printLatency(StringRef Name, uint64_t Ns) {
  outs() << Name << format(" %.3f ms", static_cast<double>(Ns) / 1e6);
}

/// The name that a user typed if it leads to the file that was written.
static StringRef displayPath(StringRef Typed, StringRef Written) {
  return sys::fs::equivalent(Typed, Written) ? Typed : Written;
}

static void printSummary(std::vector<uint64_t> Latency, StringRef Path,
                         const RunResult &Result) {
  outs() << printable(ModelPath) << ": " << Latency.size()
         << (Latency.size() == 1 ? " run" : " runs");
  if (!Latency.empty()) {
    sort(Latency);
    uint64_t Sum = std::accumulate(Latency.begin(), Latency.end(), uint64_t(0));
    printLatency("; latency min", Latency.front());
    printLatency(", mean", Sum / Latency.size());
    printLatency(", p50", quantile(Latency, 0.5));
    printLatency(", p99", quantile(Latency, 0.99));
  }
  outs() << '\n';
  if (!Result.ProfilePath.empty() && !Record)
    outs() << "next: torchprof-report summary "
           << shellWord(displayPath(Path, Result.ProfilePath.c_str())) << '\n';
}

/// Says that no profile was written, and why if that can be told; returns the
/// exit code. It is an error where something is missing that was asked for.
static int endWithoutProfile() {
  std::string Reason = whyNotRecorded();
  if (Record)
    return reportError(Reason.empty()
                           ? "nothing was recorded, so there is nothing to show"
                           : "there is nothing to show: " + Reason);
  if (!Output.empty() && Runs > 0)
    return reportError(Output + ": no profile was written: " +
                       (Reason.empty() ? "nothing was recorded" : Reason));
  if (!Quiet)
    outs() << "no profile was written" << (Reason.empty() ? "" : ": ") << Reason
           << '\n';
  return ExitFine;
}

template <typename Option, typename Number>
static int checkLimit(const Option &Given, Number Limit) {
  if (Given <= Limit)
    return ExitFine;
  return reportError("--" + Given.ArgStr + ": " + Twine(Given) +
                     " is above the limit of " + Twine(Limit));
}

static int checkLimits() {
  if (int Code = checkLimit(Runs, MaxRuns))
    return Code;
  if (int Code = checkLimit(Warmup, MaxRuns))
    return Code;
  return checkLimit(Threads, MaxThreads);
}

/// Found out before the model runs, because the runtime only warns.
static int checkOutput(StringRef Path) {
  std::vector<std::string> Read = filesOfInputs(Inputs);
  append_range(Read, Libraries);
  Read.push_back(ModelPath);
  std::string Reason = whyNotWritable(Path, FileKind::Profile, Force, Read);
  return Reason.empty() ? ExitFine : reportError(Path + ": " + Reason);
}

static int loadAll(ModelHolder &Held, BeforeLoad Before = {}) {
  for (const std::string &Library : Libraries)
    if (Outcome Failed = loadLibrary(Library.c_str()))
      return reportOutcome(Library, Failed);
  const char *Device = MapDevice.empty() ? nullptr : MapDevice.c_str();
  if (Outcome Failed =
          loadModel(ModelPath.c_str(), Device, Held.receive(), Before))
    return reportOutcome(ModelPath, Failed);
  return ExitFine;
}

/// What the options ask for; \p InputTexts lives as long as the request.
static RunRequest makeRequest(const TextListHolder &InputTexts) {
  RunRequest Request;
  Request.Method = Method.c_str();
  Request.Inputs = InputTexts.get();
  Request.Warmup = Warmup;
  Request.Runs = Runs;
  Request.Threads = static_cast<int>(Threads);
  Request.Seed = Seed;
  Request.Grad = Grad;
  if (!Quiet && sys::Process::StandardErrIsDisplayed())
    Request.Progress = showProgress;
  return Request;
}

static int compare() {
  for (const cl::Option *Other : std::initializer_list<const cl::Option *>{
           &Calibrate, &Output, &Record, &Quiet})
    if (Other->getNumOccurrences())
      return reportError((Other->ArgStr.size() == 1 ? "-" : "--") +
                         Other->ArgStr +
                         ": --compare records nothing, and prints a table");
  if (Runs == 0)
    return reportError("--compare: there is nothing to compare in 0 runs");
  leaveUnprofiled();
  ModelHolder Held;
  if (int Code = loadAll(Held))
    return Code;
  TextListHolder InputTexts(Inputs);
  return compareModel(ModelPath, Held, makeRequest(InputTexts));
}

static Outcome prepare(bool OnDevice, void *Context) {
  auto &Request = *static_cast<RunRequest *>(Context);
  Request.RecordDevice =
      MapDevice.empty() ? OnDevice : !StringRef(MapDevice).startswith("cpu");
  return prepareRecording(Request);
}

static int runAndRecord(StringRef Path, std::vector<uint64_t> &Latency,
                        RunResult &Result) {
  std::string ProfilePath = Path.str();
  TextListHolder InputTexts(Inputs);
  RunRequest Request = makeRequest(InputTexts);
  Request.Calibrate = Calibrate;
  Request.ProfilePath = ProfilePath.c_str();
  Request.Latency = [](uint64_t Ns, void *Context) {
    static_cast<std::vector<uint64_t> *>(Context)->push_back(Ns);
  };
  Request.LatencyContext = &Latency;
  ModelHolder Held;
  if (int Code = loadAll(Held, {prepare, &Request}))
    return Code;
  if (Outcome Failed = runModel(Held, Request, Result))
    return reportOutcome(ModelPath, Failed);
  return ExitFine;
}

int main(int Argc, char **Argv) {
  noteIgnoredSignals();
  InitLLVM Init(Argc, Argv, /*InstallPipeSignalExitHandler=*/false);
  initTool(Argv[0], Twine("LibTorch ") + torchVersion());
  cl::HideUnrelatedOptions(Category);
  if (!parseOptions(Argc, Argv, Overview))
    return ExitInput;
  if (PrintClock) {
    outs() << runtimeClock() << '\n';
    return ExitFine;
  }
  if (ModelPath.empty())
    return reportError("no model given, such as: torchprof-run model.pt "
                       "--input 'float[1,3,224,224]'");
  std::string Path =
      Output.empty() ? (sys::path::stem(ModelPath) + ".tprof").str() : Output;
  if (int Code = checkLimits())
    return Code;
  if (Compare)
    return compare();
  if (int Code = checkOutput(Path))
    return Code;

  std::vector<uint64_t> Latency;
  RunResult Result;
  if (int Code = runAndRecord(Path, Latency, Result))
    return Code;
  if (!Quiet)
    printSummary(std::move(Latency), Path, Result);
  // The runtime has said why.
  if (Result.IsLost)
    return reportError(Path + ": cannot write the profile");
  if (Result.ProfilePath.empty())
    return endWithoutProfile();
  if (!Record)
    return ExitFine;
  std::string Self = sys::fs::getMainExecutable(
      Argv[0], reinterpret_cast<void *>(&checkLimits));
  StringRef Shown = displayPath(Path, Result.ProfilePath.c_str());
  return showProfiles(sys::path::parent_path(Self), Shown, Force);
}
