//===- GlobList.h - options that take several globs -------------*- C++ -*-===//
//
// --include and --exclude of each tool can be repeated and take globs joined by
// commas, as the runtime's options do. A name with a comma is matched by "?".
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_GLOBLIST_H
#define TORCHPROF_TOOLS_GLOBLIST_H

#include "llvm/Support/CommandLine.h"

#include <string>
#include <vector>

namespace torchprof {

/// The globs of an option that is declared cl::CommaSeparated, without the
/// empty ones of "a," and "a,,b": they would match all nodes outside of
/// modules. What is empty as a whole stays, for an error that names it.
inline std::vector<std::string>
globsOf(const llvm::cl::list<std::string> &Option) {
  std::vector<std::string> Globs;
  for (const std::string &Glob : Option)
    if (!Glob.empty())
      Globs.push_back(Glob);
  if (Globs.empty() && !Option.empty())
    Globs.emplace_back();
  return Globs;
}

} // namespace torchprof

#endif // TORCHPROF_TOOLS_GLOBLIST_H
