//===- torchprof-record.cpp - run a command and record its models ---------===//
//
// The command runs with libtorchprof_preload.so in front of LibTorch and the
// runtime's options in its environment. This program knows no LibTorch.
//
//===----------------------------------------------------------------------===//

#include "../common/IgnoredSignals.h"
#include "../common/Messages.h"
#include "../common/OutputFile.h"
#include "../common/Printable.h"
#include "../common/RecordingSwitches.h"
#include "../common/ShowProfile.h"
#include "../common/StandardOutput.h"
#include "../common/ToolSupport.h"
#include "Command.h"
#include "Options.h"
#include "Profiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <unistd.h>

using namespace llvm;
using namespace torchprof;

static const char *Overview =
    "torchprof-record: run a command and record the TorchScript models in "
    "it\n\n"
    "  torchprof-record -- python3 app.py\n"
    "  torchprof-record -o server.tprof -- ./server model.pt\n\n"
    "Nothing has to be instrumented; outputs and gradients are bit for bit\n"
    "those of a run without. Exit code and signals are the command's; the\n"
    "summary goes to standard error.\n";

static cl::OptionCategory Category("torchprof-record options");
// For --help: what stands there is cut off before the options are parsed.
static cl::list<std::string> CommandWords(cl::Positional, cl::ZeroOrMore,
                                          cl::desc("-- COMMAND [ARGUMENTS]"),
                                          cl::cat(Category));
static cl::opt<std::string> Output("o",
                                   cl::desc("Profile to write (the command's "
                                            "name + .tprof)"),
                                   cl::value_desc("file"), cl::cat(Category));
static cl::opt<bool>
    Force("force",
          cl::desc("Also replace files that torchprof has not written"),
          cl::cat(Category));
static cl::opt<bool>
    Calibrate("calibrate",
              cl::desc("Also measure shapes and what the machine can do"),
              cl::cat(Category));
static cl::opt<bool> Quiet("quiet",
                           cl::desc("Print nothing but errors and warnings"),
                           cl::cat(Category));

namespace {
/// An option that becomes one of the runtime's, docs/runtime-options.md.
struct RuntimeOption {
  const char *Id;               ///< the runtime's name of it
  const std::string What, Help; ///< Values refers to both
  cl::list<std::string> Values;
  RuntimeOption(const char *Name, std::string What, std::string Help,
                const char *Id = nullptr)
      : Id(Id ? Id : Name), What(std::move(What)), Help(std::move(Help)),
        Values(StringRef(Name), cl::desc(this->Help),
               cl::value_desc(this->What), cl::cat(Category)) {}
  std::string value() const { return join(Values, ","); }
};
} // namespace

/// "op|module" of an option of the runtime that is one of these words.
static std::string choiceOf(const char *Id) {
  SmallVector<StringRef, 4> Words;
  StringRef(allowedValues(Id)).split(Words, ", ");
  return join(Words, "|");
}

/// \p Text in lines that are short enough to stand beside an option.
static std::string inLines(StringRef Text) {
  constexpr size_t Columns = 50;
  std::string Lines;
  while (Text.size() > Columns) {
    StringRef Line = Text.take_front(Columns).rsplit(' ').first;
    Lines += (Line + "\n").str();
    Text = Text.drop_front(Line.size() + 1);
  }
  return Lines + Text.str();
}

static RuntimeOption Nodes("nodes", choiceOf("nodes"),
                           "Which nodes are sites, as for torchprof-opt"),
    Level("granularity", choiceOf("granularity"),
          "One site per node, or per call of a module"),
    Include("include", "glob,...",
            "Only sites whose kind or module path matches"),
    Exclude("exclude", "glob,...",
            "No sites whose kind or module path matches"),
    Methods("methods", "name", "Only these methods"),
    Mode("mode", choiceOf("mode"), "Keep statistics, or every span as well"),
    Windows("schedule", "plan",
            "Record windows of runs: wait=5,warmup=1,active=3"),
    Measure("measure", "what",
            inLines(std::string("What to measure beside time: ") +
                    allowedValues("record")),
            "record");
static const RuntimeOption *const RuntimeOptions[] = {
    &Nodes, &Level, &Include, &Exclude, &Methods, &Mode, &Windows, &Measure};

