//===- Profiles.cpp - what the processes of a command left ----------------===//

#include "Profiles.h"

#include "../common/Messages.h"
#include "../common/OutputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <map>
#include <tuple>
#include <utility>

namespace torchprof {

using namespace llvm;

/// The word of a Python's command line that says what runs: a file, or the
/// module behind -m; empty if it is code behind -c or on standard input.
/// Options of one letter may stand together: -uc CODE, -um MODULE, -Wignore.
static StringRef scriptOf(const std::vector<std::string> &Command) {
  auto WordAt = [&](size_t I) {
    return I < Command.size() ? StringRef(Command[I]) : StringRef();
  };
  for (size_t I = 1; I < Command.size(); ++I) {
    StringRef Word = Command[I];
    if (Word == "-")
      return StringRef();
    if (Word == "--")
      return WordAt(I + 1);
    if (!Word.startswith("-"))
      return Word;
    if (Word.startswith("--")) {
      I += Word == "--check-hash-based-pycs";
      continue;
    }
    // The first letter that takes a value has the rest of the word, or the next
    // one.
    size_t Letter = Word.find_first_of("cmWX");
    if (Letter == StringRef::npos)
      continue;
    StringRef Value = Word.drop_front(Letter + 1);
    if (Word[Letter] == 'c')
      return StringRef();
    if (Word[Letter] == 'm')
      return Value.empty() ? WordAt(I + 1) : Value;
    I += Value.empty();
  }
  return StringRef();
}

std::string defaultProfile(const std::vector<std::string> &Command) {
  StringRef Program = sys::path::filename(Command.front());
  StringRef Name = Program;
  if (Program.startswith("python"))
    if (StringRef Script = scriptOf(Command); !Script.empty())
      Name = sys::path::filename(Script);
  for (StringRef Suffix : {".py", ".sh"})
    Name.consume_back(Suffix);
  return (Name + ".tprof").str();
}

/// What tells this recording's temporary names from those of others: in
/// containers, process ids are the same each time.
static std::string recordingId() {
  static const unsigned Number = sys::Process::GetRandomNumber();
  std::string Digits = utohexstr(Number, /*LowerCase=*/true);
  return std::string(8 - Digits.size(), '0') + Digits;
}

/// Before the process's number in a temporary name.
static std::string temporaryStem(StringRef Final) {
  SmallString<256> Path(Final);
  sys::fs::make_absolute(Path);
  StringRef Stem = Path;
  Stem.consume_back(".tprof");
  return (Stem + "." + recordingId() + "-").str();
}

std::string temporaryPattern(StringRef Final) {
  // A percent sign of the user's is not one of the runtime's.
  std::string Pattern;
  for (char C : temporaryStem(Final))
    Pattern.append(C == '%' ? 2 : 1, C);
  return Pattern + "%p.tprof";
}

std::string temporaryNames(StringRef Final) {
  return temporaryStem(Final) + "*.tprof";
}

bool KeptProfile::processStillRuns() const {
  // One that is dead and not waited for has no program any more.
  return Facts.IsOpen && sys::fs::exists("/proc/" + Twine(Process) + "/exe");
}

namespace {
/// A file that was written under a temporary name.
struct Written {
  uint64_t Process = 0;
  std::string Rest; ///< what the runtime added, ".1" for a first snapshot, and
                    ///< for the profile of a process's second program
  std::string Path;
  ProfileFacts Facts;

