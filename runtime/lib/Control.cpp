//===- Control.cpp - what a host asks of the collector --------------------===//

#include "Control.h"

#include "Clock.h"
#include "ColdPath.h"
#include "EarlyOpen.h"
#include "LaneReset.h"
#include "LogPages.h"
#include "OpenFrames.h"
#include "Warn.h"
#include "torchprof/format/Atomics.h"
#include "torchprof/format/Manifest.h"
#include "torchprof/format/Segments.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace torchprof {

using namespace format;

/// What the registry notes of a manifest's sites. Hardly a model has such
/// sites, so that they need not all be read.
static std::vector<std::pair<uint32_t, uint8_t>>
siteBits(std::string_view Text) {
  std::vector<std::pair<uint32_t, uint8_t>> Bits;
  constexpr std::string_view Call = "prim::CallMethod", Enter = "__enter__",
                             Wait = "aten::wait";
  auto Has = [&](std::string_view Part) {
    return Text.find(Part) != Text.npos;
  };
  Manifest M;
  std::string Error;
  if ((!Has(Call) && !Has(Enter) && !Has(Wait)) ||
      !parseManifest(Text, M, Error))
    return Bits;
  for (uint32_t I = 0; I < M.Sites.size(); ++I) {
    const ManifestSite &S = M.Sites[I];
    const std::string &Name = M.string(S.Name);
    if (M.string(S.Kind) == Call)
      Bits.emplace_back(I, RegisteredModel::Calls);
    else if (M.string(S.Kind) == Wait)
      Bits.emplace_back(I, RegisteredModel::Waits);
    else if (S.Flags & SF_Root && (Name == Enter || Name == "__exit__"))
      Bits.emplace_back(I, RegisteredModel::IsCalled);
  }
  return Bits;
}

/// Says once why models are not recorded.
static void warnOfModel(bool &HasWarned, const char *Why) {
  // Not while recording is off: tools load models to rewrite them.
  if (Line.Program.Opts.Enabled && !std::exchange(HasWarned, true))
    warn("model not recorded: %s", Why);
}

void addModel(std::string_view Text) {
  ManifestHead Head;
  std::string Error;
  bool IsReadable = parseManifestHead(Text, Head, Error);
  std::vector<std::pair<uint32_t, uint8_t>> Bits;
  if (IsReadable)
    Bits = siteBits(Text);
  ProcessLock Lock;
  Line.Program.readEnvironment();
  if (!IsReadable)
    warnOfModel(Line.Program.WarnedOfManifest, Error.c_str());
  else if (Line.Models.add(Head.ModelId, Head.SiteCount, Text, Bits) ==
           Registration::NoRoom)
    warnOfModel(Line.Program.WarnedOfRoom, "out of memory or slots");
}

std::string manifestText(uint64_t ModelId) {
  const RegisteredModel *Model = Line.Models.modelOf(SiteId(ModelId, 0));
  return Model ? Model->Manifest : std::string();
}

std::optional<Slot> childOf(SiteId Site, DynamicKind Kind,
                            std::string_view Name) {
  Slot Parent = Line.Models.slotOf(Site);
  if (Parent == NoSlot)
    return std::nullopt;
  Slot Child = Line.Children.childSlot(Parent, Kind, SiteName(Name));
  return Child == NoSlot ? std::nullopt : std::optional(Child);
}

void addNote(SiteId Site, DynamicKind Kind, std::string_view Text) {
  std::optional<Slot> Note = childOf(Site, Kind, Text);
  if (Recording *R = Recording::existing(); R && Note)
    R->writeNote(*Note);
}

static Slot slotOf(const std::optional<SiteId> &Site) {
  return Site ? Line.Models.slotOf(*Site) : NoSlot;
}

/// The root that a node lies in, if it has run: sites are numbered method by
/// method, the root first.
static Slot rootOf(Slot Node) {
  const RegisteredModel *Model = Line.Models.ownerOf(Node).Model;
  if (Node == NoSlot || !Model)
    return NoSlot;
  for (uint32_t I = Node - Model->FirstSlot + 1; I-- > 0;)
    if (Model->has(I, RegisteredModel::Entered))
      return Model->FirstSlot + I;
  return NoSlot;
}

/// Runs of \p Root on all threads that have ended since the tick \p Since, the
/// last reset's; one less than a plan can tell, if they are more.
static uint64_t endedRuns(const ProfileFile &File, Slot Root, uint64_t Since) {
  uint64_t Ended = 0;
  for (const ProfileFile::Segment &S : File.segments()) {
    if (S.Head->Type != SegmentType::Runs)
      continue;
    ConstSegmentOf<SegmentType::Runs> Ring(S.Head);
    uint64_t Count = loadAcquire(Ring.record().Count);
    if (Ring.record().Site != Root || Count == 0)
      continue;
    // An owner empties its ring when it comes by after the reset.
    const RunSample &Last = Ring.entries()[(Count - 1) % RunsCapacity];
    if (loadRelaxed(Last.EndTicks) >= Since)
      Ended += Count;
  }
  return std::min<uint64_t>(Ended, UINT32_MAX - 1);
}

