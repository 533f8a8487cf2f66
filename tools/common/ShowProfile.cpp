//===- ShowProfile.cpp - what --record does after the run -----------------===//

#include "ShowProfile.h"

#include "Messages.h"
#include "OutputFile.h"
#include "Printable.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace torchprof {

using llvm::StringRef;

using llvm::ArrayRef;

static int runReport(StringRef Program, ArrayRef<StringRef> Arguments,
                     ArrayRef<StringRef> Profiles) {
  std::vector<StringRef> Words = {Program};
  Words.insert(Words.end(), Arguments.begin(), Arguments.end());
  Words.push_back("--");
  Words.insert(Words.end(), Profiles.begin(), Profiles.end());
  llvm::outs().flush();
  std::string Error;
  int Code =
      llvm::sys::ExecuteAndWait(Program, Words, llvm::None, {}, 0, 0, &Error);
  if (Code < 0)
    return reportError(Program + ": " + Error);
  return Code;
}

int showProfiles(StringRef Bin, ArrayRef<StringRef> Profiles, bool Force) {
  llvm::SmallString<128> Report(Bin);
  llvm::sys::path::append(Report, "torchprof-report");
  if (std::error_code Error =
          llvm::sys::fs::access(Report, llvm::sys::fs::AccessMode::Execute))
    return reportError(Report + ": " + Error.message());
  // The page and the report have the other rows. By self time, as by the total
  // ifs, loops and groups of gradients would come first. There is a page also
  // where nothing can be printed.
  int Code =
      runReport(Report, {"summary", "--sort=self_ns", "--limit=30"}, Profiles);
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
    return Code;
  }
  // Built without npm there is no page; the report's error says so.
  if (runReport(Report, {"export", "--to=html", "-o", Page}, Profiles) ==
      ExitFine)
    llvm::outs() << "page: " << printable(Page) << '\n';
  return Code;
}

} // namespace torchprof
