//===- ProfileToJson.cpp - profiles as JSON text, written -----------------===//

#include "Aggregate.h"
#include "ProfileJson.h"

#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

class Writer {
public:
  Writer(const Profile &P, raw_ostream &OS) : P(P), J(OS, 2) {}
  void write();

private:
  void number(StringRef Key, uint64_t Value) { J.attribute(Key, Value); }
  /// Strings of a profile may hold any bytes; JSON holds UTF-8.
  void text(StringRef Key, StringRef Value) {
    J.attribute(Key, json::isUTF8(Value) ? Value.str() : json::fixUTF8(Value));
  }
  void optionalText(StringRef Key, StringRef Value) {
    if (!Value.empty())
      text(Key, Value);
  }

  void process();
  void model(const Model &M);
  void position(StringRef Key, const Manifest &M, const SourcePosition &S);
  void lane(const Lane &L);
  void cell(const format::Cell &C);
  void runs(const RunRing &R);
  void trace(const TraceBuffer &T);

  const Profile &P;
  json::OStream J;
};

} // namespace

void Writer::process() {
  const format::ProcessRecord &R = P.Process;
  number("pid", R.Pid);
  number("parent_pid", R.ParentPid);
  number("start_realtime_ns", R.StartRealtimeNs);
  number("start_ticks", R.StartTicks);
  number("end_ticks", R.EndTicks);
  text("clock", clockName(R.Clock));
  text("mode", R.Mode == format::RecordMode::Trace ? "trace" : "aggregate");
  number("ticks_per_second", R.NominalTicksPerSecond);
  number("lowered_probe_ticks_x16", R.LoweredProbeTicksX16);
  number("explicit_probe_ticks_x16", R.ExplicitProbeTicksX16);
  text("host", fixedText(R.Host));
  text("command", fixedText(R.Command));
  text("runtime", fixedText(R.Runtime));
  text("framework", fixedText(R.Framework));
  text("schedule", fixedText(R.Schedule));
  J.attributeObject("counters", [&] {
    for (unsigned I = 0; !counterName(I).empty(); ++I)
      if (R.Counters[I])
        number(counterName(I), R.Counters[I]);
  });
}

void Writer::position(StringRef Key, const Manifest &M,
                      const SourcePosition &S) {
  if (S == SourcePosition())
    return;
  J.attributeObject(Key, [&] {
    text("file", M.string(S.File));
    number("line", S.Line);
    number("column", S.Column);
    text("text", M.string(S.Text));
  });
}

static constexpr std::pair<uint32_t, StringLiteral> FlagNames[] = {
    {SF_Root, "root"},       {SF_Module, "module"},     {SF_Async, "async"},
    {SF_Control, "control"}, {SF_Vanished, "vanished"}, {SF_Method, "method"}};

void Writer::model(const Model &M) {
  const Manifest &T = *M.Table;
  number("id", T.ModelId);
  text("producer", T.Producer);
  number("first_slot", format::number(M.FirstSlot));
  auto Parent = [&](uint32_t Index) {
    if (Index != NoIndex)
      number("parent", Index);
  };
  J.attributeArray("scopes", [&] {
    for (const ManifestScope &S : T.Scopes)
      J.object([&] {
        Parent(S.Parent);
        optionalText("module", T.string(S.Module));
        optionalText("class", T.string(S.Class));
        optionalText("function", T.string(S.Function));
        position("call", T, S.Call);
      });
  });
  J.attributeArray("sites", [&] {
    for (const ManifestSite &S : T.Sites)
      J.object([&] {
        Parent(S.Parent);
        text("kind", T.string(S.Kind));
        optionalText("overload", T.string(S.Overload));
        optionalText("name", T.string(S.Name));
        number("scope", S.Scope);
        position("source", T, S.Source);
        if (S.Flags)
          J.attributeArray("flags", [&] {
            for (auto [Flag, Name] : FlagNames)
              if (S.Flags & Flag)
                J.value(Name);
          });
        if (!S.Producers.empty())
          J.attributeArray("producers", [&] {
            for (uint32_t Producer : S.Producers)
              J.value(Producer);
          });
      });
  });
}

