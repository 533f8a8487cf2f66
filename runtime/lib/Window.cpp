//===- Window.cpp - when spans are recorded -------------------------------===//

#include "Window.h"

#include "Clock.h"
#include "Process.h"

namespace torchprof {

void Window::begin() {
  Process.Epoch.store(1, std::memory_order_relaxed);
  Process.CountsSteps.store(Program.Opts.Enabled &&
                                Program.Opts.Schedule.exists(),
                            std::memory_order_relaxed);
  update();
}

/// Notes that the schedule's last cycle has ended, if it has.
void Window::noteEnd() {
  const Schedule &Plan = Program.Opts.Schedule;
  if (Plan.exists() && Plan.isOver(Step))
    Process.StepsAreOver.store(1, std::memory_order_relaxed);
}

bool Window::update() {
  const Schedule &Plan = Program.Opts.Schedule;
  bool Open = Program.Opts.Enabled && !IsPaused &&
              (Program.WindowOpen || Process.OpenForScopes) &&
              (!Plan.exists() || Plan.isRecorded(Step));
  bool IsOpen = Process.Open.load(std::memory_order_relaxed) != 0;
  if (Open == IsOpen)
    return false;
  uint64_t Now = clock::ticks();
  Process.Open.store(Open ? (Now ? Now : 1) : 0, std::memory_order_release);
  return true;
}

Window::Pause::Pause(Window &Of) : Of(Of) {
  Of.IsPaused = true;
  Process.Open.store(0, std::memory_order_release);
}

bool Window::followClock() {
  uint64_t Open = Process.Open.load(std::memory_order_relaxed);
  uint64_t Now = clock::fencedTicks();
  if (!clock::isBefore(Now, Open))
    return false;
  beginEpochBy(Now);
  Process.Open.store(Now ? Now : 1, std::memory_order_release);
  return true;
}

EpochStart Window::reset() {
  bool WasOpen = Process.Open.exchange(0) != 0;
  EpochStart Started = beginEpoch();
  if (WasOpen)
    update();
  return Started;
}

void Window::leaveStepsToHost() {
  if (StepsItself)
    return;
  StepsItself = true;
  Step = 0; // runs were counted, which lie in the host's first step
  Process.CountsSteps.store(0, std::memory_order_relaxed);
}

/// What the present step leads to when it ends.
Window::StepEnd Window::nextEnd() const {
  const Schedule &Plan = Program.Opts.Schedule;
  StepEnd End;
  if (!Plan.exists() || !Program.Opts.Enabled)
    return End;
  Schedule::Phase Present = Plan.phase(Step);
  End.EndsCycle = Plan.endsCycle(Step);
  End.StartsEmpty = Plan.phase(Step + 1) == Schedule::Phase::Active &&
                    (End.EndsCycle || Present != Schedule::Phase::Active);
  return End;
}

bool Window::isStepOfRun(uint64_t Open) const {
  if (StepsItself)
    return false;
  return !Program.Opts.Schedule.isRecorded(Step) ||
         Process.Open.load(std::memory_order_relaxed) == Open;
}

bool Window::needsTurn() const {
  StepEnd End = nextEnd();
  return End.EndsCycle || End.StartsEmpty ||
         (IsPaused && Program.Opts.Schedule.isRecorded(Step));
}

Window::StepEnd Window::endStep() {
  StepEnd End = nextEnd();
  if (Program.Opts.Schedule.exists() && Program.Opts.Enabled) {
    ++Step;
    noteEnd();
  }
  return End;
}

} // namespace torchprof
