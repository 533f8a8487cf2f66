//===- Measure.cpp - what is recorded beside host time --------------------===//

#include "Measure.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

static const KnownMeasure Known[] = {
    {"cpu", MeasureUnit::Nanoseconds, MeasureFold::Sum, "cpu",
     "CPU time of the thread that ran it", "TORCHPROF_RECORD=cpu", "wait",
     "wait", "host time of these spans without it: waiting or preempted"},
    {"alloc", MeasureUnit::Bytes, MeasureFold::Sum, "alloc",
     "CPU memory allocated for tensors", "TORCHPROF_RECORD=memory", "", "", ""},
    {"freed", MeasureUnit::Bytes, MeasureFold::Sum, "freed",
     "CPU memory of tensors that was freed", "TORCHPROF_RECORD=memory", "", "",
     "", /*IsShown=*/false},
    {"peak", MeasureUnit::Bytes, MeasureFold::Peak, "peak",
     "the most that a call had allocated and not freed at a time",
     "TORCHPROF_RECORD=memory", "", "", ""},
    {"allocs", MeasureUnit::Count, MeasureFold::Sum, "allocs",
     "blocks allocated for tensors", "TORCHPROF_RECORD=memory", "", "", ""},
    {"device", MeasureUnit::Nanoseconds, MeasureFold::Sum, "device",
     "time on the device's stream", "TORCHPROF_RECORD=device", "", "", ""},
    {"starved", MeasureUnit::Count, MeasureFold::Sum, "starved",
     "nodes that began when the device had nothing to do",
     "TORCHPROF_RECORD=device", "", "", "", /*IsShown=*/false},
    {"device_alloc", MeasureUnit::Bytes, MeasureFold::Sum, "device alloc",
     "memory of devices allocated for tensors", "TORCHPROF_RECORD=memory", "",
     "", ""},
    {"device_freed", MeasureUnit::Bytes, MeasureFold::Sum, "device freed",
     "memory of devices that was freed", "TORCHPROF_RECORD=memory", "", "", "",
     /*IsShown=*/false},
    {"device_peak", MeasureUnit::Bytes, MeasureFold::Peak, "device peak",
     "the most of it that a call had allocated and not freed at a time",
     "TORCHPROF_RECORD=memory", "", "", ""},
    {"device_allocs", MeasureUnit::Count, MeasureFold::Sum, "device allocs",
     "blocks of devices allocated for tensors", "TORCHPROF_RECORD=memory", "",
     "", "", /*IsShown=*/false},
};

static const DerivedMeasure Derived[] = {
    {"net", "net", "alloc without freed: what stays", "alloc", "freed"},
    {"device_net", "device net", "the same of devices", "device_alloc",
     "device_freed"},
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