/// The library to preload: in the directories of an installation or of a build
/// tree. Empty if it is in none.
static std::string findPreload(StringRef Bin) {
  for (StringRef Directory : {"../lib", "../" TORCHPROF_LIBDIR}) {
    SmallString<256> Path(Bin);
    sys::path::append(Path, Directory, "libtorchprof_preload.so");
    SmallString<256> Real;
    if (!sys::fs::real_path(Path, Real))
      return Real.str().str();
  }
  return std::string();
}

/// What is wrong with the value that \p Name gives an option of the runtime;
/// empty if nothing is.
static std::string whyNotAllowed(const Twine &Name, const char *Id,
                                 const std::string &Value) {
  if (Options().set(Id, Value))
    return std::string();
  return (Name + ": expected " + allowedValues(Id) + ", found '" +
          StringRef(refusedPart(Id, Value)) + "'")
      .str();
}

/// The same of this program's own options.
static std::string whyNotAllowed() {
  std::string Reason;
  for (const RuntimeOption *Option : RuntimeOptions)
    if (Reason.empty() && !Option->Values.empty())
      Reason = whyNotAllowed("--" + Option->Values.ArgStr, Option->Id,
                             Option->value());
  return Reason;
}

/// A roofline needs shapes beside what else is measured.
static void alsoMeasureShapes() {
  std::string Words = Measure.value();
  const char *Asked = getenv("TORCHPROF_RECORD");
  if (Measure.Values.empty() && Asked) {
    std::string Reason = whyNotAllowed("TORCHPROF_RECORD", Measure.Id, Asked);
    if (Reason.empty())
      Words = Asked;
    else // as the runtime would
      reportWarning(Reason);
  }
  if (Words.ends_with(',')) // a list may end with one
    Words.pop_back();
  Measure.Values.clear();
  if (!Words.empty())
    Measure.Values.push_back(Words);
  Measure.Values.push_back("shapes");
}

static std::vector<std::string> environmentFor(StringRef Preload,
                                               StringRef Path) {
  std::vector<std::string> Variables;
  for (const RuntimeOption *Option : RuntimeOptions)
    if (!Option->Values.empty())
      Variables.push_back(environmentName(Option->Id) + "=" + Option->value());
  if (Calibrate)
    Variables.push_back("TORCHPROF_CALIBRATE=on");
  Variables.push_back("TORCHPROF_FILE=" + temporaryPattern(Path));
  const char *Others = getenv("LD_PRELOAD");
  Variables.push_back(("LD_PRELOAD=" + Preload).str() +
                      (Others && *Others ? std::string(":") + Others : ""));
  return Variables;
}

/// The first of \p Words that is neither an option nor the value of one; null
/// if there is none, or an option that nobody knows comes before it.
static const char *firstOperand(ArrayRef<char *> Words) {
  const StringMap<cl::Option *> &Known = cl::getRegisteredOptions();
  for (size_t I = 0; I < Words.size(); ++I) {
    StringRef Word = Words[I];
    if (!Word.startswith("-"))
      return Words[I];
    auto Option = Known.find(Word.ltrim('-').split('=').first);
    if (Option == Known.end())
      return nullptr;
    bool IsSeparate = !Word.contains('=');
    if (IsSeparate &&
        Option->second->getValueExpectedFlag() == cl::ValueRequired)
      ++I;
  }
  return nullptr;
}

/// True for a file that a model is usually saved in.
static bool looksLikeModel(StringRef Path) {
  constexpr StringRef Extensions[] = {".pt", ".ptl", ".pth"};
  return is_contained(Extensions, sys::path::extension(Path)) &&
         sys::fs::exists(Path);
}

/// Whose profile one of several is.
static void printProcess(const KeptProfile &Profile) {
  constexpr size_t Longest = 60;
  StringRef Command = Profile.Facts.Command;
  size_t Shown = std::min(Longest, Command.size());
  // No character of UTF-8 is cut.
  while (Shown && Shown < Command.size() && (Command[Shown] & 0xc0) == 0x80)
    --Shown;
  outs() << ", process " << Profile.Process << ": "
         << printable(Command.take_front(Shown))
         << (Shown < Command.size() ? "..." : "");
}

