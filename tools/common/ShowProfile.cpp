//===- ShowProfile.cpp - what --record does after the run -----------------===//

#include "ShowProfile.h"

#include "OutputFile.h"
#include "ToolSupport.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace torchprof {

using llvm::StringRef;

using llvm::ArrayRef;

static int runReport(StringRef Bin, ArrayRef<StringRef> Arguments,
                     ArrayRef<StringRef> Profiles) {
  llvm::SmallString<128> Program(Bin);
  llvm::sys::path::append(Program, "torchprof-report");
  std::vector<StringRef> Words = {Program};
  Words.insert(Words.end(), Arguments.begin(), Arguments.end());
  Words.push_back("--");
  Words.insert(Words.end(), Profiles.begin(), Profiles.end());
  if (std::error_code Error =
          llvm::sys::fs::access(Program, llvm::sys::fs::AccessMode::Execute))
    return reportError(Program + ": " + Error.message());
  llvm::outs().flush();
  std::string Error;
  int Code =
      llvm::sys::ExecuteAndWait(Program, Words, llvm::None, {}, 0, 0, &Error);
  if (Code < 0)
    return reportError(Program + ": " + Error);
  return Code;
}

int showProfiles(StringRef Bin, ArrayRef<StringRef> Profiles, bool Force) {
  // The page and the report have the other rows. By self time, as by the total
  // ifs, loops and groups of gradients would come first.
  if (int Code =
          runReport(Bin, {"summary", "--sort=self_ns", "--limit=30"}, Profiles))
    return Code;
  llvm::SmallString<128> Page(Profiles.front());
  // Another extension may be all that tells several profiles apart.
  if (llvm::sys::path::extension(Page) == ".tprof")
    llvm::sys::path::replace_extension(Page, "html");
  else
    Page += ".html";
  std::vector<std::string> Read(Profiles.begin(), Profiles.end());
  std::string Reason = whyNotWritable(Page, FileKind::Page, Force, Read);
  if (!Reason.empty()) {
    reportWarning("no page: " + Page + ": " + Reason);
    return ExitFine;
  }
  // Built without npm there is no page; the report's error says so.
  if (runReport(Bin, {"export", "--to=html", "-o", Page}, Profiles) == ExitFine)
    llvm::outs() << "page: " << Page << '\n';
  return ExitFine;
}

} // namespace torchprof
