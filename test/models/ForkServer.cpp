//===- ForkServer.cpp - run a program many times, start it once -----------===//
//
// Starting a program with LibTorch takes more than half a second, nearly all of
// it before main(). Preloaded into such a program, this library stops it there
// and then forks it for every request on stdin:
//
//   a line with the number of lines that follow: a file for stdout and stderr,
//   "leave" or "destroy", and the arguments
//
// Each child calls the program's own main() with these arguments, as if it had
// been started anew. It ends as a process does: with "leave" after what main()
// has registered with atexit, among that the destructors of its static objects;
// with "destroy" also after the destructors of all that was there before
// main(), of which LibTorch's take a tenth of a second. The answer is a line
// with its exit code, or minus the number of the signal that ended it.
// forkserver.py is the client.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using Main = int (*)(int, char **, char **);
static Main ProgramMain;

static bool readRequest(std::vector<std::string> &Words) {
  std::string Line;
  if (!std::getline(std::cin, Line))
    return false;
  Words.resize(std::stoul(Line));
  for (std::string &Word : Words)
    if (!std::getline(std::cin, Word))
      return false;
  return Words.size() > 1;
}

static void leave(int Status, void *) {
  std::fflush(nullptr);
  _exit(Status);
}

[[noreturn]] static void runChild(char *Program,
                                  std::vector<std::string> &Words) {
  int Output = open(Words[0].c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  int Input = open("/dev/null", O_RDONLY);
  if (Output < 0 || Input < 0 || dup2(Input, 0) < 0 || dup2(Output, 1) < 0 ||
      dup2(Output, 2) < 0)
    _exit(126);
  // Called after the handlers that are registered later.
  if (Words[1] == "leave" && on_exit(leave, nullptr))
    _exit(126);
  std::vector<char *> Arguments{Program};
  for (size_t I = 2; I < Words.size(); ++I)
    Arguments.push_back(Words[I].data());
  int Count = static_cast<int>(Arguments.size());
  Arguments.push_back(nullptr);
  std::exit(ProgramMain(Count, Arguments.data(), environ));
}

static int serve(int, char **Argv, char **) {
  unsetenv("LD_PRELOAD");
  std::vector<std::string> Words;
  while (readRequest(Words)) {
    pid_t Child = fork();
    if (Child == 0)
      runChild(Argv[0], Words);
    int Status = 0;
    if (Child < 0 || waitpid(Child, &Status, 0) != Child)
      return 1;
    std::cout << (WIFEXITED(Status) ? WEXITSTATUS(Status) : -WTERMSIG(Status))
              << std::endl;
  }
  return 0;
}

extern "C" int __libc_start_main(Main Program, int Argc, char **Argv,
                                 void (*Init)(), void (*Fini)(),
                                 void (*RtldFini)(), void *StackEnd) {
  auto Real = reinterpret_cast<decltype(&__libc_start_main)>(
      dlsym(RTLD_NEXT, "__libc_start_main"));
  ProgramMain = Program;
  return Real(serve, Argc, Argv, Init, Fini, RtldFini, StackEnd);
}
