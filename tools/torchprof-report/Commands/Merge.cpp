//===- Merge.cpp - many profiles into one file ----------------------------===//

#include "../Report/Merge.h"
#include "../../common/Messages.h"
#include "../Report/JoinParts.h"
#include "Command.h"
#include "Options.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace merge_command {

namespace {
cl::SubCommand Command("merge", "Add profiles up into one file");
cl::list<std::string> Files(cl::Positional, cl::OneOrMore,
                            cl::desc("FILE.tprof..."), cl::sub(Command));
cl::opt<std::string> Output("o", cl::desc("File to write"), cl::Required,
                            cl::value_desc("file"), cl::sub(Command));
cl::opt<bool> Mixed("mixed", cl::desc("Merge profiles of different models"),
                    cl::sub(Command));
cl::opt<bool> AreParts("parts",
                       cl::desc("Join snapshots of one process, each emptied "
                                "after it, in any order"),
                       cl::sub(Command));
ThreadOptions Threads(Command);
} // namespace

static Expected<Profile> addUp(ThreadSelection &Selected) {
  Merger Sum(Mixed);
  for (const std::string &Path : Files) {
    Expected<Profile> P = loadWithWarnings(Path, &Selected);
    if (!P)
      return P.takeError();
    if (Error E = Sum.add(*P))
      return E;
  }
  if (Error E = Selected.checkAllSeen())
    return E;
  for (const std::string &Text : Sum.warnings())
    reportWarning(Text);
  if (!Sum.dropped().empty())
    reportWarning(join(Sum.dropped(), ", ") +
                  " are not merged; only what was counted is");
  return Sum.finish();
}

static Expected<Profile> join(ThreadSelection &Selected) {
  std::vector<Profile> Parts;
  for (const std::string &Path : Files) {
    Expected<Profile> P = loadWithWarnings(Path, &Selected);
    if (!P)
      return P.takeError();
    Parts.push_back(std::move(*P));
  }
  if (Error E = Selected.checkAllSeen())
    return E;
  return joinParts(std::move(Parts));
}

static Expected<Outcome> run() {
  Expected<ThreadSelection> Selected = Threads.select();
  if (!Selected)
    return Selected.takeError();
  Expected<Profile> Result = AreParts ? join(*Selected) : addUp(*Selected);
  if (!Result)
    return Result.takeError();
  if (Error E = writeProfileTo(Output, *Result))
    return E;
  return Outcome::Fine;
}

static CommandRegistration Registration(Command, run,
                                        "merge worker-*.tprof -o all.tprof");

} // namespace merge_command
