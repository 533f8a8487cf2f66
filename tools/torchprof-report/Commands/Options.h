//===- Options.h - option groups that commands share ------------*- C++ -*-===//
//
// A command has a member of these structs for each group it takes, so an
// option is the same in every command that has it.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_OPTIONS_H
#define TORCHPROF_REPORT_OPTIONS_H

#include "../Profile/ProfileReader.h"
#include "../Report/Roofline.h"
#include "../Report/Selection.h"
#include "../Report/Table.h"
#include "../Report/ThreadSelection.h"

#include "llvm/ADT/Optional.h"
#include "llvm/Support/CommandLine.h"

#include <limits>

namespace torchprof::report {

/// --thread
struct ThreadOptions {
  llvm::cl::list<std::string> Threads;

  explicit ThreadOptions(llvm::cl::SubCommand &Sub);

  llvm::Expected<ThreadSelection> select() const {
    return ThreadSelection::create(Threads);
  }
};

/// --source-prefix
struct SourceOptions {
  llvm::cl::list<std::string> Prefixes;

  explicit SourceOptions(llvm::cl::SubCommand &Sub);

  /// Makes \p Sites leave the chosen directories out.
  void apply(SiteTable &Sites) const;
};

/// FILE.tprof..., --thread, --source-prefix
struct InputOptions {
  llvm::cl::list<std::string> Files;
  ThreadOptions Threads;
  SourceOptions Source;

  explicit InputOptions(llvm::cl::SubCommand &Sub)
      : Files(llvm::cl::Positional, llvm::cl::ZeroOrMore,
              llvm::cl::desc("FILE.tprof..."), llvm::cl::sub(Sub)),
        Threads(Sub), Source(Sub) {}

  /// Loads every file and adds it to \p Sites; prints warnings. \p Visit, if
  /// given, sees each profile before it is dropped.
  llvm::Error addTo(SiteTable &Sites, AddOptions Options = {},
                    llvm::function_ref<void(Profile &, const SlotToSite &)>
                        Visit = nullptr) const;
};

/// -o and, for text, --format, --unit, --width, --color.
struct OutputOptions {
  llvm::cl::opt<std::string> File;
  llvm::cl::opt<TableFormat> Format;
  llvm::cl::opt<TimeUnit> Unit;
  llvm::cl::opt<unsigned> Width;

  explicit OutputOptions(llvm::cl::SubCommand &Sub);

  /// Prints \p D in the chosen format to the chosen file.
  llvm::Error print(const Document &D) const;
};

/// --table, of commands that print several.
struct TableOptions {
  llvm::cl::list<std::string> Ids;

  explicit TableOptions(llvm::cl::SubCommand &Sub)
      : Ids("table", llvm::cl::CommaSeparated,
            llvm::cl::desc("Print only these tables, by the names in JSON"),
            llvm::cl::value_desc("name,..."), llvm::cl::sub(Sub)) {}

  /// Leaves the tables that were asked for, all if none were.
  llvm::Error choose(Document &D) const;
};

/// --include, --exclude
struct SelectionOptions {
  llvm::cl::list<std::string> Include;
  llvm::cl::list<std::string> Exclude;

  explicit SelectionOptions(llvm::cl::SubCommand &Sub);

  /// Compiles the globs and checks that each matches a site of one of \p
  /// Tables.
  llvm::Expected<Selection>
  select(llvm::ArrayRef<const SiteTable *> Tables) const;
  llvm::Expected<Selection> select(const SiteTable &Sites) const {
    return select(&Sites);
  }
};

/// --columns, --list-columns
struct ColumnOptions {
  llvm::cl::list<std::string> Ids;
  llvm::cl::opt<bool> List;

  explicit ColumnOptions(llvm::cl::SubCommand &Sub);

  /// The ids that were asked for, \p Default if none were.
  std::vector<std::string> ids(llvm::ArrayRef<llvm::StringRef> Default) const;
};

/// What \p Option says, 5 of "5" and of "5%"; none if it was not given. A gate
/// must not be off because of a number that nothing is above, so infinity is an
/// error as much as NaN. So is no text, as of a shell's variable that is not
/// set.
llvm::Expected<llvm::Optional<double>>
percentage(const llvm::cl::opt<std::string> &Option,
           double Most = std::numeric_limits<double>::max());

/// --min-pct; \p Help says of what, and what it is if it is not given.
struct LeastShareOption {
  llvm::cl::opt<std::string> Text;

  LeastShareOption(llvm::cl::SubCommand &Sub, const char *Help,
                   llvm::cl::OptionHidden Hidden = llvm::cl::NotHidden);

  /// From 0 to 100; none if it was not given.
  llvm::Expected<llvm::Optional<double>> percent() const {
    return percentage(Text, 100);
  }
};

/// --peak-gflops, --peak-gbytes
struct RoofOptions {
  llvm::cl::opt<double> Gflops;
  llvm::cl::opt<double> Gbytes;

  explicit RoofOptions(llvm::cl::SubCommand &Sub);

  /// Puts what was given in the place of what was measured.
  llvm::Error apply(Roof &To) const;
};

/// Whether what dropFalseCells() and dropFalseTimes() remove is left out, with
/// a warning.
enum class FalseNumbers { LeftOut, Kept };

/// Loads a profile without the threads that are not selected and prints its
/// warnings. writeOutput() does not replace it.
llvm::Expected<Profile>
loadWithWarnings(llvm::StringRef Path, ThreadSelection *Threads = nullptr,
                 FalseNumbers Numbers = FalseNumbers::LeftOut);

/// For another command line in the same process.
void forgetInputs();

/// Runs \p Write on a stream that becomes \p Path only if everything worked:
/// a failure leaves no file and an older one as it was. "-" is stdout; a
/// device, a pipe and what /dev/stdout or another name of /proc stands for are
/// written to, and the target of a symbolic link is replaced, not the link. A
/// profile that was read is not replaced, not even by another one, which would
/// hold less (merge, check --recover).
llvm::Error
writeOutput(llvm::StringRef Path,
            llvm::function_ref<llvm::Error(llvm::raw_ostream &)> Write);

/// The same of a profile, which replaces a profile or an empty file alone, as
/// those of the other tools do.
llvm::Error writeProfileTo(llvm::StringRef Path, const Profile &P);

/// The same of its JSON form, which replaces a profile as JSON or an empty file
/// alone.
llvm::Error writeJsonTo(llvm::StringRef Path, const Profile &P);

/// True if stdout shows colors and NO_COLOR is not set.
bool terminalColors();

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_OPTIONS_H
