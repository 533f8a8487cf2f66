//===- dynamics.cpp - moves atoms; knows nothing of torchprof -------------===//
//
// usage: dynamics POTENTIAL.pt STEPS
//
// The model maps positions (n, 3) to an energy and forces (n, 3). It takes them
// from autograd, so there must be no NoGradGuard around its calls.
// examples/python/potential.py writes such a model.
//
//===----------------------------------------------------------------------===//

#include <torch/script.h>

#include <cstdlib>
#include <iostream>

int main(int Argc, char **Argv) {
  if (Argc != 3) {
    std::cerr << "usage: dynamics POTENTIAL.pt STEPS\n";
    return 2;
  }
  try {
    torch::jit::Module Potential = torch::jit::load(Argv[1]);
    int Steps = std::atoi(Argv[2]);
    torch::Tensor Positions = 4 * torch::rand({40, 3});
    torch::Tensor Velocities = torch::zeros({40, 3});
    for (int I = 0; I < Steps; ++I) {
      auto Result = Potential.forward({Positions}).toTuple();
      Velocities += 1e-3 * Result->elements()[1].toTensor();
      Positions += 1e-3 * Velocities;
    }
    std::cout << "moved 40 atoms by " << Steps << " steps\n";
  } catch (const std::exception &Error) {
    std::cerr << "dynamics: error: " << Error.what() << '\n';
    return 2;
  }
  return 0;
}
