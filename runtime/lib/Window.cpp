//===- Window.cpp - when spans are recorded -------------------------------===//

#include "Window.h"

#include "Clock.h"
#include "Process.h"

namespace torchprof {

void Window::begin() {
  Process.Epoch.store(1, std::memory_order_relaxed);
  Process.CountsSteps.store(Program.Opts.Enabled &&
                                Program.Opts.Schedule.exists() &&
                                !Program.StepsItself,
                            std::memory_order_relaxed);
  update();
}

bool Window::update() {
  const Schedule &Plan = Program.Opts.Schedule;
  bool Open = Program.Opts.Enabled && Program.WindowOpen &&
              (!Plan.exists() || Plan.isRecorded(Program.Step));
  bool IsOpen = Process.Open.load(std::memory_order_relaxed) != 0;
  if (Open == IsOpen)
    return false;
  uint64_t Now = clock::ticks();
  Process.Open.store(Open ? (Now ? Now : 1) : 0, std::memory_order_release);
  return true;
}

void Window::shut() { Process.Open.store(0, std::memory_order_release); }

EpochStart Window::reset() {
  bool WasOpen = Process.Open.exchange(0) != 0;
  EpochStart Started = beginEpoch();
  if (WasOpen)
    update();
  return Started;
}

void Window::leaveStepsToHost() {
  if (Program.StepsItself)
    return;
  Program.StepsItself = true;
  Program.Step = 0; // runs were counted, which lie in the host's first step
  Process.CountsSteps.store(0, std::memory_order_relaxed);
}

Window::StepEnd Window::endStep() {
  const Schedule &Plan = Program.Opts.Schedule;
  StepEnd End;
  if (!Plan.exists() || !Program.Opts.Enabled)
    return End;
  End.EndsCycle = Plan.endsCycle(Program.Step);
  Schedule::Phase Before = Plan.phase(Program.Step);
  Schedule::Phase After = Plan.phase(++Program.Step);
  End.StartsEmpty = After == Schedule::Phase::Active &&
                    (End.EndsCycle || Before != Schedule::Phase::Active);
  return End;
}

} // namespace torchprof
