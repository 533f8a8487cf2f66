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
#include "torchprof/Passes.h"
#include "torchprof/torchprof.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace torchprof {

using namespace torch::jit;

/// Makes the runtime record what \p Request needs beside what the environment
/// asks for.
static void recordMore(const RunRequest &Request) {
  const char *Asked = getenv("TORCHPROF_RECORD");
  std::string Words = Asked ? Asked : "";
  auto Add = [&Words](const char *Word) {
    Words.append(Words.empty() ? "" : ",").append(Word);
  };
  if (Request.Calibrate)
    Add("shapes");
  if (Request.RecordDevice)
    Add("device");
  torchprof_set_option("record", Words.c_str());
}

/// The runtime's option `file` for a profile at \p Path: a percent sign in it
/// is not one of the runtime's.
static std::string patternFor(const char *Path) {
  std::string Pattern;
  for (; *Path; ++Path)
    Pattern.append(*Path == '%' ? 2 : 1, *Path);
  return Pattern;
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

/// Moves what lies at \p Path out of the way of a new profile: the runtime adds
/// a number to a name that is taken. Unless keep() is called, the part of a
/// profile that was recorded is removed and the old file comes back.
class ProfileReplacement {
public:
  explicit ProfileReplacement(const char *Path)
      : Path(Path), Aside(this->Path + ".XXXXXX.old") {
    int Descriptor = mkostemps(Aside.data(), strlen(".old"), O_CLOEXEC);
    if (Descriptor < 0)
      throw InstrumentError(this->Path + ": " + strerror(errno));
    close(Descriptor);
    HasOlder = rename(Path, Aside.c_str()) == 0;
    if (!HasOlder)
      unlink(Aside.c_str());
  }
  ProfileReplacement(const ProfileReplacement &) = delete;
  ProfileReplacement &operator=(const ProfileReplacement &) = delete;

  ~ProfileReplacement() {
    if (IsKept)
      return;
    torchprof_stop();
    if (const char *Begun = torchprof_file())
      unlink(Begun);
    if (HasOlder)
      rename(Aside.c_str(), Path.c_str());
  }

  void keep() {
    IsKept = true;
    if (HasOlder)
      unlink(Aside.c_str());
  }

private:
  std::string Path;
  std::string Aside; ///< the name of the old file meanwhile
  bool HasOlder = false;
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
      return failure(1, "--calibrate: there is not enough memory");
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
    ProfileReplacement Replacement(Request.ProfilePath);
    torchprof_start();
    for (uint64_t I = 0; I < Request.Runs; ++I) {
      Announce();
      uint64_t Ns = Calls.run();
      if (Request.Latency)
        Request.Latency(Ns, Request.LatencyContext);
    }
    Announce();
    torchprof_stop();
    torchprof_flush();
    if (const char *Path = torchprof_file())
      Result.ProfilePath = ownText(Path);
    if (!Result.ProfilePath.empty())
      Replacement.keep();
    return {};
  });
}

Outcome runModel(ModelHolder &Held, const RunRequest &Request,
                 RunResult &Result) {
  Outcome Done = runRepeatedly(Held, Request, Result);
  return Done ? explainRunError(std::move(Done), Request.Grad)
              : std::move(Done);
}

const char *runtimeClock() { return torchprof_clock(); }

} // namespace torchprof
