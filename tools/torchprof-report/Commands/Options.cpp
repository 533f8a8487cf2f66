//===- Options.cpp - option groups that commands share --------------------===//

#include "Options.h"
#include "../../common/GlobList.h"
#include "../../common/Messages.h"
#include "../../common/OutputFile.h"
#include "../../common/StandardOutput.h"
#include "../Profile/CheckProfile.h"
#include "../Profile/ProfileJson.h"
#include "../Profile/ProfileWriter.h"
#include "../Profile/TimeOrder.h"
#include "../Report/ColumnSet.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

/// Paths of the profiles that the command has read.
static std::vector<std::string> Inputs;

void report::forgetInputs() { Inputs.clear(); }

static void warnOfFalse(StringRef Path, const FalseCells &Found,
                        StringRef Noun) {
  if (Found.Count == 1)
    reportWarning(Path + ": a " + Noun +
                  " is damaged and left out: " + Found.First);
  else if (Found.Count)
    reportWarning(Path + ": " + Twine(Found.Count) + " " + Noun +
                  "s are damaged and left out; check names them, the first "
                  "is " +
                  Found.First);
}

Expected<Profile> report::loadWithWarnings(StringRef Path,
                                           ThreadSelection *Threads,
                                           FalseNumbers Numbers) {
  Inputs.push_back(Path.str());
  Expected<Profile> P = loadProfile(Path);
  if (!P)
    return P;
  for (const std::string &Text : P->Warnings)
    reportWarning(Path + ": " + Text);
  // Before threads are chosen: the levels of all are of use.
  if (Numbers == FalseNumbers::LeftOut)
    warnOfFalse(Path, dropFalseTimes(*P), "record");
  if (Threads)
    Threads->keep(*P);
  if (Numbers == FalseNumbers::Kept)
    return P;
  warnOfFalse(Path, dropFalseCells(*P), "cell");
  return P;
}

ThreadOptions::ThreadOptions(cl::SubCommand &Sub)
    : Threads("thread",
              cl::desc("Only threads with this name (glob), kernel id or lane "
                       "number; repeatable"),
              cl::value_desc("thread"), cl::Hidden, cl::sub(Sub)) {}

SourceOptions::SourceOptions(cl::SubCommand &Sub)
    : Prefixes("source-prefix",
               cl::desc("Leave this directory out of source paths; auto: the "
                        "one that all files are in; repeatable"),
               cl::value_desc("directory"), cl::Hidden, cl::sub(Sub)) {}

void SourceOptions::apply(SiteTable &Sites) const {
  std::vector<std::string> Directories;
  for (const std::string &Text : Prefixes)
    Directories.push_back(Text == "auto" ? SourcePrefix::common(Sites.models())
                                         : Text);
  Sites.setSourcePrefix(SourcePrefix(std::move(Directories)));
}

Error InputOptions::addTo(
    SiteTable &Sites, AddOptions Options,
    function_ref<void(Profile &, const SlotToSite &)> Visit) const {
  if (Files.empty())
    return createStringError(inconvertibleErrorCode(),
                             "no profile given, such as FILE.tprof");
  Expected<ThreadSelection> Selected = Threads.select();
  if (!Selected)
    return Selected.takeError();
  for (const std::string &Path : Files) {
    Expected<Profile> P = loadWithWarnings(Path, &*Selected);
    if (!P)
      return P.takeError();
    SlotToSite Slots = Sites.add(*P, Options);
    if (Visit)
      Visit(*P, Slots);
  }
  for (const std::string &Text : Sites.warnings())
    reportWarning(Text);
  Source.apply(Sites);
  return Selected->checkAllSeen();
}

Expected<Optional<double>>
report::percentage(const cl::opt<std::string> &Option, double Most) {
  if (!Option.getNumOccurrences())
    return None;
  StringRef Text = Option;
  Text.consume_back("%");
  double Percent = 0;
  if (Text.getAsDouble(Percent) || !(Percent >= 0 && Percent <= Most))
    return createStringError(inconvertibleErrorCode(),
                             "--" + Option.ArgStr + ": '" + Option +
                                 "' is not a percentage such as 5%");
  return Percent;
}

LeastShareOption::LeastShareOption(cl::SubCommand &Sub, const char *Help,
                                   cl::OptionHidden Hidden)
    : Text("min-pct", cl::desc(Help), cl::value_desc("percent"), Hidden,
           cl::sub(Sub)) {}

RoofOptions::RoofOptions(cl::SubCommand &Sub)
    : Gflops("peak-gflops", cl::desc("What the machine computes at most"),
             cl::value_desc("GFLOP/s"), cl::sub(Sub)),
      Gbytes("peak-gbytes", cl::desc("What its memory moves at most"),
             cl::value_desc("GB/s"), cl::sub(Sub)) {}

static Error overridePeak(const cl::opt<double> &Option, PeakRate &To) {
  if (!Option.getNumOccurrences())
    return Error::success();
  if (!(Option > 0 && Option < 1e9))
    return createStringError(inconvertibleErrorCode(),
                             "--" + Option.ArgStr +
                                 ": expected a number above 0 and below 1e9");
  To = {Option * 1e9, "as told", /*IsOfCpu=*/false};
  return Error::success();
}

Error RoofOptions::apply(Roof &To) const {
  if (Error E = overridePeak(Gflops, To.Flops))
    return E;
  return overridePeak(Gbytes, To.Bytes);
}

ColumnOptions::ColumnOptions(cl::SubCommand &Sub)
    : Ids("columns", cl::CommaSeparated,
          cl::desc("Columns to print; --list-columns lists them"),
          cl::value_desc("id,..."), cl::sub(Sub)),
      List("list-columns", cl::desc("List the column ids"), cl::Hidden,
           cl::sub(Sub)) {}

