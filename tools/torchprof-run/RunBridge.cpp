//===- RunBridge.cpp - run a model and record it --------------------------===//
//
// The tool is linked with libtorchprof_attach, whose hooks are in place before
// a model is loaded: nothing is put into the model.
//
//===----------------------------------------------------------------------===//

#include "RunBridge.h"

#include "Repeater.h"

#include "../common/ModelInputs.h"
#include "../common/TorchModel.h"
#include "torchprof/torchprof.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

namespace torchprof {

using namespace torch::jit;

/// Makes the runtime record what \p Request needs beside what the environment
/// asks for.
static void recordMore(const RunRequest &Request) {
  std::string More = Request.Calibrate ? "shapes" : "";
  if (Request.RecordDevice)
    More += More.empty() ? "device" : ",device";
  if (More.empty())
    return;
  const char *Asked = getenv("TORCHPROF_RECORD");
  std::string All = Asked ? Asked : "";
  if (!All.empty() && !All.ends_with(',')) // a list may end with one
    All += ',';
  // The runtime has refused what the environment asks for, and said so.
  if (torchprof_set_option("record", (All + More).c_str()) != 0)
    torchprof_set_option("record", More.c_str());
}

/// The runtime's option `file` for a profile at \p Path. One that lies there
/// stays until the new one is complete, whatever ends the process: the new one
/// has the number that the runtime gives the profile itself in its name, 0, and
/// a further one where an earlier run has left its part. The names of snapshots
/// are what they are anyway.
static std::string patternFor(const char *Path) {
  std::string Pattern;
  for (const char *C = Path; *C; ++C) // a percent sign is not the runtime's
    Pattern.append(*C == '%' ? 2 : 1, *C);
  struct stat Older;
  if (lstat(Path, &Older) != 0)
    return Pattern;
  std::filesystem::path Name(Pattern);
  Name.replace_extension(".%s" + Name.extension().string());
  return Name.string();
}

Outcome prepareRecording(const RunRequest &Request) {
  return guarded([&]() -> Outcome {
    std::string File = patternFor(Request.ProfilePath);
    if (torchprof_set_option("file", File.c_str()) != 0)
      return failure(2, "TORCHPROF_OPEN=early has made the profile already; "
                        "leave it out");
    recordMore(Request);
    torchprof_stop();
    return {};
  });
}

namespace {

/// The profile that is being recorded. Unless keep() is called, the part of it
/// that there is by then is removed.
class NewProfile {
public:
  NewProfile() = default;
  NewProfile(const NewProfile &) = delete;
  NewProfile &operator=(const NewProfile &) = delete;

  ~NewProfile() {
    if (IsKept)
      return;
    torchprof_stop();
    if (const char *Begun = torchprof_file())
      unlink(Begun);
  }

  /// Moves it to \p Path and returns where it is then, "" if there is none.
  std::string keep(const char *Path) {
    IsKept = true;
    const char *Written = torchprof_file();
    if (!Written)
      return "";
    return rename(Written, Path) == 0 ? Path : Written;
  }

private:
  bool IsKept = false;
};

} // namespace

static Outcome runRepeatedly(ModelHolder &Held, const RunRequest &Request,
                             RunResult &Result) {
  return guarded([&]() -> Outcome {
    const Model &Of = *Held.get();
    Method M = findRunnable(Of.Root, Request.Method);
    if (Request.Threads > 0)
      at::set_num_threads(Request.Threads);
    if (Request.Calibrate && torchprof_calibrate(0.5) != 0)
      return failure(2, "--calibrate: there is not enough memory");
    at::manual_seed(Request.Seed);
    Repeater Calls(
        M, makeInputs(M.function().getSchema(), Request.Inputs, Of.On), Of.On);
    c10::AutoGradMode Mode(Request.Grad);
    uint64_t Done = 0;
    auto Announce = [&] {
      if (Request.Progress)
        Request.Progress(Done++, Request);
    };
    for (uint64_t I = 0; I < Request.Warmup; ++I) {
      Announce();
      Calls.run();
    }
    NewProfile Profile;
    torchprof_start();
    for (uint64_t I = 0; I < Request.Runs; ++I) {
      Announce();
      uint64_t Ns = Calls.run();
      if (Request.Latency)
        Request.Latency(Ns, Request.LatencyContext);
    }
    Announce();
    torchprof_stop();
    Result.IsLost = torchprof_flush() != 0;
    if (!Result.IsLost)
      Result.ProfilePath = ownText(Profile.keep(Request.ProfilePath));
    return {};
  });
}

Outcome runModel(ModelHolder &Held, const RunRequest &Request,
                 RunResult &Result) {
  Outcome Done = runRepeatedly(Held, Request, Result);
  return Done ? endWithError(std::move(Done), Request) : std::move(Done);
}

const char *runtimeClock() { return torchprof_clock(); }

} // namespace torchprof