/// The run, from 1, to which the plan \p E belongs, which is made now. A
/// method's own plan is made before the run's probe; backward comes after the
/// run, or is part of one that differentiates itself.
static uint32_t runOf(const Recording &R, const PlanEvent &E, Slot Waiting) {
  Slot Root = runRootOf(E);
  if (Root == NoSlot || !Process.Open.load(std::memory_order_relaxed))
    return 0;
  uint64_t Since = currentEpoch().Ticks;
  bool IsInside = (E.Flags & PF_InRun) || rootOf(Waiting) == Root;
  bool IsAfter = E.Part == PlanPart::Backward && !IsInside;
  ProcessLock Lock;
  uint64_t Ended = endedRuns(R.file(), Root, Since);
  return uint32_t(IsAfter ? Ended : Ended + 1);
}

/// What an event took if the clock was set back meanwhile is not known.
static void dropAbsurd(uint64_t &Ticks) {
  if (Ticks < AbsurdTicks)
    return;
  count(Counter::ClockBackwards);
  Ticks = 0;
}

bool addPlan(std::optional<SiteId> Root, std::optional<SiteId> First,
             PlanEvent Event, Slot Waiting) {
  Event.First = slotOf(First);
  Event.Root = Root ? slotOf(Root) : rootOf(Event.First);
  Slot Running = ThisLane ? outermostRoot(*ThisLane) : NoSlot;
  if (Event.Root == NoSlot && Event.First == NoSlot) {
    // Of a function that is not profiled.
    if (Running == NoSlot)
      return false;
    Event.Root = Running;
    if (Event.Part == PlanPart::Whole)
      Event.Part = PlanPart::Other;
  }
  Recording *R = Recording::current();
  if (!R) {
    count(Counter::DroppedPlans);
    return true;
  }
  dropAbsurd(Event.Ticks);
  dropAbsurd(Event.OwnTicks);
  Event.Thread = uint32_t(syscall(SYS_gettid));
  if (Running != NoSlot) {
    Event.Flags |= PF_InRun;
    if (Running != Event.Root) {
      Event.Flags |= PF_Called;
      Event.Caller = Running;
    }
  }
  Event.Run = runOf(*R, Event, Waiting);
  R->notePlan(Event);
  return true;
}

void addLoad(LoadEvent Event) {
  dropAbsurd(Event.Ticks);
  Event.Thread = uint32_t(syscall(SYS_gettid));
  Recording::noteLoad(Event);
}

void noteMachine(const MachineRecord &Machine) {
  {
    ProcessLock Lock;
    Line.Program.Machine = Machine;
  }
  if (Recording *R = Recording::existing())
    R->writeMachine();
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
  if (Name == "file") {
    Line.Program.FileIsFromEnvironment = false;
    if (descriptorOf(Value))
      Line.Program.readBeforehand();
  }
  if (Name == "open")
    openIfEarly();
  if (Name == "clock") {
    ClockKind Before = clock::kind();
    clock::choose(Value);
    if (clock::kind() != Before)
      Line.Loads.own().drop(); // their times mean nothing now
  }
  return 0;
}

Options currentOptions() {
  ProcessLock Lock;
  Line.Program.readEnvironment();
  return Line.Program.Opts;
}

/// The file is there before the framework is known if it was opened early.
static void writeFramework() {
  if (Recording *R = Recording::existing())
    R->writeFramework();
}

void setFramework(std::string_view Name) {
  {
    ProcessLock Lock;
    Line.Program.Framework = Name;
  }
  writeFramework();
}

void setDispatchCost(uint64_t TicksX16) {
  {
    ProcessLock Lock;
    Line.Program.DispatchTicksX16 = TicksX16;
  }
  writeFramework();
}

void setPairOffset(uint64_t TicksX16) {
  {
    ProcessLock Lock;
    Line.Program.PairOffsetTicksX16 = TicksX16;
  }
  writeFramework();
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

/// Lets the gate follow the window. A recording that is made now begins so.
static void followWindow(bool Open) {
  if (Recording *R = Recording::current())
    R->followWindow(Open);
}

void start() {
  {
    ProcessLock Lock;
    Line.Program.WindowOpen = true;
  }
  followWindow(true);
}

/// The caller holds the lock.
static void shutWindow() {
  Line.Program.WindowOpen = false;
  Process.OpenForScopes = false;
}

void stop() {
  {
    ProcessLock Lock;
    shutWindow();
  }
  followWindow(false);
}

void beginScope() {
  {
    ProcessLock Lock;
    ++Process.Scopes;
    Process.OpenForScopes = true;
  }
  followWindow(true);
}

void endScope() {
  {
    ProcessLock Lock;
    // A forked child may leave scopes of its parent.
    if (!Process.Scopes || --Process.Scopes)
      return;
    // Under the same lock: a scope that begins from here on opens it again.
    shutWindow();
  }
  followWindow(false);
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

void resetThread() {
  Recording *R = Recording::current();
  // What an ended thread has left in the lane would be taken for this one's.
  if (Lane *L = R ? R->ownLane() : nullptr; L && L->Attached)
    emptyLane(R->file(), *L);
}

int64_t laneOfThread() {
  Recording *R = Recording::current();
  Lane *L = R ? R->ownLane() : nullptr;
  return L && L->HasRecord ? int64_t(L->Number) : -1;
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

uint64_t snapshots() {
  Recording *R = Recording::existing();
  return R ? R->waitForSnapshot(0, 0) : 0;
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
