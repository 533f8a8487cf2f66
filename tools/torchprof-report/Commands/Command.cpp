//===- Command.cpp - the registry of commands -----------------------------===//

#include "Command.h"

#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {
struct RegistryRow {
  CommandFunction Run;
  StringRef Example;
};
} // namespace

// What is printed of it is sorted by name: pointers have no order.
static std::map<cl::SubCommand *, RegistryRow> &registry() {
  static std::map<cl::SubCommand *, RegistryRow> Commands;
  return Commands;
}

CommandRegistration::CommandRegistration(cl::SubCommand &Command,
                                         CommandFunction Run,
                                         const char *Example) {
  registry()[&Command] = {std::move(Run), Example};
}

StringRef report::exampleOf(StringRef Name) {
  for (const auto &[Command, Row] : registry())
    if (Command->getName() == Name)
      return Row.Example;
  return {};
}

bool report::isCommand(StringRef Name) { return !exampleOf(Name).empty(); }

std::string report::listOfCommands() {
  std::set<std::string> Names;
  for (const auto &[Command, Row] : registry())
    Names.insert(Command->getName().str());
  return join(Names.begin(), Names.end(), ", ");
}

CommandFunction report::chosenCommand() {
  for (cl::SubCommand *S : cl::getRegisteredSubcommands()) {
    auto It = registry().find(S);
    if (*S && It != registry().end())
      return It->second.Run;
  }
  return nullptr;
}
