//===- Messages.cpp - what a tool says of itself and of errors ------------===//

#include "Messages.h"

#include "IgnoredSignals.h"
#include "Printable.h"
#include "StandardOutput.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace torchprof {

static std::string ToolName;

void initTool(llvm::StringRef Argv0, const llvm::Twine &With) {
  ToolName = llvm::sys::path::filename(Argv0).str();
  // Instead of LLVM's own.
  llvm::cl::SetVersionPrinter([With = With.str()](llvm::raw_ostream &OS) {
    OS << ToolName << " " TORCHPROF_VERSION << (With.empty() ? "" : ", ")
       << With << '\n';
  });
  ignoreNotedSignals();
  watchStandardStreams(ToolName.c_str());
}

llvm::StringRef toolName() { return ToolName; }

int reportError(const llvm::Twine &Text, int Code) {
  llvm::WithColor::error(llvm::errs(), ToolName)
      << printable(Text.str()) << '\n';
  return Code;
}

void reportWarning(const llvm::Twine &Text) {
  llvm::WithColor::warning(llvm::errs(), ToolName)
      << printable(Text.str()) << '\n';
}

} // namespace torchprof
