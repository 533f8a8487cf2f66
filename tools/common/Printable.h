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

/// \p Path as a word to copy into a shell: quoted if need be, and such that our
/// tools take it for no option and for no file of options. Bash reads the
/// quotes around what printable() escapes, other shells may not.
std::string shellWord(llvm::StringRef Path);

} // namespace torchprof

#endif // TORCHPROF_TOOLS_PRINTABLE_H
