//===- regions.cpp - starts, stops, labels and copies a profile -----------===//
//
// usage: regions INSTRUMENTED.pt PROFILE.tprof
//
// With a model that is not instrumented it records its regions alone, unless it
// is started with LD_PRELOAD=$(torchprof --print-preload-path).
//
//===----------------------------------------------------------------------===//

#include <torch/script.h>
#include <torchprof/Runtime.h>

#include <cerrno>
#include <cstring>
#include <iostream>

static const torchprof::RegionName Prepare("prepare input");
static const torchprof::RegionName Serve("serve");

static void serve(torch::jit::Module &Model, int Requests) {
  for (int I = 0; I < Requests; ++I) {
    torchprof::Region Whole(Serve);
    torch::Tensor Request;
    {
      torchprof::Region Scope(Prepare);
      Request = torch::full({1, 3, 64, 64}, 0.01 * I);
    }
    Model.forward({Request});
  }
}

int main(int Argc, char **Argv) {
  if (Argc != 3) {
    std::cerr << "usage: regions INSTRUMENTED.pt PROFILE.tprof\n";
    return 2;
  }
  if (int Status = torchprof::setOption("file", Argv[2]))
    std::cerr << "regions: warning: " << Argv[2]
              << ": cannot be the profile: " << strerror(Status) << '\n';
  torchprof::stopRecording(); // nothing counts until we say so
  try {
    torch::jit::Module Model = torch::jit::load(Argv[1]);
    torch::NoGradGuard NoGrad;
    serve(Model, 3); // warm up: LibTorch optimizes in the first calls
    {
      torchprof::ScopedRecording Recording;
      serve(Model, 5);
    }
    serve(Model, 2); // not recorded either
  } catch (const std::exception &Error) {
    std::cerr << "regions: error: " << Error.what() << '\n';
    return 2;
  }
  std::string Copy = std::string(Argv[2]) + ".copy";
  int Status = torchprof_snapshot(Copy.c_str());
  if (Status == ENODATA) { // with TORCHPROF=off, say
    std::cout << "recorded nothing\n";
    return 0;
  }
  if (Status) {
    std::cerr << "regions: error: " << Copy << ": " << strerror(Status) << '\n';
    return 2;
  }
  std::cout << "recorded " << torchprof::stats().count << " spans in "
            << torchprof::profileFile() << '\n';
  return 0;
}
