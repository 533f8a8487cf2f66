//===- Measures.cpp - what is measured beside time ------------------------===//

#include "Measures.h"

#include "DeviceTime.h"
#include "Host.h"
#include "Pages.h"
#include "Ranges.h"

namespace torchprof {

using namespace format;

static constexpr SourceSet AllSources =
    (SourceSet(1) << MeasureSourceCount) - 1;

Measures::Measures(ProfileFile &File, PageSource &Pages, const Host &Program)
    : File(File), Pages(Pages), EverySite(Program.Opts.RecordSites == "all"),
      KeepsSpans(keepOf(Program.Opts) != LogKeep::None),
      Every(Program.Opts.RecordEvery) {
  forEachSource(AllSources, [&](auto Source, size_t Number) {
    Wanted |= SourceSet(Source.isWanted(Program.Opts)) << Number;
  });
  if (const DeviceApi *Api = deviceApi();
      Api && hasWord(Program.Opts.Record, recordWord(MeasureId::Device)))
    Device = std::make_unique<DeviceTime>(File, Pages, *Api, Program.Opts);
  Marked = Ranges::make(Program.Opts);
  HasOthers = Device || Marked;
}

Measures::~Measures() = default;

NodeMeasures Measures::nodeMeasures(const Lane &L) const {
  bool Measuring = L.Measuring && EverySite;
  if (!Measuring)
    return L.WithShapes ? NodeMeasures::Shapes : NodeMeasures::None;
  if (HasOthers || KeepsSpans ||
      L.Sources != SourceSet(1) << sourceNumber<Memory>())
    return NodeMeasures::Any;
  return L.WithShapes ? NodeMeasures::MemoryAndShapes : NodeMeasures::Memory;
}

void Measures::beginRun(Lane &L, bool WithShapes) {
  decide(L, L.Runs++ % Every == 0, WithShapes);
}

void Measures::beginAroundRun(Lane &L, bool WithShapes) {
  bool IsDue = L.Runs % Every == 0;
  if (IsDue != (L.Measuring || L.WithShapes))
    decide(L, IsDue, WithShapes);
}

void Measures::endAroundRun(Lane &L, bool WithShapes) {
  bool WasDue = L.Runs && (L.Runs - 1) % Every == 0;
  if (WasDue != (L.Measuring || L.WithShapes))
    decide(L, WasDue, WithShapes);
}

void Measures::decide(Lane &L, bool IsDue, bool WithShapes) {
  SourceSet Ready = 0;
  forEachSource(Wanted, [&](auto Source, size_t Number) {
    Ready |= SourceSet(Source.beginRun()) << Number;
  });
  L.Sources = Ready;
  L.Measuring = IsDue && (Ready || HasOthers);
  if (Device && L.Measuring)
    Device->beginRun(L);
  if (Marked)
    Marked->forgetSpans(L);
  L.WithShapes = WithShapes && IsDue && EverySite;
  NodeMeasures Nodes = nodeMeasures(L);
  if (Nodes == L.Nodes)
    return;
  ProcessLock Lock; // the gate does not change meanwhile
  L.Nodes = Nodes;
  L.MeasuredSince.store(0, std::memory_order_relaxed);
  if (Process.Open.load(std::memory_order_relaxed))
    L.Since.store(0, std::memory_order_relaxed);
}

void Measures::forgetSpans(Lane &L) {
  if (Device)
    Device->forgetSpans(L);
  if (Marked)
    Marked->forgetSpans(L);
}

bool Measures::makeTable(Lane &L) {
  L.Measured = static_cast<MeasureCell **>(Pages.plain(
      uint64_t(L.SlotCount) * MeasureSourceCount * sizeof(MeasureCell *)));
  return L.Measured != nullptr;
}

bool Measures::beginElsewhere(Lane &L, Slot Site, const Operands &Of) {
  bool Begun = Marked && Marked->beginSpan(Site);
  return (Device && Device->beginSpan(L, Site, Of)) || Begun;
}

void Measures::beganElsewhere(Lane &L, Slot Site, uint64_t Begin) {
  if (Device)
    Device->spanBegan(L, Site, Begin);
  if (Marked)
    Marked->spanBegan(Site, Begin);
}

bool Measures::endElsewhere(Lane &L, Slot Site, uint64_t Begin, uint64_t Ticks,
                            Slot Waiting) {
  bool Measured = Device && Device->endSpan(L, Site, Begin, Ticks, Waiting);
  if (Marked)
    Marked->endSpan(Site, Begin);
  return Measured;
}

void Measures::cutSpan(Slot Site, uint64_t Begin) {
  if (Marked)
    Marked->endSpan(Site, Begin);
}

void Measures::addNested(Lane &L, Slot Outer, const MeasureValues &Values) {
  if (Device)
    Device->addNested(L, Outer);
  MeasureCell **Cells = cellsOf(L, Outer);
  if (!Cells)
    return;
  forEachSource(L.Sources, [&]<typename Source>(Source, size_t Number) {
    if (!Source::isBooked())
      return;
    if (MeasureCell *C = cell<Source>(L, Cells, Outer, Number))
      Source::Group::addNested(*C, Values[Number]);
  });
}

} // namespace torchprof
