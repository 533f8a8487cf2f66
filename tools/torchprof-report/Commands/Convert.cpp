//===- Convert.cpp - between .tprof and JSON ------------------------------===//
//
// For tests, which hold their profiles as text, and for looking into a file.
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Options.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace convert_command {

namespace {
enum class Form { Other, Binary, Json };

cl::SubCommand Convert("convert", "Turn a profile into JSON, or back");
cl::opt<std::string> Input(cl::Positional, cl::Required, cl::desc("FILE"),
                           cl::sub(Convert));
cl::opt<std::string> Output("o", cl::desc("Write to this file, not to stdout"),
                            cl::value_desc("file"), cl::init("-"),
                            cl::sub(Convert));
cl::opt<Form>
    To("to",
       cl::desc("What to write (default: the other form than the input's)"),
       cl::init(Form::Other), cl::sub(Convert),
       cl::values(clEnumValN(Form::Binary, "tprof", "a profile"),
                  clEnumValN(Form::Json, "json", "JSON text")));
ThreadOptions Threads(Convert);
} // namespace

/// True if a probe has run on a lane since the profile was emptied.
static bool hasRecorded(const Profile &P) {
  return any_of(P.Lanes, [&](const Lane &L) {
    return any_of(L.Cells, [&](ArrayRef<format::Cell> Cells) {
      return any_of(Cells, [&](const format::Cell &C) {
        return C.Epoch == static_cast<uint32_t>(P.Epoch) &&
               (C.Word > 1 || C.Begins || C.Cut);
      });
    });
  });
}

static Expected<Outcome> run() {
  Expected<ThreadSelection> Selected = Threads.select();
  if (!Selected)
    return Selected.takeError();
  Expected<Profile> P = loadWithWarnings(Input, &*Selected, FalseNumbers::Kept);
  if (!P)
    return P.takeError();
  if (Error E = Selected->checkAllSeen())
    return E;
  if (!Selected->all() && !hasRecorded(*P))
    return createStringError(inconvertibleErrorCode(),
                             "no thread of --thread has recorded anything");
  bool Json = To == Form::Json || (To == Form::Other && P->isBinary());
  if (Error E = Json ? writeJsonTo(Output, *P) : writeProfileTo(Output, *P))
    return E;
  return Outcome::Fine;
}

static CommandRegistration
    Registration(Convert, run, "convert model.tprof --to=json -o model.json");

} // namespace convert_command