  /// Programs in the order in which they began, and of each its snapshots, then
  /// its profile.
  auto order() const {
    return std::tuple(Facts.Start, Process, !Facts.IsSnapshot, Facts.EndTicks,
                      StringRef(Rest));
  }
};
} // namespace

/// What anybody has put there under temporary names of this recording.
static std::vector<Written> findNames(StringRef Final) {
  std::string Path = temporaryStem(Final);
  // Names only: the directory can be spelled in more than one way.
  StringRef Stem = sys::path::filename(Path);
  std::vector<Written> Found;
  std::error_code Error;
  for (sys::fs::directory_iterator It(sys::path::parent_path(Path), Error), End;
       !Error && It != End; It.increment(Error)) {
    StringRef Name = sys::path::filename(It->path());
    Written File;
    File.Path = It->path();
    if (Name.consume_front(Stem) && Name.consume_back(".tprof") &&
        !Name.consumeInteger(10, File.Process)) {
      File.Rest = Name.str();
      Found.push_back(std::move(File));
    }
  }
  return Found;
}

static std::vector<Written> findWritten(StringRef Final) {
  std::vector<Written> Named = findNames(Final), Found;
  llvm::sort(Named, [](const Written &A, const Written &B) {
    return A.Path < B.Path; // the order of warnings
  });
  for (Written &File : Named) {
    Expected<ProfileFacts> Facts = factsOf(File.Path);
    if (!Facts) {
      reportWarning(File.Path + ": " + toString(Facts.takeError()) +
                    "; left alone");
      continue;
    }
    File.Facts = std::move(*Facts);
    Found.push_back(std::move(File));
  }
  llvm::sort(Found, [](const Written &A, const Written &B) {
    return A.order() < B.order();
  });
  return Found;
}

/// \p Final with the number of a process for each %p in it, if it \p IsPattern,
/// or with \p Number, if there is one, at its end; before its ".tprof" what the
/// runtime added.
static std::string nameOf(StringRef Final, bool IsPattern, const Written &File,
                          Optional<unsigned> Number) {
  StringRef Suffix = ".tprof";
  if (!Final.consume_back(Suffix))
    Suffix = "";
  SmallVector<StringRef, 2> Parts;
  if (IsPattern)
    Final.split(Parts, "%p");
  else
    Parts.push_back(Final);
  std::string Name = join(Parts, std::to_string(File.Process));
  if (Number && Parts.size() == 1)
    Name.append("-").append(std::to_string(*Number));
  return Name + File.Rest + Suffix.str();
}

/// Whether \p Profile has recorded nothing after \p Before, its last snapshot.
static bool isNothingAfter(const KeptProfile &Before,
                           const KeptProfile &Profile) {
  const ProfileFacts &Then = Before.Facts, &Now = Profile.Facts;
  return Before.Process == Profile.Process && Then.Start == Now.Start &&
         Then.IsSnapshot && !Now.IsSnapshot && Then.IsWhole && Now.IsWhole &&
         Then.Records == Now.Records;
}

std::vector<KeptProfile> keepProfiles(StringRef Final, bool IsPattern,
                                      bool Force) {
  std::vector<Written> Found = findWritten(Final);
  bool Several = areOfSeveralProcesses(Found);
  std::vector<KeptProfile> Kept;
  // A process that runs another program has its number all the same.
  std::map<uint64_t, unsigned> Numbers;
  for (Written &File : Found) {
    unsigned Number =
        Numbers.emplace(File.Process, Numbers.size() + 1).first->second;
    std::string Name =
        nameOf(Final, IsPattern, File, Several ? Optional(Number) : None);
    std::string Reason = whyNotWritable(Name, FileKind::Profile, Force, {});
    if (Reason.empty())
      if (std::error_code Failed = sys::fs::rename(File.Path, Name))
        Reason = Failed.message();
    if (!Reason.empty()) {
      reportWarning(Name + ": " + Reason);
      Name = File.Path;
    }
    KeptProfile Profile{Name, "", File.Process, std::move(File.Facts)};
    if (!Kept.empty() && isNothingAfter(Kept.back(), Profile))
      Profile.NothingAfter = Kept.back().Path;
    Kept.push_back(std::move(Profile));
  }
  return Kept;
}

std::vector<ProfileGroup> groupProfiles(ArrayRef<KeptProfile> Profiles) {
  // One of each process is added up, of a schedule the same cycle: what a
  // process counts of itself is in all of its profiles.
  std::map<std::pair<uint64_t, bool>, unsigned> FilesOf;
  std::map<std::tuple<std::vector<uint64_t>, bool, bool, unsigned>,
           ProfileGroup>
      Alike;
  std::vector<ProfileGroup *> GroupOf;
  for (const KeptProfile &Profile : Profiles) {
    const ProfileFacts &Facts = Profile.Facts;
    unsigned Number = ++FilesOf[{Profile.Process, Facts.IsSnapshot}];
    GroupOf.push_back(nullptr);
    if (!Facts.IsWhole || Facts.Models.empty())
      continue;
    GroupOf.back() = &Alike[{Facts.Models, Facts.IsSnapshot,
                             Profile.NothingAfter.empty(), Number}];
    GroupOf.back()->push_back(&Profile);
  }
  std::vector<ProfileGroup> Groups;
  for (size_t I = 0; I < Profiles.size(); ++I) {
    const KeptProfile *Profile = &Profiles[I];
    if (!GroupOf[I] || GroupOf[I]->size() <= MostShownAlone)
      Groups.push_back({Profile});
    else if (GroupOf[I]->front() == Profile) // else shown with an earlier one
      Groups.push_back(*GroupOf[I]);
  }
  return Groups;
}

} // namespace torchprof
