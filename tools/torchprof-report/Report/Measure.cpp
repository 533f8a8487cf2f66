//===- Measure.cpp - what is recorded beside host time --------------------===//

#include "Measure.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

static constexpr MeasureWords KnownWords[] = {
    {format::MeasureId::Cpu, "cpu", "CPU time of the thread that ran it",
     /*IsShown=*/true, "wait", "wait",
     "host time of these spans without it: waiting or preempted", "cpu_calls",
     "cpu calls", "calls of which the CPU time was measured"},
    {format::MeasureId::Allocated, "alloc", "CPU memory allocated for tensors",
     /*IsShown=*/true, "", "", "", "memory_calls", "memory calls",
     "calls of which the memory was measured"},
    {format::MeasureId::Freed, "freed", "CPU memory of tensors that was freed",
     /*IsShown=*/false},
    {format::MeasureId::Peak, "peak",
     "the most that a call had allocated and not freed at a time"},
    {format::MeasureId::Allocations, "allocs", "blocks allocated for tensors"},
    {format::MeasureId::Device, "device", "time on the device's stream",
     /*IsShown=*/true, "", "", "", "device_calls", "device calls",
     "calls of which the device time is known"},
    {format::MeasureId::Starved, "starved",
     "nodes that began when the device had nothing to do", /*IsShown=*/false},
    {format::MeasureId::DeviceAllocated, "device alloc",
     "memory of devices allocated for tensors"},
    {format::MeasureId::DeviceFreed, "device freed",
     "memory of devices that was freed", /*IsShown=*/false},
    {format::MeasureId::DevicePeak, "device peak",
     "the most of it that a call had allocated and not freed at a time"},
    {format::MeasureId::DeviceAllocations, "device allocs",
     "blocks of devices allocated for tensors", /*IsShown=*/false},
};

/// The row of a measure. One that has none does not compile.
template <typename T, size_t Count>
static consteval const T &measureRow(const T (&Rows)[Count],
                                     format::MeasureId Of) {
  size_t I = 0;
  while (Rows[I].Of != Of)
    ++I;
  return Rows[I];
}

static constexpr KnownMeasure Known[] = {
#define TORCHPROF_MEASURE(NAME, NUMBER, ID, WORD, UNIT, SUM, MEANING)          \
  {measureRow(KnownWords, format::MeasureId::NAME), ID, MeasureUnit::UNIT,     \
   MeasureFold::SUM, "TORCHPROF_RECORD=" WORD},
#include "torchprof/format/Measures.def"
};

static constexpr DerivedMeasure Derived[] = {
    {"net", "net", "alloc without freed: what stays",
     measureRow(Known, format::MeasureId::Allocated),
     measureRow(Known, format::MeasureId::Freed)},
    {"device_net", "device net", "the same of devices",
     measureRow(Known, format::MeasureId::DeviceAllocated),
     measureRow(Known, format::MeasureId::DeviceFreed)},
};

ArrayRef<KnownMeasure> report::knownMeasures() { return Known; }

const KnownMeasure *report::findKnownMeasure(StringRef Id) {
  const KnownMeasure *K =
      find_if(Known, [&](const KnownMeasure &K) { return K.Id == Id; });
  return K == std::end(Known) ? nullptr : K;
}

ArrayRef<DerivedMeasure> report::derivedMeasures() { return Derived; }

Optional<MeasureId> report::numberOf(ArrayRef<TableMeasure> Measures,
                                     StringRef Id) {
  for (MeasureId M = 0; M < Measures.size(); ++M)
    if (Measures[M].Id == Id)
      return M;
  return None;
}

std::string report::measureColumnId(StringRef Id, MeasureUnit Unit) {
  switch (Unit) {
  case MeasureUnit::Nanoseconds:
    return Id.str() + "_ns";
  case MeasureUnit::Bytes:
    return Id.str() + "_bytes";
  case MeasureUnit::Count:
    return Id.str();
  }
  return Id.str();
}

ValueType report::measureValueType(MeasureUnit Unit) {
  switch (Unit) {
  case MeasureUnit::Nanoseconds:
    return ValueType::TimeNs;
  case MeasureUnit::Bytes:
    return ValueType::Bytes;
  case MeasureUnit::Count:
    return ValueType::Count;
  }
  return ValueType::Count;
}

Value report::measureValue(MeasureUnit Unit, UInt128 Number) {
  if (Unit == MeasureUnit::Nanoseconds)
    return Value::timeNs(static_cast<double>(Number));
  auto Fits = static_cast<uint64_t>(
      std::min<UInt128>(Number, std::numeric_limits<uint64_t>::max()));
  return Unit == MeasureUnit::Bytes ? Value::bytes(Fits) : Value::count(Fits);
}