std::vector<std::string> ColumnOptions::ids(ArrayRef<StringRef> Default) const {
  if (!Ids.empty())
    return {Ids.begin(), Ids.end()};
  std::vector<std::string> Chosen;
  for (StringRef Id : Default)
    Chosen.push_back(Id.str());
  return Chosen;
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
                  : ToTerminal              ? sys::Process::StandardOutColumns()
                                            : 0;
  Options.Colors = ToTerminal && terminalColors();
  return writeOutput(File, [&](raw_ostream &OS) {
    printDocument(D, Options, OS);
    return Error::success();
  });
}

Error TableOptions::choose(Document &D) const {
  std::vector<std::string> Known;
  for (const Table &T : D.Tables)
    Known.push_back(T.Id);
  for (const std::string &Id : Ids)
    if (!is_contained(Known, Id))
      return unknownName("--table", Id, Known);
  if (!Ids.empty())
    erase_if(D.Tables,
             [&](const Table &T) { return !is_contained(Ids, T.Id); });
  return Error::success();
}

SelectionOptions::SelectionOptions(cl::SubCommand &Sub)
    : Include("include",
              cl::desc("Only sites whose kind, name or module path matches; "
                       "repeatable"),
              cl::value_desc("glob,..."), cl::CommaSeparated, cl::sub(Sub)),
      Exclude("exclude",
              cl::desc("No sites whose kind, name or module path matches; "
                       "repeatable"),
              cl::value_desc("glob,..."), cl::CommaSeparated, cl::sub(Sub)) {}

Expected<Selection>
SelectionOptions::select(ArrayRef<const SiteTable *> Tables) const {
  Expected<Selection> S = Selection::create(globsOf(Include), globsOf(Exclude));
  if (!S)
    return S.takeError();
  if (Error E = S->checkAgainst(Tables))
    return E;
  return S;
}

static Error writeAll(raw_fd_ostream &OS, const Twine &Name,
                      function_ref<Error(raw_ostream &)> Write) {
  if (Error E = Write(OS)) {
    consumeError(flushed(OS, Name));
    return E;
  }
  return flushed(OS, Name);
}

/// Writes an output that replaces no file that \p WhyNot has something against.
static Error writeUnless(function_ref<std::string(StringRef)> WhyNot,
                         StringRef Path,
                         function_ref<Error(raw_ostream &)> Write) {
  // A device or a pipe is written to, whatever comes out of it. An input is not
  // to be removed: writeOutput() has another reason.
  if (Path != "-" && sys::fs::is_regular_file(Path) &&
      whyNotReplaced(Path, Inputs).empty())
    if (std::string Reason = WhyNot(Path); !Reason.empty())
      return createStringError(inconvertibleErrorCode(),
                               Path + ": " + Reason + "; remove it first");
  return writeOutput(Path, Write);
}

Error report::writeProfileTo(StringRef Path, const Profile &P) {
  auto WhyNot = [](StringRef Old) {
    return whyNotOfKind(Old, FileKind::Profile);
  };
  return writeUnless(WhyNot, Path, [&P](raw_ostream &OS) {
    writeProfile(P, OS);
    return Error::success();
  });
}

/// Says so if the file at \p Path is neither empty nor a profile as JSON. JSON
/// has no magic number: only who reads all of it knows whose it is.
static std::string whyNotJson(StringRef Path) {
  uint64_t Size = 0;
  if (!sys::fs::file_size(Path, Size) && Size == 0)
    return "";
  Expected<Profile> Old = loadProfile(Path);
  if (Old && !Old->isBinary())
    return "";
  consumeError(Old.takeError());
  return "exists and is not a profile as JSON";
}

Error report::writeJsonTo(StringRef Path, const Profile &P) {
  return writeUnless(whyNotJson, Path, [&P](raw_ostream &OS) {
    writeProfileJson(P, OS);
    return Error::success();
  });
}

// llvm::writeToOutput() ends the process when the disk is full, and makes files
// that can be executed.
Error report::writeOutput(StringRef Path,
                          function_ref<Error(raw_ostream &)> Write) {
  if (Path == "-")
    return writeAll(outs(), "standard output", Write);
  // A device or a pipe is written to, not replaced.
  sys::fs::file_status Status;
  if (!sys::fs::status(Path, Status) && sys::fs::exists(Status) &&
      !sys::fs::is_regular_file(Status)) {
    std::error_code Code;
    raw_fd_ostream OS(Path, Code, sys::fs::CD_OpenExisting);
    if (Code)
      return createStringError(Code, Path + ": " + Code.message());
    return writeAll(OS, Path, Write);
  }
  auto Failed = [&](const Twine &Reason) {
    return createStringError(inconvertibleErrorCode(), Path + ": " + Reason);
  };
  if (std::string Reason = whyNotReplaced(Path, Inputs); !Reason.empty())
    return Failed(Reason);
  OutputFile File;
  if (std::string Reason = File.open(Path); !Reason.empty())
    return Failed(Reason);
  raw_fd_ostream OS(File.descriptor(), /*shouldClose=*/false);
  if (Error E = writeAll(OS, Path, Write))
    return E;
  if (std::string Reason = File.keep(); !Reason.empty())
    return Failed(Reason);
  return Error::success();
}

bool report::terminalColors() {
  Optional<std::string> NoColor = sys::Process::GetEnv("NO_COLOR");
  return sys::Process::StandardOutHasColors() && (!NoColor || NoColor->empty());
}
