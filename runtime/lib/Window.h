//===- Window.h - when spans are recorded -----------------------*- C++ -*-===//
//
// The gate, one word in the process page, follows the host's start() and
// stop(), its scopes and the schedule. A reset is an epoch: each owner empties
// its own cells at their next touch.
//
// The caller holds the process lock.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_WINDOW_H
#define TORCHPROF_WINDOW_H

#include "Host.h"
#include "Process.h"

namespace torchprof {

class Window {
public:
  explicit Window(const Host &Program) : Program(Program) {}

  /// The first epoch, with the gate as the host wants it.
  void begin();

  /// Opens or shuts the gate as the host and the schedule say. True if that
  /// changes it.
  bool update();

  /// Opens the gate anew if the clock was set back to before its opening, and
  /// lets the epoch go on. True if it was.
  bool followClock();

  /// Empties all cells. The gate is opened anew, so that spans that are open
  /// now count as cut. Returns the new epoch.
  EpochStart reset();

  /// From here on only the host makes steps: all before lies in its first one.
  void leaveStepsToHost();

  /// What the step that ends leads to. The gate stays as it is: the caller
  /// does what is asked here, and then calls update().
  struct StepEnd {
    bool EndsCycle = false;   ///< it was the last active one of its cycle
    bool StartsEmpty = false; ///< the next one begins with empty cells
  };
  StepEnd endStep();

  /// True if a run that found the gate at \p Open when it ended, 0 if the
  /// opening has cut it, makes a step now. It may have waited since: a step
  /// that is recorded is none of a run that began before its window opened, or
  /// that ended in an earlier one.
  bool isStepOfRun(uint64_t Open) const;

  /// True if the step that ends now has to wait while a cycle is copied: it
  /// leads to a copy or to empty cells itself, or is one that is recorded.
  bool needsTurn() const;

  /// Keeps the gate shut while an object lives, and after that until the next
  /// update().
  class Pause {
  public:
    explicit Pause(Window &Of);
    ~Pause() { Of.IsPaused = false; }
    Pause(const Pause &) = delete;
    Pause &operator=(const Pause &) = delete;

  private:
    Window &Of;
  };

private:
  StepEnd nextEnd() const;
  void noteEnd();

  const Host &Program;
  bool IsPaused = false;
  // Not the host's: a child of fork begins its schedule anew.
  bool StepsItself = false; ///< the host calls step(); runs are no steps
  uint64_t Step = 0;        ///< of the schedule
};

} // namespace torchprof

#endif // TORCHPROF_WINDOW_H
