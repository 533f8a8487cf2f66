//===- closed.cpp - a host that may not open files after its start --------===//
//
// usage: closed MODEL.pt THREADS [fork] [snapshot] [full]
//
// Loads the model, starts threads, installs a filter with which the kernel
// kills the process when it opens a file, and runs the model a hundred times on
// each thread. Then, if asked: runs it in a child of fork, asks for a snapshot
// in descriptor
// 4. With `full` no file grows beyond 40 kB.
//
//===----------------------------------------------------------------------===//

#include <torch/script.h>

#include <barrier>
#include <clocale>
#include <cstddef>
#include <dlfcn.h>
#include <iostream>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <set>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static constexpr unsigned Opening[] = {
#ifdef SYS_open
    SYS_open, SYS_creat,
#endif
    SYS_openat, SYS_openat2};

/// For all threads, also those of LibTorch.
static bool closeDoors() {
  std::vector<sock_filter> Program;
  Program.push_back(
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  for (unsigned Call : Opening) {
    Program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, Call, 0, 1));
    Program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  }
  Program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  sock_fprog Filter{static_cast<unsigned short>(Program.size()),
                    Program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                 SECCOMP_FILTER_FLAG_TSYNC, &Filter) == 0;
}

/// LibTorch itself opens files when operators run for the first time, as does
/// the C library when a thread allocates memory for the first time.
static void warmUp() {
  torch::Tensor X = torch::ones({2, 4});
  for (const torch::Tensor &Y : {X.relu(), X.tanh(), X.neg(), X.max() > 2})
    (void)(Y.sum() > 0).item<bool>();
}

static void run(torch::jit::Module &Model) {
  torch::NoGradGuard NoGrad;
  for (int I = 0; I < 100; ++I)
    Model.forward({torch::ones({2, 4})});
}

static int runInChild(torch::jit::Module &Model) {
  pid_t Child = fork();
  if (Child == 0) {
    run(Model);
    std::exit(0);
  }
  int Status = -1;
  waitpid(Child, &Status, 0);
  return Status;
}

int main(int Argc, char **Argv) {
  std::set<std::string> Asked(Argv + std::min(3, Argc), Argv + Argc);
  setlocale(LC_ALL, ""); // messages are looked up in catalogs
  try {
    torch::jit::Module Model = torch::jit::load(Argv[1]);
    int Count = std::stoi(Argv[2]);
    std::barrier IsWarm(Count + 1), IsClosed(Count + 1);
    std::vector<std::thread> Threads;
    for (int I = 0; I < Count; ++I)
      Threads.emplace_back([&] {
        warmUp();
        IsWarm.arrive_and_wait();
        IsClosed.arrive_and_wait();
        run(Model);
      });
    warmUp();
    IsWarm.arrive_and_wait();
    if (Asked.count("full")) {
      rlimit Size{40'000, 40'000};
      setrlimit(RLIMIT_FSIZE, &Size);
    }
    if (!closeDoors()) {
      std::cerr << "closed: error: this system has no filters\n";
      _exit(2);
    }
    IsClosed.arrive_and_wait();
    for (std::thread &T : Threads)
      T.join();
    if (Asked.count("fork")) {
      int Status = runInChild(Model);
      std::cout << "child: " << Status << '\n';
    }
    if (Asked.count("snapshot")) {
      auto *Snapshot = reinterpret_cast<int (*)(const char *)>(
          dlsym(RTLD_DEFAULT, "torchprof_snapshot"));
      std::cout << "snapshot: " << Snapshot("fd:4") << ", without a name "
                << Snapshot(nullptr) << '\n';
    }
    std::cout << "served" << std::endl;
  } catch (const std::exception &Error) {
    std::cerr << "closed: error: " << Error.what() << '\n';
    return 2;
  }
  return 0;
}
