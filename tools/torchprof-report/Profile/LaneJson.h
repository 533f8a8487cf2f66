//===- LaneJson.h - lanes of a profile as JSON text -------------*- C++ -*-===//
//
// The part of ProfileJson.cpp's mapping that is about lanes: what was measured.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_LANEJSON_H
#define TORCHPROF_REPORT_LANEJSON_H

#include "Aggregate.h"
#include "JsonArchive.h"
#include "MemoryJson.h"
#include "Profile.h"

namespace torchprof::report {

/// The largest ring that the JSON form may ask for: 16 million entries.
inline constexpr uint64_t MaxCapacity = uint64_t(1) << 24;

/// A cell with what its word says about it.
template <typename CellType> struct JsonCell {
  CellType C = {};
  bool Torn = false;
};

/// Reads or writes the lanes of a profile, which come last.
template <class IO> class LaneMapping {
  template <typename T>
  using Ref = std::conditional_t<IO::Reading, T, const T> &;

public:
  explicit LaneMapping(Ref<Profile> P) : P(P) {}
  void map(IO &io, Ref<Lane> L);

private:
  void cell(IO &io, Ref<JsonCell<format::Cell>> J);
  void runs(IO &io, Ref<RunRing> R);
  void trace(IO &io, Ref<TraceBuffer> T);
  void measure(IO &io, Ref<MeasureCells> M);
  void measureCell(IO &io, Ref<JsonCell<MeasuredSlot>> J);
  void variantCell(IO &io, Ref<JsonCell<format::VariantCell>> J);
  template <typename T, typename Function>
  void tuples(IO &io, llvm::StringRef Key, Ref<llvm::ArrayRef<T>> Items,
              Function Map);
  template <typename T, typename Function>
  void cells(IO &io, llvm::StringRef Key,
             llvm::ArrayRef<llvm::ArrayRef<T>> Lists, llvm::ArrayRef<T> &Read,
             Function Map);

  Ref<Profile> P;
};

/// Entries that stay where they are when they are written, and go into the
/// profile's memory when they are read.
template <class IO>
template <typename T, typename Function>
void LaneMapping<IO>::tuples(IO &io, llvm::StringRef Key,
                             Ref<llvm::ArrayRef<T>> Items, Function Map) {
  if constexpr (IO::Reading) {
    std::vector<T> Read;
    io.tuples(Key, Read, Map);
    Items = P.keep(llvm::ArrayRef<T>(Read));
  } else {
    io.tuples(Key, Items, Map);
  }
}

/// The same of cells, which may change while they are written.
template <class IO>
template <typename T, typename Function>
void LaneMapping<IO>::cells(IO &io, llvm::StringRef Key,
                            llvm::ArrayRef<llvm::ArrayRef<T>> Lists,
                            llvm::ArrayRef<T> &Read, Function Map) {
  if constexpr (IO::Reading) {
    std::vector<JsonCell<T>> Cells;
    io.objects(Key, Cells, Map);
    auto Kept = P.template allocate<T>(Cells.size());
    for (size_t I = 0; I < Cells.size(); ++I)
      Kept[I] = Cells[I].C;
    Read = Kept;
  } else {
    auto ForEach = [&](auto Visit) {
      for (llvm::ArrayRef<T> List : Lists)
        for (const T &Source : List) {
          JsonCell<T> J;
          J.Torn = !readCell(Source, J.C, P.maybeLive());
          if (J.Torn)
            J.C = Source;
          Visit(J);
        }
    };
    io.objectsFrom(Key, ForEach, Map);
  }
}

/// What all cells have: a slot, an epoch and a word.
template <class IO> void cellHead(IO &io, auto &J, uint64_t Epoch) {
  io.member("slot", J.C.Site);
  if constexpr (IO::Reading)
    J.C.Epoch = static_cast<uint32_t>(Epoch);
  io.member("epoch", J.C.Epoch);
  io.optional("torn", J.Torn);
}

/// The number of spans in a cell's word.
template <class IO> void cellCount(IO &io, auto &J) {
  uint64_t Count = J.C.Word / 2;
  io.member("count", Count, UINT64_MAX / 2);
  if constexpr (IO::Reading)
    J.C.Word = 2 * Count + J.Torn;
}

template <class IO>
void LaneMapping<IO>::cell(IO &io, Ref<JsonCell<format::Cell>> J) {
  if constexpr (IO::Reading)
    J.C = emptyCell(format::Slot(0), 0);
  cellHead(io, J, P.Epoch);
  Ref<format::Cell> C = J.C;
  if constexpr (IO::Reading)
    io.shorthand("samples", [&](uint64_t Ticks) { recordSample(C, Ticks); });
  cellCount(io, J);
  // Extremes of no span are not worth a line.
#define TORCHPROF_CELL_FIELD(NAME, JSON, INITIAL, COMBINE, MEANING)            \
  if (INITIAL)                                                                 \
    io.optional(#JSON, C.NAME, INITIAL);                                       \
  else                                                                         \
    io.member(#JSON, C.NAME);
#include "torchprof/format/CellFields.def"
  if constexpr (IO::Reading) {
    if (!io.has("begins"))
      C.Begins = C.Word / 2 + C.Cut;
    std::vector<uint64_t> First;
    io.numbers("first", First);
    if (First.size() > format::FirstSamples)
      io.fail("first", "expected at most " + llvm::Twine(format::FirstSamples) +
                           " samples, found " + llvm::Twine(First.size()));
    else
      std::copy(First.begin(), First.end(), C.First);
  } else {
    io.numbers("first", llvm::ArrayRef(C.First).take_front(C.Word / 2));
  }
  io.sparse("histogram", C.Histogram);
}

template <class IO> void LaneMapping<IO>::runs(IO &io, Ref<RunRing> R) {
  io.member("slot", R.Slot);
  KeptRing<format::RunSample> Ring; // in the order of the text
  std::vector<format::RunSample> Samples;
  if constexpr (!IO::Reading) {
    Samples = oldestFirst(R);
    Ring.Entries = Samples;
  }
  tuples<format::RunSample>(io, "samples", Ring.Entries, [](auto &io, auto &S) {
    io.value(S.EndTicks);
    io.value(S.LatencyTicks);
  });
  if constexpr (IO::Reading) {
    R.Capacity = std::max<uint32_t>(Ring.Entries.size(), format::RunsCapacity);
    R.Count = Ring.Entries.size();
  }
  io.member("capacity", R.Capacity, MaxCapacity);
  io.member("count", R.Count);
  if constexpr (IO::Reading) {
    Ring.Capacity = R.Capacity;
    Ring.Count = R.Count;
    uint64_t Expected = std::min<uint64_t>(R.Count, R.Capacity);
    if (Ring.Entries.size() != Expected)
      io.fail("samples", "expected " + llvm::Twine(Expected) +
                             " of them, as count and capacity say, found " +
                             llvm::Twine(Ring.Entries.size()));
    else if (Expected)
      R.Samples =
          P.keep(llvm::ArrayRef<format::RunSample>(turnedEntries(Ring)));
  }
}

template <class IO> void LaneMapping<IO>::trace(IO &io, Ref<TraceBuffer> T) {
  io.choice("keep", T.Keep);
  tuples<TraceEvent>(io, "events", T.Events, [](auto &io, auto &E) {
    uint64_t Slot = number(E.Site);
    io.value(Slot, format::MaxSlots - 1);
    io.value(E.BeginTicks);
    io.value(E.Ticks);
    if constexpr (IO::Reading)
      E.Site = format::Slot(static_cast<uint32_t>(Slot));
  });
  if constexpr (IO::Reading)
    T.Capacity = T.Written = T.Events.size();
  io.member("capacity", T.Capacity, MaxCapacity);
  io.member("written", T.Written);
  if constexpr (IO::Reading)
    // A log of pairs may keep fewer: its records of begins take room too.
    if (T.Events.size() > std::min(T.Written, T.Capacity))
      io.fail("events", "expected at most " +
                            llvm::Twine(std::min(T.Written, T.Capacity)) +
                            " of them, as written and capacity say, found " +
                            llvm::Twine(T.Events.size()));
}

template <class IO>
void LaneMapping<IO>::measureCell(IO &io, Ref<JsonCell<MeasuredSlot>> J) {
  cellHead(io, J, P.Epoch);
  cellCount(io, J);
  io.member("sum", J.C.Sum);
  io.member("max", J.C.Max);
  io.member("time", J.C.Time);
  io.member("nested", J.C.Nested);
}

template <class IO>
void LaneMapping<IO>::variantCell(IO &io,
                                  Ref<JsonCell<format::VariantCell>> J) {
  cellHead(io, J, P.Epoch);
  io.member("signature", J.C.Signature);
  cellCount(io, J);
  io.member("time", J.C.Time);
  io.member("min", J.C.Min);
  io.member("max", J.C.Max);
  io.member("first_ticks", J.C.FirstTicks);
  io.optional("net_bytes", J.C.NetBytes);
}

template <class IO> void LaneMapping<IO>::measure(IO &io, Ref<MeasureCells> M) {
  // As long as a record holds it, as all names of a fixed length.
  char Name[sizeof(format::MeasureRecord::Name)];
  setFixedText(Name, M.Name);
  io.member("name", Name);
  if constexpr (IO::Reading)
    M.Name = fixedText(Name).str();
  auto Number = static_cast<uint32_t>(M.Id);
  if constexpr (IO::Reading)
    if (const MeasureInfo *Known = findMeasure(M.Name)) {
      Number = static_cast<uint32_t>(Known->Id);
      M.Unit = Known->Unit;
      M.Sum = Known->Sum;
    }
  io.member("number", Number);
  if constexpr (IO::Reading)
    M.Id = format::MeasureId(Number);
  io.choice("unit", M.Unit);
  io.choice("adds", M.Sum);
  llvm::ArrayRef<MeasuredSlot> Read;
  cells<MeasuredSlot>(io, "cells", M.Cells, Read,
                      [&](IO &io, auto &C) { measureCell(io, C); });
  if constexpr (IO::Reading)
    M.Cells = Read;
}

template <class IO> void LaneMapping<IO>::map(IO &io, Ref<Lane> L) {
  Ref<format::LaneRecord> R = L.Record;
  if constexpr (IO::Reading) {
    R.Lane = static_cast<uint32_t>(P.Lanes.size());
    R.State = format::LaneState::Live;
    R.Threads = 1;
  }
  io.member("lane", R.Lane);
  if constexpr (IO::Reading)
    for (const Lane &Other : P.Lanes)
      if (Other.Record.Lane == R.Lane)
        io.fail("lane", "a second lane " + llvm::Twine(R.Lane));
  io.choice("state", R.State);
  io.member("thread", R.Thread);
  io.member("threads", R.Threads);
  io.member("name", R.Name);
  io.optional("current_slot", L.CurrentSlot, format::NoSlot);
  io.optional("current_ticks", L.CurrentTicks);
  io.optional("apart_ticks", L.ApartTicks);
  llvm::ArrayRef<format::Cell> Read;
  cells<format::Cell>(io, "cells", L.Cells, Read,
                      [&](IO &io, auto &C) { cell(io, C); });
  if constexpr (IO::Reading)
    L.Cells.push_back(Read);
  if (IO::Reading || !L.Runs.empty())
    io.objects("runs", L.Runs, [&](IO &io, auto &R) { runs(io, R); });
  if (IO::Reading || !L.Traces.empty())
    io.objects("traces", L.Traces, [&](IO &io, auto &T) { trace(io, T); });
  if (IO::Reading || !L.Measures.empty())
    io.objects("measures", L.Measures,
               [&](IO &io, auto &M) { measure(io, M); });
  if (IO::Reading || !L.Levels.empty())
    io.objects("levels", L.Levels, [&](IO &io, auto &R) {
      tuples<format::Level>(io, "levels", R.Entries, MapLevel);
      io.member("of_runs", R.OfRuns);
      bool IsPlaced = R.Place != format::MemoryPlace::Cpu;
      if constexpr (IO::Reading)
        IsPlaced = io.has("place");
      if (IsPlaced)
        io.choice("place", R.Place);
      mapRing(io, R, "levels");
    });
  if (IO::Reading || !L.DeviceSpans.empty())
    io.objects("device_spans", L.DeviceSpans, [&](IO &io, auto &R) {
      tuples<format::DeviceSpan>(io, "spans", R.Entries, MapDeviceSpan);
      mapRing(io, R, "spans");
    });
  if (IO::Reading || !L.Variants.empty()) {
    llvm::ArrayRef<format::VariantCell> Variants;
    cells<format::VariantCell>(io, "variants", L.Variants, Variants,
                               [&](IO &io, auto &C) { variantCell(io, C); });
    if constexpr (IO::Reading)
      if (!Variants.empty())
        L.Variants.push_back(Variants);
  }
}

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_LANEJSON_H
