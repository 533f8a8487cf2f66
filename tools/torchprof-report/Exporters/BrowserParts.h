//===- BrowserParts.h - what runs in the browser ----------------*- C++ -*-===//
//
// The texts of the html and svg exports, inlined into the tool by
// tools/report-html: libraries from npm for the page, and our own parts.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_BROWSERPARTS_H
#define TORCHPROF_REPORT_BROWSERPARTS_H

#include "llvm/ADT/StringRef.h"

namespace torchprof::report::browser {

/// Why the libraries are not there; empty if they are.
llvm::StringRef missing();

// Libraries.
llvm::StringRef D3Script();
llvm::StringRef FlameGraphScript();
llvm::StringRef FlameGraphStyle();
llvm::StringRef TabulatorScript();
llvm::StringRef TabulatorStyle();

// Own parts.
llvm::StringRef PageBody();
llvm::StringRef PageScript();
llvm::StringRef PageStyle();
llvm::StringRef FormatScript();
llvm::StringRef SummaryScript();
llvm::StringRef AdviceScript();
llvm::StringRef RooflineScript();
llvm::StringRef MemoryScript();
llvm::StringRef FlameScript();
llvm::StringRef FlameStyle();
llvm::StringRef PictureScript();

} // namespace torchprof::report::browser

#endif // TORCHPROF_REPORT_BROWSERPARTS_H