void Writer::cell(const format::Cell &Source) {
  format::Cell C;
  bool Whole = readCell(Source, C, P.maybeLive());
  if (!Whole)
    C = Source;
  J.object([&] {
    number("slot", format::number(C.Site));
    if (C.Epoch)
      number("epoch", C.Epoch);
    if (!Whole)
      J.attribute("torn", true);
    number("begins", C.Begins);
    number("count", C.Word / 2);
    number("cut", C.Cut);
    number("sum", C.Sum);
    J.attributeArray("squares", [&] {
      J.value(C.SquaresLow);
      J.value(C.SquaresHigh);
    });
    number("min", C.Min);
    number("max", C.Max);
    number("nested", C.Nested);
    J.attributeArray("first", [&] {
      for (unsigned I = 0; I < format::FirstSamples && I < C.Word / 2; ++I)
        J.value(C.First[I]);
    });
    J.attributeObject("histogram", [&] {
      for (unsigned I = 0; I < format::HistogramBuckets; ++I)
        if (uint32_t Count = C.Histogram[I])
          number(std::to_string(I), Count);
    });
  });
}

void Writer::runs(const RunRing &R) {
  J.object([&] {
    number("slot", format::number(R.Slot));
    number("capacity", R.Capacity);
    number("count", R.Count);
    J.attributeArray("samples", [&] {
      for (const format::RunSample &S : R.Samples)
        J.array([&] {
          J.value(S.EndTicks);
          J.value(S.LatencyTicks);
        });
    });
  });
}

void Writer::trace(const TraceBuffer &T) {
  J.object([&] {
    text("keep", T.Keep == format::TraceKeep::First ? "first" : "last");
    number("capacity", T.Capacity);
    number("written", T.Written);
    J.attributeArray("events", [&] {
      for (const format::TraceEvent &E : T.Events)
        J.array([&] {
          J.value(E.Packed >> format::TraceDurationBits);
          J.value(E.BeginTicks);
          J.value(E.Packed & ((uint64_t(1) << format::TraceDurationBits) - 1));
        });
    });
  });
}

void Writer::lane(const Lane &L) {
  J.object([&] {
    number("lane", L.Record.Lane);
    text("state", L.Record.State == format::LaneState::Live ? "live" : "free");
    number("thread", L.Record.Thread);
    number("threads", L.Record.Threads);
    text("name", fixedText(L.Record.Name));
    if (L.Record.CurrentSlot != format::NoSlot) {
      number("current_slot", format::number(L.Record.CurrentSlot));
      number("current_ticks", L.Record.CurrentTicks);
    }
    J.attributeArray("cells", [&] {
      for (ArrayRef<format::Cell> Cells : L.Cells)
        for (const format::Cell &C : Cells)
          cell(C);
    });
    if (!L.Runs.empty())
      J.attributeArray("runs", [&] {
        for (const RunRing &R : L.Runs)
          runs(R);
      });
    if (!L.Traces.empty())
      J.attributeArray("traces", [&] {
        for (const TraceBuffer &T : L.Traces)
          trace(T);
      });
  });
}

void Writer::write() {
  J.object([&] {
    number("version", format::FormatVersion);
    text("state", stateName(P.State));
    number("epoch", P.Epoch);
    J.attributeObject("process", [&] { process(); });
    number("anchor_interval_ns", P.AnchorIntervalNs);
    J.attributeArray("anchors", [&] {
      for (const format::ClockAnchor &A : P.Anchors)
        J.object([&] {
          number("ticks", A.Ticks);
          number("monotonic_ns", A.MonotonicNs);
          number("realtime_ns", A.RealtimeNs);
          number("uncertainty_ns", A.UncertaintyNs);
        });
    });
    J.attributeArray("models", [&] {
      for (const Model &M : P.Models)
        J.object([&] { model(M); });
    });
    J.attributeArray("dynamic_sites", [&] {
      for (const DynamicSite &D : P.DynamicSites)
        J.object([&] {
          number("slot", format::number(D.Slot));
          if (D.Parent != format::NoSlot)
            number("parent", format::number(D.Parent));
          text("kind",
               D.Kind == format::DynamicKind::Group ? "group" : "region");
          if (D.Flags & 3)
            J.attributeArray("flags", [&] {
              if (D.Flags & format::DF_Overflow)
                J.value("overflow");
              if (D.Flags & format::DF_Cut)
                J.value("cut");
            });
          text("name", D.Name);
        });
    });
    J.attributeArray("lanes", [&] {
      for (const Lane &L : P.Lanes)
        lane(L);
    });
  });
  J.flush();
}

void report::writeProfileJson(const Profile &P, raw_ostream &OS) {
  Writer(P, OS).write();
  OS << '\n';
}
