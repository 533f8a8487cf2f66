//===- JsonText.h - text that JSON can hold ---------------------*- C++ -*-===//
//
// Names of sites, hosts and commands come from outside and need not be UTF-8,
// which LLVM's JSON writer asserts.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_JSONTEXT_H
#define TORCHPROF_REPORT_JSONTEXT_H

#include "llvm/Support/JSON.h"

#include <string>

namespace torchprof::report {

/// \p Text with U+FFFD in place of what is not UTF-8.
inline std::string jsonText(llvm::StringRef Text) {
  return llvm::json::isUTF8(Text) ? Text.str() : llvm::json::fixUTF8(Text);
}

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_JSONTEXT_H
