//===- ThreadSelection.h - which threads a command is about -----*- C++ -*-===//
//
// --thread: a glob on the thread's name, its kernel id, or the number of its
// lane; with name:, id: or lane: in front, only that. A profile loses the lanes
// that are not selected before anything is made of it, so all that is printed
// adds up within the selection. A span may begin on one thread and end on
// another, which is the one that counts it: of these the profile keeps how many
// have ended, but not their times, so children on the first have no parent.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_THREADSELECTION_H
#define TORCHPROF_REPORT_THREADSELECTION_H

#include "../Profile/Profile.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"

#include <memory>
#include <set>

namespace torchprof::report {

class ThreadSelection {
public:
  static llvm::Expected<ThreadSelection>
  create(llvm::ArrayRef<std::string> Threads);

  bool all() const { return Wanted.empty(); }

  /// Drops the lanes that are not selected, and the events of their threads.
  /// Their levels of memory stay aside, for what is said of the process.
  void keep(Profile &P);

  /// An error if one of the wanted threads was in no profile that keep() has
  /// seen; it names those that were.
  llvm::Error checkAllSeen() const;

private:
  struct Thread {
    std::string Text;                        ///< as it was given
    std::shared_ptr<const std::string> Glob; ///< the pattern refers to it
    llvm::GlobPattern Pattern;
    // What it may be.
    bool IsName = true, IsId = true, IsLane = true;
    bool Seen = false;

    bool matches(const Lane &L) const;
  };

  std::vector<Thread> Wanted;
  std::set<std::string> Existing;
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_THREADSELECTION_H
