//===- Help.cpp - what --help and --help-all show -------------------------===//

#include "Help.h"

#include "llvm/Support/CommandLine.h"

#include <cstdlib>

using namespace llvm;

static cl::opt<bool>
    HelpAll("help-all", cl::desc("Display all options"), cl::ValueDisallowed,
            cl::sub(*cl::AllSubCommands), cl::cat(cl::getGeneralCategory()),
            cl::callback([](const bool &) {
              cl::PrintHelpMessage(/*Hidden=*/true, /*Categorized=*/true);
              std::exit(0);
            }));

void torchprof::arrangeHelp() {
  // cl::HideUnrelatedOptions() has hidden it.
  HelpAll.setHiddenFlag(cl::NotHidden);
  for (cl::SubCommand *Sub : cl::getRegisteredSubcommands()) {
    for (auto &Entry : cl::getRegisteredOptions(*Sub)) {
      StringRef Name = Entry.getKey();
      cl::Option *Option = Entry.getValue();
      if (Name == "version" || Name == "color")
        Option->setHiddenFlag(cl::Hidden);
      // LLVM prints what the last two ask for only where a tool calls it.
      if (Name == "help-hidden" || Name == "help-list-hidden" ||
          Name == "print-options" || Name == "print-all-options")
        Option->setHiddenFlag(cl::ReallyHidden);
      // LLVM shows this one wherever there are several categories.
      if (Name == "help-list")
        Option->setDescription("Display them as one list");
      if (Name == "help")
        Option->setDescription("Display the usual options");
    }
  }
}
