//===- training.cpp - trains a model; knows nothing of torchprof ----------===//
//
// usage: training MODEL.pt STEPS
//        here|worker|two-workers|backward-elsewhere|two-forwards
//
// The model maps (n, 4) to (n, 4). Everything runs on the first thread, on one
// std::thread, on two of them that train a model each, or each backward on a
// std::thread of its own; with two-forwards, two calls of the model share one
// backward. Prints the trained parameters, which must be the same however the
// process is profiled.
//
//===----------------------------------------------------------------------===//

#include <torch/optim.h>
#include <torch/script.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

static at::Tensor lossOf(torch::jit::Module &Model) {
  at::Tensor Input = torch::linspace(-1, 1, 32).reshape({8, 4});
  return torch::mse_loss(Model.forward({Input}).toTensor(), Input.abs());
}

static void train(torch::jit::Module &Model, int Steps,
                  const std::string &Way) {
  std::vector<at::Tensor> Parameters;
  for (const at::Tensor &Parameter : Model.parameters())
    Parameters.push_back(Parameter);
  torch::optim::SGD Optimizer(Parameters, 0.1);
  for (int I = 0; I < Steps; ++I) {
    Optimizer.zero_grad();
    at::Tensor Loss = lossOf(Model);
    if (Way == "two-forwards")
      Loss = Loss + lossOf(Model);
    if (Way == "backward-elsewhere")
      std::thread([&] { Loss.backward(); }).join();
    else
      Loss.backward();
    Optimizer.step();
  }
}

static torch::jit::Module trained(const std::string &Path, int Steps,
                                  const std::string &Way) {
  torch::jit::Module Model = torch::jit::load(Path);
  train(Model, Steps, Way);
  return Model;
}

int main(int Argc, char **Argv) {
  if (Argc != 4) {
    std::cerr << "usage: training MODEL.pt STEPS WAY\n";
    return 2;
  }
  std::string Path = Argv[1], Way = Argv[3];
  int Steps = std::atoi(Argv[2]);
  size_t Workers = Way == "worker" ? 1 : Way == "two-workers" ? 2 : 0;
  std::vector<torch::jit::Module> Models(std::max<size_t>(Workers, 1));
  std::vector<std::thread> Threads;
  for (size_t I = 0; I < Workers; ++I)
    Threads.emplace_back([&, I] { Models[I] = trained(Path, Steps, Way); });
  for (std::thread &Thread : Threads)
    Thread.join();
  if (Workers == 0)
    Models[0] = trained(Path, Steps, Way);
  std::cout << std::hexfloat;
  for (const torch::jit::Module &Model : Models)
    for (const at::Tensor &Parameter : Model.parameters())
      std::cout << Parameter.sum().item<float>() << '\n';
  return 0;
}
