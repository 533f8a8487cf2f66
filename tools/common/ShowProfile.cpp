//===- ShowProfile.cpp - what --record does after the run -----------------===//

#include "ShowProfile.h"

#include "ToolSupport.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace torchprof {

using llvm::StringRef;

static int runReport(StringRef Bin, llvm::ArrayRef<StringRef> Arguments) {
  llvm::SmallString<128> Program(Bin);
  llvm::sys::path::append(Program, "torchprof-report");
  std::vector<StringRef> Words = {Program};
  Words.insert(Words.end(), Arguments.begin(), Arguments.end());
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

int showProfile(StringRef Bin, StringRef Profile) {
  // The page and the report have the other rows. By self time, as by the total
  // ifs, loops and groups of gradients would come first.
  if (int Code = runReport(
          Bin, {"summary", "--sort=self_ns", "--limit=30", "--", Profile}))
    return Code;
  llvm::SmallString<128> Page(Profile);
  llvm::sys::path::replace_extension(Page, "html");
  // Built without npm there is no page; the report's error says so.
  if (runReport(Bin, {"export", "--to=html", "-o", Page, "--", Profile}) ==
      ExitFine)
    llvm::outs() << "page: " << Page << '\n';
  return ExitFine;
}

} // namespace torchprof
