//===- SourceLocation.h - from a node to the author's source ----*- C++ -*-===//
//
// A node of a loaded model has a range in the generated code of the archive.
// LibTorch maps it to the author's file if the code was scripted. For traced
// code it is mapped to the Python stack as text, one `file(line): function` per
// line, innermost first, torch's own frames included.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PASSES_SOURCELOCATION_H
#define TORCHPROF_PASSES_SOURCELOCATION_H

#include "torchprof/format/Manifest.h"

#include <torch/csrc/jit/frontend/source_range.h>

namespace torchprof {

/// The position that \p Range stands for, with its strings in \p Table.
/// Line 0 if nothing is known.
SourcePosition locate(const torch::jit::SourceRange &Range, Manifest &Table);

/// True if the text of \p Range is a method call `value.name(...)` of an
/// operator called \p OpName, rather than a call of a function of a module.
bool isWrittenAsMethod(const torch::jit::SourceRange &Range,
                       const std::string &OpName);

/// The frame of the author's code in a Python stack as text, and whether
/// \p Text is such a stack at all.
bool parsePythonStack(const std::string &Text, std::string &File,
                      uint32_t &Line);

} // namespace torchprof

#endif // TORCHPROF_PASSES_SOURCELOCATION_H
