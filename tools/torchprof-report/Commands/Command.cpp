//===- Command.cpp - the registry of commands -----------------------------===//

#include "Command.h"

#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

// What is printed of it is sorted by name: pointers have no order.
static std::map<cl::SubCommand *, CommandFunction> &registry() {
  static std::map<cl::SubCommand *, CommandFunction> Commands;
  return Commands;
}

CommandRegistration::CommandRegistration(cl::SubCommand &Command,
                                         CommandFunction Run) {
  registry()[&Command] = std::move(Run);
}

bool report::isCommand(StringRef Name) {
  for (const auto &[Command, Run] : registry())
    if (Command->getName() == Name)
      return true;
  return false;
}

std::string report::listOfCommands() {
  std::set<std::string> Names;
  for (const auto &[Command, Run] : registry())
    Names.insert(Command->getName().str());
  return join(Names.begin(), Names.end(), ", ");
}

CommandFunction report::chosenCommand() {
  for (cl::SubCommand *S : cl::getRegisteredSubcommands()) {
    auto It = registry().find(S);
    if (*S && It != registry().end())
      return It->second;
  }
  return nullptr;
}
