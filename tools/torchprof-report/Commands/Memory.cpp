//===- Memory.cpp - who allocated what is alive ---------------------------===//

#include "../Report/AliveBlocks.h"
#include "Command.h"
#include "Options.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace memory_command {

namespace {
cl::SubCommand Command("memory",
                       "Print who allocated what was alive at the peak");
InputOptions Input(Command);
OutputOptions Output(Command);
SelectionOptions Choice(Command);
TableOptions Tables(Command);
cl::opt<unsigned> Limit("limit", cl::desc("Print at most n rows (0: all)"),
                        cl::value_desc("n"), cl::init(20), cl::sub(Command));
} // namespace

/// Options of other commands that this one refuses are in no help.
[[maybe_unused]] static const bool AreHidden = [] {
  Input.Threads.Threads.setHiddenFlag(cl::ReallyHidden);
  Output.Unit.setHiddenFlag(cl::ReallyHidden);
  return true;
}();

static Expected<Outcome> run() {
  if (Output.Unit.getNumOccurrences())
    return createStringError(inconvertibleErrorCode(),
                             "--unit: there is no time in this table");
  if (!Input.Threads.Threads.empty())
    return createStringError(inconvertibleErrorCode(),
                             "--thread: who allocated what is known of the "
                             "whole process, not of threads");
  SiteTable Sites;
  std::vector<AliveBlocks> Blocks; ///< by place of memory
  std::string Unfit;
  if (Error E = Input.addTo(
          Sites, {/*Histograms=*/false},
          [&](Profile &P, const SlotToSite &Slots) {
            if (none_of(P.Books, [](const Optional<BlockBooks> &Books) {
                  return Books.hasValue();
                }))
              Unfit = P.FileName +
                      (P.State == format::FileState::Merged
                           ? ": merging keeps no books of who allocated what: "
                             "give the profile of one process"
                           : ": who allocated what was not recorded; "
                             "TORCHPROF_RECORD=blocks records it");
            else if (Sites.profiles() > 1)
              Unfit = P.FileName + ": the books of two processes do not add "
                                   "up: give one profile";
            else
              for (const Optional<BlockBooks> &Books : P.Books)
                if (Books)
                  Blocks.emplace_back(P, *Books, Slots);
          }))
    return E;
  if (!Unfit.empty())
    return createStringError(inconvertibleErrorCode(), Unfit);
  Expected<Selection> Selected = Choice.select(Sites);
  if (!Selected)
    return Selected.takeError();
  Document D;
  for (const AliveBlocks &Here : Blocks) {
    D.Tables.push_back(makePeakTable(Sites, *Selected, Here, Limit));
    D.Tables.push_back(makeGrowthTable(Sites, *Selected, Here, Limit));
  }
  if (Error E = Tables.choose(D))
    return E;
  // An empty table says less than none.
  if (Output.Format == TableFormat::Table)
    erase_if(D.Tables, [](const Table &T) {
      return T.Rows.empty() && all_of(T.Footer, [](const FooterLine &Line) {
               return Line.ForMachines;
             });
    });
  if (Error E = Output.print(D))
    return E;
  return Outcome::Fine;
}

static CommandRegistration Registration(Command, run, "memory model.tprof");

} // namespace memory_command
