//===- Printable.h - text of others for a terminal --------------*- C++ -*-===//
//
// Names, commands and paths in a model or a profile may hold any bytes. What a
// terminal would take as a command, and what would change the order of the text
// around it, is shown as an escape sequence of C instead.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_PRINTABLE_H
#define TORCHPROF_TOOLS_PRINTABLE_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace torchprof {

/// \p Text with control and format characters, bytes that are not UTF-8 and
/// characters that Unicode has not assigned as "\n", "\x1b" or "\u202e". Line
/// feeds stay if \p KeepLines.
std::string printable(llvm::StringRef Text, bool KeepLines = false);

} // namespace torchprof

#endif // TORCHPROF_TOOLS_PRINTABLE_H
