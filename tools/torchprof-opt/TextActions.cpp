//===- TextActions.cpp - torchprof-opt on graphs in text form -------------===//
//
// Lines that begin with `# -----` separate the graphs of a file. Each result
// gets a label, so that FileCheck can tell them apart.
//
//===----------------------------------------------------------------------===//

#include "../common/Messages.h"
#include "../common/ToolSupport.h"
#include "Actions.h"
#include "RequestHolder.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace torchprof {

using llvm::outs;
using llvm::StringRef;

/// LibTorch prints a node without outputs as ` = op(...)`, but parses only
/// `op(...)`.
static std::string normalize(StringRef Text) {
  std::string Result;
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    // The blank before the '=' is no indentation.
    StringRef Body = Line.ltrim();
    StringRef Indent = Line.drop_back(Body.size()).drop_back(1);
    if (Body.consume_front("= "))
      Result += Indent.str() + Body.str();
    else
      Result += Line.str();
    Result += '\n';
    Text = Rest;
  }
  return Result;
}

static bool isBlank(StringRef Text) {
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    if (!Line.trim().empty() && !Line.ltrim().startswith("#"))
      return false;
    Text = Rest;
  }
  return true;
}

/// The parts of a file between lines that begin with `# -----`.
static std::vector<std::string> splitGraphs(StringRef Text) {
  std::vector<std::string> Graphs(1);
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    if (Line.startswith("# -----"))
      Graphs.emplace_back();
    else
      Graphs.back() += Line.str() + '\n';
    Text = Rest;
  }
  return Graphs;
}

int passesAction() {
  auto Buffer = llvm::MemoryBuffer::getFileOrSTDIN(options::Input);
  if (!Buffer)
    return reportError(options::Input + ": " + Buffer.getError().message());
  if (int Code = loadLibraries())
    return Code;
  RequestHolder Request;
  std::vector<std::string> Graphs = splitGraphs((*Buffer)->getBuffer());
  int Code = ExitFine;
  for (size_t I = 0; I < Graphs.size(); ++I) {
    if (isBlank(Graphs[I])) {
      if (Graphs.size() > 1)
        continue;
      return reportError(options::Input + ": the file has no graph");
    }
    std::string Label = "graph " + std::to_string(I + 1);
    outs() << "# " << Label << '\n';
    OwnedText Text;
    if (Outcome Failed =
            runPasses(options::Passes.c_str(), normalize(Graphs[I]).c_str(),
                      Request.get(), Text)) {
      outs().flush();
      Code =
          std::max(Code, reportOutcome(options::Input + ": " + Label, Failed));
      continue;
    }
    outs() << Text.c_str();
  }
  return Code;
}

int listPassesAction() {
  outs() << listPasses().c_str();
  return ExitFine;
}

} // namespace torchprof
