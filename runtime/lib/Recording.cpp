//===- Recording.cpp - the segments that belong to the process ------------===//

#include "Collector.h"
#include "Probe.h"
#include "Warn.h"

#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace torchprof {

using namespace format;

/// Anchors that fit into one page with the heads before them.
static constexpr uint32_t AnchorCapacity =
    (PageBytes - sizeof(SegmentHeader) - sizeof(ClockRecord)) /
    sizeof(ClockAnchor);
/// Regions that fit into one page.
static constexpr uint32_t RegionCapacity =
    (PageBytes - RegionsOffset) / sizeof(RegionRecord);

/// Copies \p Text, cut to fit, with a NUL byte after it.
template <size_t Size>
static void copyText(char (&To)[Size], std::string_view Text) {
  size_t Length = Text.size() < Size - 1 ? Text.size() : Size - 1;
  memcpy(To, Text.data(), Length);
  To[Length] = '\0';
}

/// The process's arguments joined by spaces.
static void copyCommand(char (&To)[512]) {
  int File = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (File < 0)
    return;
  ssize_t Length = read(File, To, sizeof(To) - 1);
  close(File);
  if (Length < 0)
    Length = 0;
  while (Length > 0 && To[Length - 1] == '\0')
    --Length;
  for (ssize_t I = 0; I < Length; ++I)
    if (To[I] == '\0')
      To[I] = ' ';
  To[Length] = '\0';
}

void noteFileError() {
  int Error = State.File.takeError();
  if (!Error)
    return;
  count(Counter::FileErrors);
  if (State.WarnedOfFile)
    return;
  State.WarnedOfFile = true;
  std::string Name = State.File.path();
  if (Name.empty())
    warn("%s: cannot make the profile: %s; recording in memory only",
         expandPattern(State.Opts.File, 0).c_str(), strerror(Error));
  else
    warn("%s: cannot grow the profile: %s; what does not fit is kept in memory",
         Name.c_str(), strerror(Error));
}

static void fillRecord(ProcessRecord &R) {
  R.Pid = uint64_t(getpid());
  R.ParentPid = uint64_t(getppid());
  ClockAnchor Now = clock::readAnchor();
  R.StartRealtimeNs = Now.RealtimeNs;
  R.StartTicks = Now.Ticks;
  R.Clock = clock::kind();
  R.Mode = State.Opts.Trace ? RecordMode::Trace : RecordMode::Aggregate;
  R.NominalTicksPerSecond = clock::nominalTicksPerSecond();
  R.LoweredProbeTicks = State.ProbeCost;
  R.ExplicitProbeTicks = State.ProbeCost + State.DispatchCost;
  char Host[256] = "";
  gethostname(Host, sizeof(Host) - 1);
  copyText(R.Host, Host);
  copyCommand(R.Command);
  copyText(R.Runtime, "torchprof " TORCHPROF_VERSION);
  copyText(R.Framework, State.Framework);
  copyText(R.Schedule, State.Opts.ScheduleText);
}

void createProfile() {
  if (State.File.exists())
    return;
  State.File.create(expandPattern(State.Opts.File, 0));
  if (State.File.exists()) {
    State.File.header()->Generation =
        Process.Epoch.load(std::memory_order_relaxed);
    if (SegmentHeader *Head =
            State.File.add(SegmentType::Process, sizeof(ProcessRecord))) {
      State.Record = reinterpret_cast<ProcessRecord *>(Head + 1);
      fillRecord(*State.Record);
      // From here on counters are in the file; those so far move there.
      Process.Counters.store(State.Record->Counters, std::memory_order_release);
      for (unsigned I = 0; I < CounterCapacity; ++I)
        count(Counter(I),
              __atomic_exchange_n(&earlyCounters()[I], 0, __ATOMIC_RELAXED));
      State.File.publish();
    }
    if (SegmentHeader *Head = State.File.add(
            SegmentType::Clock,
            sizeof(ClockRecord) + AnchorCapacity * sizeof(ClockAnchor))) {
      State.Clock = reinterpret_cast<ClockRecord *>(Head + 1);
      State.Clock->Capacity = AnchorCapacity;
      State.Clock->IntervalNs = 1'000'000'000;
      addAnchor();
      State.File.publish();
    }
    writeGroups();
  }
  noteFileError();
}

