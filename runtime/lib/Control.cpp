//===- Control.cpp - what a host asks of the collector --------------------===//

#include "Control.h"

#include "Clock.h"
#include "LogPages.h"
#include "Warn.h"
#include "torchprof/format/Manifest.h"

#include <cerrno>

namespace torchprof {

using namespace format;

void addModel(std::string_view Text) {
  ManifestHead Head;
  std::string Error;
  bool IsReadable = parseManifestHead(Text, Head, Error);
  ProcessLock Lock;
  Line.Program.readEnvironment();
  // Do not warn while recording is off: tools load models to rewrite them.
  bool ShouldWarn = Line.Program.Opts.Enabled;
  if (!IsReadable) {
    if (ShouldWarn)
      warn("model not recorded: %s", Error.c_str());
    return;
  }
  if (Line.Models.add(Head.ModelId, Head.SiteCount, Text) ==
          Registration::NoRoom &&
      ShouldWarn)
    warn("model not recorded: out of memory or slots");
}

void addNote(SiteId Site, DynamicKind Kind, std::string_view Text) {
  Slot Parent = Line.Models.slotOf(Site);
  if (Parent == NoSlot)
    return;
  Slot Note = Line.Children.childSlot(Parent, Kind, SiteName(Text));
  if (Recording *R = Recording::existing(); R && Note != NoSlot)
    R->writeNote(Note);
}

uint32_t regionNumber(std::string_view Name) {
  ProcessLock Lock;
  Line.Program.readEnvironment();
  return Line.Regions.numberOf(Name);
}

int setOption(std::string_view Name, std::string_view Value) {
  if (!allowedValues(Name))
    return ENOENT;
  ProcessLock Lock;
  Line.Program.readEnvironment();
  const Recording *R = Recording::existing();
  if (R && (Name != "file" || R->file().exists()))
    return EBUSY;
  if (!Line.Program.Opts.set(Name, Value))
    return EINVAL;
  if (Name == "clock")
    clock::choose(Value);
  return 0;
}

Options currentOptions() {
  ProcessLock Lock;
  Line.Program.readEnvironment();
  return Line.Program.Opts;
}

void setFramework(std::string_view Name) {
  ProcessLock Lock;
  Line.Program.Framework = Name;
}

void setDispatchCost(uint64_t TicksX16) {
  ProcessLock Lock;
  Line.Program.DispatchTicksX16 = TicksX16;
}

void setReadyCallback(ReadyCallback Callback, void *Context) {
  ProcessLock Lock;
  Line.Program.Callback = Callback;
  Line.Program.CallbackContext = Context;
}

std::string profilePath() {
  ProcessLock Lock;
  const Recording *R = Recording::existing();
  return R ? R->file().path() : std::string();
}

void start() {
  if (Recording *R = Recording::current())
    R->setWindow(true);
}

void stop() {
  {
    ProcessLock Lock; // a recording that is made now begins with a shut gate
    Line.Program.WindowOpen = false;
  }
  if (Recording *R = Recording::current())
    R->setWindow(false);
}

/// Folds what the calling thread has recorded.
static void foldOwnLog() {
  if (Lane *L = ThisLane; L && L->Attached)
    foldLog(*L);
}

void reset() {
  foldOwnLog();
  if (Recording *R = Recording::current())
    R->reset();
}

void step() {
  if (Recording *R = Recording::current())
    R->step(/*ByHost=*/true);
}

int flush() {
  Recording *R = Recording::existing();
  return R ? R->flush() : 0;
}

int snapshot(std::string_view Name) {
  Recording *R = Recording::existing();
  return R ? R->snapshot(std::string(Name)) : ENODATA;
}

uint64_t waitForSnapshot(uint64_t Above, uint64_t TimeoutMs) {
  Recording *R = Recording::current();
  return R ? R->waitForSnapshot(Above, TimeoutMs) : 0;
}

Totals totals() {
  foldOwnLog();
  Recording *R = Recording::existing();
  return R ? R->totals() : Totals{};
}

} // namespace torchprof
