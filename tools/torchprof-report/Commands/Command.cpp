//===- Command.cpp - the registry of commands -----------------------------===//

#include "Command.h"

#include <map>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

// Looked up by pointer, never iterated.
static std::map<cl::SubCommand *, CommandFunction> &registry() {
  static std::map<cl::SubCommand *, CommandFunction> Commands;
  return Commands;
}

CommandRegistration::CommandRegistration(cl::SubCommand &Command,
                                         CommandFunction Run) {
  registry()[&Command] = std::move(Run);
}

CommandFunction report::chosenCommand() {
  for (cl::SubCommand *S : cl::getRegisteredSubcommands()) {
    auto It = registry().find(S);
    if (*S && It != registry().end())
      return It->second;
  }
  return nullptr;
}
