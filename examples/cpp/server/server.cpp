//===- server.cpp - serves a model; knows nothing of torchprof ------------===//
//
// usage: server MODEL.pt REQUESTS
//
// Give it an instrumented model and it leaves a profile, torchprof-PID.tprof.
//
//===----------------------------------------------------------------------===//

#include <torch/script.h>

#include <cstdlib>
#include <iostream>

int main(int Argc, char **Argv) {
  if (Argc != 3) {
    std::cerr << "usage: server MODEL.pt REQUESTS\n";
    return 2;
  }
  try {
    torch::jit::Module Model = torch::jit::load(Argv[1]);
    torch::NoGradGuard NoGrad;
    double Sum = 0;
    int Requests = std::atoi(Argv[2]);
    for (int I = 0; I < Requests; ++I) {
      torch::Tensor Request = torch::full({1, 3, 64, 64}, 0.01 * I);
      Sum += Model.forward({Request}).toTensor().sum().item<double>();
    }
    std::cout << "served " << Requests << " requests, sum " << Sum << '\n';
  } catch (const std::exception &Error) {
    std::cerr << "server: error: " << Error.what() << '\n';
    return 2;
  }
  return 0;
}
