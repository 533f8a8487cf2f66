//===- Chrome.cpp - trace JSON for Perfetto, chrome://tracing, HTA --------===//
//
// The JSON that PyTorch's Kineto writes: complete events ("X") of category
// cpu_op, times in microseconds with three decimals relative to
// baseTimeNanoseconds, because absolute microseconds do not fit a double.
// https://github.com/pytorch/kineto/blob/main/libkineto/src/output_json.cpp
//
// Everything about a site that does not change is made into text once, so the
// writer is as fast as copying.
//
//===----------------------------------------------------------------------===//

#include "../Profile/JsonText.h"
#include "HeldMemory.h"
#include "Timeline.h"

#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace chrome_export {

static std::string quoted(StringRef Text) {
  std::string Out;
  raw_string_ostream OS(Out);
  OS << json::Value(jsonText(Text));
  return OS.str();
}

/// "TOP(Net)::forward.layer1(Sequential)::forward.SELF(..)", as Kineto has it.
static std::string moduleHierarchy(const SiteTable &Sites, uint32_t S) {
  std::string Text;
  if (Sites[S].isOutside())
    return Text;
  const Manifest &M = *Sites.manifest(S);
  SmallVector<uint32_t, 8> Scopes;
  for (uint32_t I = Sites.scope(S); I != NoIndex; I = M.Scopes[I].Parent)
    Scopes.push_back(I);
  for (uint32_t I : reverse(Scopes)) {
    const ManifestScope &Scope = M.Scopes[I];
    StringRef Function = M.string(Scope.Function);
    StringRef Name = Scope.Module ? StringRef(M.string(Scope.Module))
                     : Scope.Parent == NoIndex ? StringRef("TOP")
                                               : StringRef("SELF");
    if (!Text.empty())
      Text += ".";
    Text += Name;
    if (Scope.Class)
      Text += "(" + M.string(Scope.Class) + ")";
    Text += "::" + Function.split('(').first.str();
  }
  return Text;
}

/// The parts of a site's events before the times and behind them.
struct EventText {
  std::string Category, Head, Tail;
};

static EventText eventText(const SiteTable &Sites, uint32_t S, uint64_t Pid) {
  EventText T;
  T.Category = Sites[S].isRegion() ? "user_annotation" : "cpu_op";
  T.Head = (R"(","name":)" + quoted(Sites.label(S)) + R"(,"pid":)" +
            Twine(Pid) + R"(,"tid":)")
               .str();
  T.Tail = R"(,"args":{"kind":)" + quoted(Sites.kind(S)) + R"(,"output":)" +
           quoted(Sites.name(Sites.nodeOf(S))) + R"(,"module":)" +
           quoted(Sites.modulePath(S)) + R"(,"source":)" +
           quoted(Sites.source(S)) + R"(,"Module Hierarchy":)" +
           quoted(moduleHierarchy(Sites, S)) + "}}";
  return T;
}

/// Appends ns as us with three decimals.
static void appendMicroseconds(std::string &Out, uint64_t Ns) {
  char Digits[24];
  char *Start = std::end(Digits);
  unsigned Written = 0;
  do {
    if (Written == 3)
      *--Start = '.';
    *--Start = static_cast<char>('0' + Ns % 10);
    Ns /= 10;
    ++Written;
  } while (Ns || Written < 4);
  Out.append(Start, std::end(Digits));
}

/// Appends an end of the arrow from a host's span to a device's, with the
/// category that Kineto gives to those.
static void appendFlow(std::string &Out, const TimelineSpan &Span,
                       uint64_t Pid) {
  Out += Span.OnDevice ? ",\n{\"ph\":\"f\",\"bp\":\"e\"" : ",\n{\"ph\":\"s\"";
  Out += (R"(,"id":)" + Twine(Span.Flow) +
          R"(,"cat":"ac2g","name":"ac2g","pid":)" + Twine(Pid) + R"(,"tid":)" +
          Twine(Span.Track) + R"(,"ts":)")
             .str();
  appendMicroseconds(Out, Span.BeginNs);
  Out += "}";
}

