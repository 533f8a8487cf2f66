//===- Actions.h - what torchprof-opt can do --------------------*- C++ -*-===//
//
// One function per action; each returns the exit code. The options are globals,
// as usual with LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_ACTIONS_H
#define TORCHPROF_TOOLS_ACTIONS_H

#include "llvm/Support/CommandLine.h"

#include <string>

namespace torchprof {

int instrumentAction();
int stripAction();
int checkAction();
int printSitesAction();
int passesAction();
int listPassesAction();

/// Loads the libraries that --load names, for actions that read a file; returns
/// the exit code.
int loadLibraries();

namespace options {
enum class NodesValue { Default, All };
enum class LevelValue { Op, Module };
enum class FormatValue { Text, Json };

extern llvm::cl::opt<std::string> Input;
extern llvm::cl::opt<std::string> Output;
extern llvm::cl::opt<bool> Force;
extern llvm::cl::opt<bool> Instrument;
extern llvm::cl::opt<bool> Strip;
extern llvm::cl::opt<bool> Check;
extern llvm::cl::opt<bool> PrintSites;
extern llvm::cl::opt<bool> ListPasses;
extern llvm::cl::opt<std::string> Passes;
extern llvm::cl::opt<NodesValue> Nodes;
extern llvm::cl::opt<LevelValue> Level;
extern llvm::cl::opt<FormatValue> Format;
extern llvm::cl::list<std::string> Include;
extern llvm::cl::list<std::string> Exclude;
extern llvm::cl::list<std::string> Methods;
extern llvm::cl::list<std::string> Verify;
extern llvm::cl::list<std::string> Inputs;
extern llvm::cl::opt<bool> Grad;
extern llvm::cl::list<std::string> Libraries;
extern llvm::cl::opt<std::string> MapDevice;
extern llvm::cl::opt<bool> Quiet;
extern llvm::cl::opt<bool> TimePasses;
extern llvm::cl::opt<bool> Verbose;
extern llvm::cl::OptionCategory Category;
} // namespace options

} // namespace torchprof

#endif // TORCHPROF_TOOLS_ACTIONS_H