static void showGroup(StringRef Bin, const ProfileGroup &Group,
                      bool IsOneOfSeveral) {
  const KeptProfile &First = *Group.front();
  if (Group.size() > 1)
    outs() << "profiles: " << printable(First.Path) << " and "
           << Group.size() - 1 << " more of processes that ran the same models"
           << (First.NothingAfter.empty() ? ", added up" : "");
  else
    outs() << "profile: " << printable(First.Path);
  if (any_of(Group, [](auto *Profile) { return Profile->processStillRuns(); }))
    outs() << (Group.size() > 1 ? ", some of which still run"
                                : ", whose process still runs");
  if (!First.NothingAfter.empty()) {
    outs() << ", with nothing after " << printable(First.NothingAfter) << '\n';
    return;
  }
  if (Group.size() == 1 && IsOneOfSeveral)
    printProcess(First);
  outs() << '\n';
  std::vector<StringRef> Paths;
  for (const KeptProfile *Profile : Group)
    Paths.push_back(Profile->Path);
  showProfiles(Bin, Paths, Force);
}

static void showAll(StringRef Bin, ArrayRef<KeptProfile> Profiles) {
  // The command's standard output is the command's. A closed standard error
  // was so for the command, too; from here on /dev/null stands there.
  if (sys::Process::FixupStandardFileDescriptors() ||
      dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return;
  bool Several = areOfSeveralProcesses(Profiles);
  for (const ProfileGroup &Group : groupProfiles(Profiles))
    showGroup(Bin, Group, Several);
  // The exit code is the command's.
  consumeError(flushStandardOutput());
}

/// \p Program left no profile that would have become \p Path.
static void reportNothing(StringRef Program, StringRef Path) {
  std::string Reason = whyNotRecorded();
  if (!Reason.empty())
    return reportWarning(Reason + ": there is nothing to show");
  reportWarning(Program +
                " ran no TorchScript model that could be recorded: there is "
                "nothing to show; a process that outlives it leaves " +
                temporaryNames(Path));
}

int main(int Argc, char **Argv) {
  noteIgnoredSignals();
  InitLLVM Init(Argc, Argv, /*InstallPipeSignalExitHandler=*/false);
  initTool(Argv[0]);
  cl::HideUnrelatedOptions(Category);
  // What stands behind -- is the command's, whatever it looks like.
  char **Stop = std::find_if(Argv, Argv + Argc, [](const char *Word) {
    return StringRef(Word) == "--";
  });
  if (const char *Word = firstOperand(ArrayRef(Argv + 1, Stop)))
    return reportError(Twine("the command ") + Word +
                       " must stand behind --, such as: torchprof-record -- "
                       "python3 app.py");
  if (!parseOptions(int(Stop - Argv), Argv, Overview))
    return ExitInput;
  std::vector<std::string> Words(std::min(Stop + 1, Argv + Argc), Argv + Argc);
  if (Words.empty())
    return reportError("no command given, such as: torchprof-record -- "
                       "python3 app.py");
  std::string Reason = whyNotAllowed();
  if (!Reason.empty())
    return reportError(Reason);
  if (Calibrate)
    alsoMeasureShapes();
  std::string Path = Output.empty() ? defaultProfile(Words) : Output;
  Reason = whyNotWritable(Path, FileKind::Profile, Force, {});
  if (!Reason.empty())
    return reportError(Path + ": " + Reason);
  std::string Bin(sys::path::parent_path(sys::fs::getMainExecutable(
      Argv[0], reinterpret_cast<void *>(&findPreload))));
  std::string Preload = findPreload(Bin);
  if (Preload.empty())
    return reportError("libtorchprof_preload.so is not in " + Bin + "/../lib");
  if (StringRef(Preload).find_first_of(" :") != StringRef::npos)
    return reportError(Preload + ": the loader takes a space or a colon in "
                                 "LD_PRELOAD for the end of a path; install "
                                 "torchprof elsewhere");

  CommandResult Result = runCommand(Words, environmentFor(Preload, Path));
  if (!Result.Error.empty() && looksLikeModel(Words.front()))
    return reportError(Words.front() + " is no command; to record a model: " +
                       "torchprof record " + Words.front());
  if (!Result.Error.empty())
    return reportError(Words.front() + ": " + Result.Error);
  std::vector<KeptProfile> Profiles =
      keepProfiles(Path, /*IsPattern=*/!Output.empty(), Force);
  releaseSignals();
  if (Profiles.empty())
    reportNothing(Words.front(), Path);
  else if (!Quiet)
    showAll(Bin, Profiles);
  endAs(Result);
}