/// So many spans of a track with the same times are put in order, no more: a
/// clock that stands still must not fill the memory.
static constexpr size_t MaxHeld = 1 << 16;

/// Visits all spans, those of one track with the same times from the outer one
/// to the inner one: viewers draw what comes first in the file around the
/// others.
static void forEachOuterFirst(const Timeline &T,
                              function_ref<void(const TimelineSpan &)> Visit) {
  std::vector<std::vector<TimelineSpan>> SameTimes(T.tracks().size());
  auto Flush = [&](std::vector<TimelineSpan> &Spans) {
    for (const TimelineSpan &Span : reverse(Spans))
      Visit(Span);
    Spans.clear();
  };
  T.forEach([&](const TimelineSpan &Span) {
    std::vector<TimelineSpan> &Spans = SameTimes[Span.Track];
    if (!Spans.empty() &&
        (Spans.back().BeginNs != Span.BeginNs ||
         Spans.back().EndNs != Span.EndNs || Spans.size() == MaxHeld))
      Flush(Spans);
    Spans.push_back(Span);
  });
  for (std::vector<TimelineSpan> &Spans : SameTimes)
    Flush(Spans);
}

static Error write(const ExportInput &In, raw_ostream &OS) {
  Expected<Timeline> T = Timeline::create(In);
  if (!T)
    return T.takeError();
  uint64_t Pid = In.Single ? In.Single->Process.Pid : 0;
  std::vector<EventText> Texts;
  for (uint32_t S = 0; S < In.Sites.size(); ++S)
    Texts.push_back(eventText(In.Sites, S, Pid));

  OS << R"({"schemaVersion":1,"displayTimeUnit":"ms","baseTimeNanoseconds":)"
     << T->startRealtimeNs() << ",\"exporter\":\"torchprof\",\n"
     << "\"traceEvents\":[\n"
     << R"({"ph":"M","name":"process_name","ts":0,"pid":)" << Pid
     << R"(,"tid":0,"args":{"name":)" << quoted(In.Title) << "}}";
  // A track without spans needs no name.
  std::vector<bool> Used(T->tracks().size());
  std::string Line;
  forEachOuterFirst(*T, [&](const TimelineSpan &Span) {
    const EventText &Text = Texts[Span.Site];
    Used[Span.Track] = true;
    Line.assign(",\n{\"ph\":\"X\",\"cat\":\"");
    Line += Span.OnDevice ? "gpu_user_annotation" : Text.Category;
    Line += Text.Head;
    Line += std::to_string(Span.Track);
    Line += ",\"ts\":";
    appendMicroseconds(Line, Span.BeginNs);
    Line += ",\"dur\":";
    appendMicroseconds(Line, Span.EndNs - Span.BeginNs);
    Line += Text.Tail;
    if (Span.Flow)
      appendFlow(Line, Span, Pid);
    OS << Line;
  });
  for (format::MemoryPlace Place : format::MemoryPlaces)
    forEachHeld(In, Place, [&](uint64_t Ns, int64_t Bytes) {
      Line = (R"(,
{"ph":"C","name":")" +
              heldMemoryName(Place) + R"(","pid":)" + Twine(Pid) +
              R"(,"tid":0,"ts":)")
                 .str();
      appendMicroseconds(Line, Ns);
      OS << Line << R"(,"args":{"bytes":)" << Bytes << "}}";
    });
  for (const TimelineTrack &Track : T->tracks())
    if (Used[Track.Number])
      OS << R"(,)"
         << "\n"
         << R"({"ph":"M","name":"thread_name","ts":0,"pid":)" << Pid
         << R"(,"tid":)" << Track.Number << R"(,"args":{"name":)"
         << quoted(Track.Name) << R"(}},)"
         << "\n"
         << R"({"ph":"M","name":"thread_sort_index","ts":0,"pid":)" << Pid
         << R"(,"tid":)" << Track.Number << R"(,"args":{"sort_index":)"
         << Track.Number << "}}";
  OS << "\n]}\n";
  return Error::success();
}

static ExporterRegistration
    Registration({"chrome", "trace JSON for Perfetto, chrome://tracing and HTA",
                  true, write, HasTitle | HasAggregate});

} // namespace chrome_export
