//===- RecordingFile.cpp - what a recording puts into its file ------------===//
//
// The profile is made when the first span needs a cell, or early if the host
// asks for that. What the host tells before waits in the lineage or in logs,
// and is written then.
//
//===----------------------------------------------------------------------===//

#include "Recording.h"

#include "ProcessInfo.h"
#include "Warn.h"
#include "torchprof/format/Segments.h"

#include <new>

namespace torchprof {

using namespace format;

void Recording::noteFileError() try {
  Failure Why = File.takeFailure();
  if (!Why)
    return;
  torchprof::count(Counter::FileErrors);
  if (WarnedOfFile)
    return;
  WarnedOfFile = true;
  const std::string &Name = File.path();
  if (Name.empty())
    warn("%s: cannot create the profile: %s; recording in memory only",
         expandPattern(Shared.Program.Opts.File, 0).c_str(), Why.text());
  else
    warn("%s: cannot grow the profile: %s; what does not fit is kept in memory",
         Name.c_str(), Why.text());
} catch (const std::bad_alloc &) {
  // The counter says it.
}

void Recording::createProfile() {
  if (File.exists())
    return;
  std::string Wanted = expandPattern(Shared.Program.Opts.File, 0);
  const Host &Program = Shared.Program;
  File.create(Wanted, {.MayCreate = !Program.OpenedEarly,
                       .MayReopen = Program.Opts.Open != "early",
                       .MustBeInherited = Program.FileIsFromEnvironment});
  noteFileError();
  if (!File.exists())
    return;
  Shared.Program.HasRecorded = true;
  // A host that sets names with numbers in them asks for the profile's.
  bool IsAsked =
      !Program.FileIsFromEnvironment && namesSnapshots(Program.Opts.File);
  if (File.isNumbered() && !IsForked && !IsAsked)
    note("%s exists; recording into %s", Wanted.c_str(), File.path().c_str());
  EpochStart Now = currentEpoch();
  File.header()->Epoch = Now.Number;
  File.header()->ResetTicks = Now.Ticks;
  using ProcessSegment = SegmentOf<SegmentType::Process>;
  if (SegmentHeader *Head =
          File.add(SegmentType::Process, ProcessSegment::payloadBytes())) {
    Record = &ProcessSegment(Head).record();
    describeProcess(*Record, Shared.Program);
    Record->LoweredProbeTicksX16 = ProbeTicksX16;
    writeFrameworkLocked();
    moveCounters(Record->Counters);
    File.publish();
  }
  using ClockSegment = SegmentOf<SegmentType::Clock>;
  if (SegmentHeader *Head =
          File.add(SegmentType::Clock,
                   ClockSegment::payloadBytes(ClockTable::Capacity))) {
    Clock.begin(*Head);
    File.publish();
  }
  writeMachineLocked();
  Shared.Children.each([this](const RegisteredChild &C) {
    if (!hasSpans(C.Kind))
      Sites.write(C.Site);
  });
  // A run may go on in a child of fork: its nodes then come to the log, but no
  // root to Sites.write().
  if (IsForked)
    Shared.Models.each([this](const RegisteredModel &M) {
      if (M.hasRun())
        Sites.write(M.FirstSlot);
    });
  for (const PlanEvent &Event : Plans.takeWaiting())
    writePlan(Event);
  for (const LoadEvent &Event : Loads.takeWaiting())
    Loads.write(File, Event);
}

void Recording::openEarly() {
  try {
    createProfile();
  } catch (const std::bad_alloc &) {
    // What there is of the file goes on, or the recording is in memory.
  }
  noteFileError();
  Shared.Program.OpenedEarly = true;
}

void Recording::writeFrameworkLocked() {
  copyText(Record->Framework, Shared.Program.Framework);
  Record->ExplicitProbeTicksX16 =
      ProbeTicksX16 + Shared.Program.DispatchTicksX16;
  Record->PairOffsetTicksX16 = Shared.Program.PairOffsetTicksX16;
}

void Recording::writeFramework() {
  ProcessLock Lock;
  if (Record)
    writeFrameworkLocked();
}

void Recording::writeMachineLocked() {
  using MachineSegment = SegmentOf<SegmentType::Machine>;
  if (Shared.Program.Machine.Threads == 0)
    return;
  if (SegmentHeader *Head =
          File.add(SegmentType::Machine, MachineSegment::payloadBytes())) {
    MachineSegment(Head).record() = Shared.Program.Machine;
    File.publish();
  }
}

void Recording::writeMachine() {
  ProcessLock Lock;
  if (!File.exists())
    return;
  writeMachineLocked();
  noteFileError();
}

void Recording::writeNote(Slot Child) {
  ProcessLock Lock;
  if (!File.exists())
    return;
  try {
    Sites.write(Child);
  } catch (const std::bad_alloc &) {
    // The site is in the profile without its note.
  }
  noteFileError();
}

void Recording::writePlan(const PlanEvent &Event) {
  for (Slot Site : {Event.Root, runRootOf(Event), Event.First})
    Sites.write(Site);
  Plans.write(File, Event);
}

void Recording::notePlan(const PlanEvent &Event) {
  ProcessLock Lock;
  try {
    if (File.exists())
      writePlan(Event);
    else
      Plans.wait(Event);
  } catch (const std::bad_alloc &) {
    torchprof::count(Counter::DroppedPlans);
  }
  noteFileError();
}

void Recording::noteLoad(const LoadEvent &Event) {
  ProcessLock Lock;
  Recording *R = existing();
  if (!R)
    return Line.Loads.own().add(Event);
  if (R->File.exists())
    R->Loads.write(R->File, Event);
  else
    R->Loads.wait(Event);
  R->noteFileError();
}

} // namespace torchprof