/// Keeps every second anchor, and so doubles their distance. The count says
/// one meanwhile: a process killed here leaves a table that is short, not
/// wrong.
static void halveAnchors(ClockRecord &Clock, ClockAnchor *Anchors) {
  storeRelease(Clock.Count, uint32_t(1));
  uint32_t Kept = 0;
  for (uint32_t I = 0; I < Clock.Capacity; I += 2) {
    storeRelease(Anchors[Kept].Ticks, Anchors[I].Ticks);
    storeRelease(Anchors[Kept].MonotonicNs, Anchors[I].MonotonicNs);
    storeRelease(Anchors[Kept].RealtimeNs, Anchors[I].RealtimeNs);
    storeRelease(Anchors[Kept].UncertaintyNs, Anchors[I].UncertaintyNs);
    ++Kept;
  }
  storeRelease(Clock.IntervalNs, Clock.IntervalNs * 2);
  storeRelease(Clock.Count, Kept);
}

void addAnchor() {
  ClockRecord *Clock = State.Clock;
  if (!Clock)
    return;
  auto *Anchors = reinterpret_cast<ClockAnchor *>(Clock + 1);
  if (Clock->Count == Clock->Capacity)
    halveAnchors(*Clock, Anchors);
  ClockAnchor Now = clock::readAnchor();
  ClockAnchor &To = Anchors[Clock->Count];
  storeRelaxed(To.Ticks, Now.Ticks);
  storeRelaxed(To.MonotonicNs, Now.MonotonicNs);
  storeRelaxed(To.RealtimeNs, Now.RealtimeNs);
  storeRelaxed(To.UncertaintyNs, Now.UncertaintyNs);
  storeRelease(Clock->Count, Clock->Count + 1);
  double Seconds = double(Clock->IntervalNs) / 1e9;
  Process.NextAnchor.store(
      Now.Ticks + uint64_t(double(clock::nominalTicksPerSecond()) * Seconds),
      std::memory_order_relaxed);
}

/// Appends a name to the table of a type, in a new segment if it is full.
static void writeName(SegmentType Type, RegionsRecord *&Table, uint32_t Slot,
                      std::string_view Name) {
  if (!Table || Table->Used == Table->Capacity) {
    SegmentHeader *Head =
        State.File.add(Type, RegionsOffset - sizeof(SegmentHeader) +
                                 RegionCapacity * sizeof(RegionRecord));
    if (!Head)
      return;
    Table = reinterpret_cast<RegionsRecord *>(Head + 1);
    Table->Capacity = RegionCapacity;
    State.File.publish();
  }
  auto *Records = reinterpret_cast<RegionRecord *>(
      reinterpret_cast<char *>(Table) - sizeof(SegmentHeader) + RegionsOffset);
  RegionRecord &To = Records[Table->Used];
  To.Slot = Slot;
  copyText(To.Name, Name);
  storeRelease(Table->Used, Table->Used + 1);
}

void writeGroups() {
  if (!State.File.exists())
    return;
  for (NodeGroup *G = newestGroup(); G; G = G->Next)
    if (G->WrittenBy != State.Generation) {
      G->WrittenBy = State.Generation;
      writeName(SegmentType::Groups, State.Groups, G->Slot, G->Members);
    }
}

void writeEntry(uint32_t Slot) {
  Registered *Entry = entryOf(Slot);
  if (!Entry || Entry->WrittenBy == State.Generation || !State.File.exists())
    return;
  Entry->WrittenBy = State.Generation;
  if (Entry->Text.empty())
    return writeName(SegmentType::Regions, State.Regions, Entry->FirstSlot,
                     Entry->Name);
  SegmentHeader *Head = State.File.add(
      SegmentType::Manifest, sizeof(ModelRecord) + Entry->Text.size());
  if (!Head)
    return;
  auto *Model = reinterpret_cast<ModelRecord *>(Head + 1);
  Model->ModelId = Entry->ModelId;
  Model->FirstSlot = Entry->FirstSlot;
  Model->SiteCount = Entry->SiteCount;
  Model->TextBytes = Entry->Text.size();
  memcpy(Model + 1, Entry->Text.data(), Entry->Text.size());
  State.File.publish();
}

} // namespace torchprof
