//===- Options.cpp - option groups that commands share --------------------===//

#include "Options.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"

#include <sys/ioctl.h>
#include <unistd.h>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

void report::printWarning(const Twine &Text) {
  WithColor::warning(errs(), "torchprof-report") << Text << '\n';
}

Expected<Profile> report::loadWithWarnings(StringRef Path) {
  Expected<Profile> P = loadProfile(Path);
  if (P)
    for (const std::string &Text : P->Warnings)
      printWarning(Path + ": " + Text);
  return P;
}

Error InputOptions::addTo(SiteTable &Sites, SelectCells Select,
                          function_ref<void(Profile &)> Visit) const {
  if (Files.empty())
    return createStringError(inconvertibleErrorCode(),
                             "expected a profile (FILE.tprof), found none");
  for (const std::string &Path : Files) {
    Expected<Profile> P = loadWithWarnings(Path);
    if (!P)
      return P.takeError();
    Sites.add(*P, Select);
    if (Visit)
      Visit(*P);
  }
  for (const std::string &Text : Sites.warnings())
    printWarning(Text);
  return Error::success();
}

OutputOptions::OutputOptions(cl::SubCommand &Sub)
    : File("o", cl::desc("Write to this file, not to stdout"),
           cl::value_desc("file"), cl::init("-"), cl::sub(Sub)),
      Format(
          "format", cl::desc("How to print"), cl::sub(Sub),
          cl::init(TableFormat::Table),
          cl::values(clEnumValN(TableFormat::Table, "table", "aligned text"),
                     clEnumValN(TableFormat::Csv, "csv",
                                "comma-separated values, rows only"),
                     clEnumValN(TableFormat::Json, "json", "rows and footer"),
                     clEnumValN(TableFormat::Markdown, "markdown",
                                "a table for a README or an issue"))),
      Unit("unit", cl::desc("Unit of times for people"), cl::sub(Sub),
           cl::Hidden, cl::init(TimeUnit::Auto),
           cl::values(clEnumValN(TimeUnit::Auto, "auto", "each time its own"),
                      clEnumValN(TimeUnit::Ns, "ns", "nanoseconds"),
                      clEnumValN(TimeUnit::Us, "us", "microseconds"),
                      clEnumValN(TimeUnit::Ms, "ms", "milliseconds"),
                      clEnumValN(TimeUnit::S, "s", "seconds"))),
      Width("width",
            cl::desc("Shorten names so that lines fit this many columns "
                     "(default: the terminal's; 0: never)"),
            cl::value_desc("columns"), cl::sub(Sub), cl::Hidden) {}

Error OutputOptions::print(const Document &D) const {
  PrintOptions Options;
  Options.Format = Format;
  Options.Unit = Unit;
  bool ToTerminal = File == "-";
  Options.Width = Width.getNumOccurrences() ? Width.getValue()
                  : ToTerminal              ? terminalWidth()
                                            : 0;
  Options.Colors = ToTerminal && terminalColors();
  return writeOutput(File, [&](raw_ostream &OS) {
    printDocument(D, Options, OS);
    return Error::success();
  });
}

SelectionOptions::SelectionOptions(cl::SubCommand &Sub)
    : Include("include",
              cl::desc("Only sites whose kind, name or module path matches; "
                       "repeatable"),
              cl::value_desc("glob"), cl::sub(Sub)),
      Exclude("exclude",
              cl::desc("No sites whose kind, name or module path matches; "
                       "repeatable"),
              cl::value_desc("glob"), cl::sub(Sub)) {}

Expected<Selection> SelectionOptions::select(const SiteTable &Sites) const {
  Expected<Selection> S = Selection::create(Include, Exclude);
  if (!S)
    return S.takeError();
  if (Error E = S->checkAgainst(Sites))
    return E;
  return S;
}

Error report::writeOutput(StringRef Path,
                          function_ref<Error(raw_ostream &)> Write) {
  if (Path == "-") {
    if (Error E = Write(outs()))
      return E;
    outs().flush();
    if (std::error_code Code = outs().error()) {
      outs().clear_error();
      // A reader that has seen enough (head) is not an error.
      if (Code == std::errc::broken_pipe)
        return Error::success();
      return createStringError(Code, "standard output: " + Code.message());
    }
    return Error::success();
  }
  // A device or a pipe is written to, not replaced.
  sys::fs::file_status Status;
  if (!sys::fs::status(Path, Status) && sys::fs::exists(Status) &&
      !sys::fs::is_regular_file(Status)) {
    std::error_code Code;
    raw_fd_ostream OS(Path, Code, sys::fs::CD_OpenExisting);
    if (Code)
      return createStringError(Code, Path + ": " + Code.message());
    return Write(OS);
  }
  Expected<sys::fs::TempFile> Temp =
      sys::fs::TempFile::create(Path + ".%%%%%%.tmp");
  if (!Temp)
    return createStringError(inconvertibleErrorCode(),
                             Path + ": expected a place to write, found: " +
                                 toString(Temp.takeError()));
  std::error_code Code;
  Error Failure = Error::success();
  {
    raw_fd_ostream OS(Temp->FD, /*shouldClose=*/false);
    Failure = Write(OS);
    OS.flush();
    Code = OS.error();
    OS.clear_error();
  }
  if (!Failure && Code)
    Failure = createStringError(Code, Path + ": " + Code.message());
  if (Failure) {
    consumeError(Temp->discard());
    return Failure;
  }
  // TempFile makes files that only their owner can read.
  (void)sys::fs::setPermissions(Temp->FD,
                                sys::fs::perms(0666 & ~sys::fs::getUmask()));
  if (Error E = Temp->keep(Path))
    return createStringError(inconvertibleErrorCode(),
                             Path + ": " + toString(std::move(E)));
  return Error::success();
}

unsigned report::terminalWidth() {
  winsize Size = {};
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &Size) != 0)
    return 0;
  return Size.ws_col;
}

bool report::terminalColors() {
  Optional<std::string> NoColor = sys::Process::GetEnv("NO_COLOR");
  return sys::Process::StandardOutHasColors() && (!NoColor || NoColor->empty());
}
