//===- JsonToProfile.cpp - profiles as JSON text, read --------------------===//
//
// Hand-written profiles are short: everything but the sites and what was
// measured has a default, and a cell can be given by its samples.
//
//===----------------------------------------------------------------------===//

#include "Aggregate.h"
#include "ProfileJson.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

#include <functional>
#include <set>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

/// The largest ring that the JSON form may ask for: 16 million entries.
constexpr uint64_t MaxCapacity = uint64_t(1) << 24;

/// A JSON value and where it stands. The first error wins.
class Node {
public:
  Node(const json::Value *V, std::string Path, std::string &Error)
      : V(V), Path(std::move(Path)), Error(Error) {}

  bool present() const { return V; }

  void fail(const Twine &Cause) const {
    if (Error.empty())
      Error = (Path.empty() ? Cause : Path + ": " + Cause).str();
  }

  /// The member \p Key, which need not be there.
  Node operator[](StringRef Key) {
    std::string Where = Path.empty() ? Key.str() : Path + "." + Key.str();
    const json::Object *O = V ? V->getAsObject() : nullptr;
    if (V && !O)
      fail("expected an object, found " + found());
    Known.insert(Key);
    return Node(O ? O->get(Key) : nullptr, Where, Error);
  }

  /// Says that all members that may be there were asked for.
  void finish() const {
    const json::Object *O = V ? V->getAsObject() : nullptr;
    if (!O)
      return;
    for (const auto &Member : *O)
      if (!Known.contains(StringRef(Member.first)))
        fail("unknown member '" + StringRef(Member.first) + "'");
  }

  void each(function_ref<void(Node)> Visit) const {
    if (!V)
      return;
    const json::Array *A = V->getAsArray();
    if (!A)
      return fail("expected an array, found " + found());
    for (size_t I = 0; I < A->size() && Error.empty(); ++I)
      Visit(Node(&(*A)[I], Path + "[" + std::to_string(I) + "]", Error));
  }

  void eachMember(function_ref<void(StringRef, Node)> Visit) const {
    if (!V)
      return;
    const json::Object *O = V->getAsObject();
    if (!O)
      return fail("expected an object, found " + found());
    // Sorted: json::Object has no order.
    std::set<StringRef> Keys;
    for (const auto &Member : *O)
      Keys.insert(StringRef(Member.first));
    for (StringRef Key : Keys)
      Visit(Key, Node(O->get(Key), Path + "." + Key.str(), Error));
  }

  uint64_t number(uint64_t Default = 0, uint64_t Limit = UINT64_MAX) const {
    if (!V)
      return Default;
    Optional<uint64_t> N = V->getAsUINT64();
    if (!N || *N > Limit) {
      fail("expected a whole number" +
           (Limit == UINT64_MAX ? std::string()
                                : " of at most " + std::to_string(Limit)) +
           ", found " + found());
      return Default;
    }
    return *N;
  }

  uint32_t number32(uint32_t Default = 0) const {
    return static_cast<uint32_t>(number(Default, UINT32_MAX));
  }

  format::Slot slot(format::Slot Default = {}) const {
    return format::Slot(number32(format::number(Default)));
  }

  StringRef text(StringRef Default = "") const {
    if (!V)
      return Default;
    if (Optional<StringRef> S = V->getAsString())
      return *S;
    fail("expected a string, found " + found());
    return Default;
  }

  bool boolean(bool Default = false) const {
    if (!V)
      return Default;
    if (Optional<bool> B = V->getAsBoolean())
      return *B;
    fail("expected true or false, found " + found());
    return Default;
  }

  /// One of \p Names; returns its position, from 0.
  unsigned choice(ArrayRef<StringRef> Names, unsigned Default) const {
    if (!V)
      return Default;
    StringRef Text = text();
    for (unsigned I = 0; I < Names.size(); ++I)
      if (Text == Names[I])
        return I;
    fail("expected one of " + join(Names.begin(), Names.end(), ", ") +
         ", found " + found());
    return Default;
  }

private:
  std::string found() const {
    std::string Text;
    raw_string_ostream(Text) << *V;
    if (Text.size() > 40)
      Text = Text.substr(0, 37) + "...";
    return Text;
  }

  const json::Value *V;
  std::string Path;
  std::string &Error;
  StringSet<> Known;
};

class Reader {
public:
  explicit Reader(Profile &P) : P(P) {}
  void read(Node N);

private:
  void process(Node N);
  void model(Node N);
  SourcePosition position(Node N, Manifest &M);
  void lane(Node N);
  format::Cell cell(Node N);
  RunRing runs(Node N);
  TraceBuffer trace(Node N);

  Profile &P;
};

} // namespace

void Reader::process(Node N) {
  format::ProcessRecord &R = P.Process;
  R.Pid = N["pid"].number();
  R.ParentPid = N["parent_pid"].number();
  R.StartRealtimeNs = N["start_realtime_ns"].number();
  R.StartTicks = N["start_ticks"].number();
  R.EndTicks = N["end_ticks"].number();
  R.Clock = static_cast<format::ClockKind>(
      N["clock"].choice({"tsc", "monotonic", "injected"}, 1) + 1);
  R.Mode = static_cast<format::RecordMode>(
      N["mode"].choice({"aggregate", "trace"}, 0));
  R.NominalTicksPerSecond = N["ticks_per_second"].number();
  R.LoweredProbeTicksX16 = N["lowered_probe_ticks_x16"].number();
  R.ExplicitProbeTicksX16 = N["explicit_probe_ticks_x16"].number();
  setFixedText(R.Host, N["host"].text());
  setFixedText(R.Command, N["command"].text());
  setFixedText(R.Runtime, N["runtime"].text());
  setFixedText(R.Framework, N["framework"].text());
  setFixedText(R.Schedule, N["schedule"].text());
  Node Counters = N["counters"];
  for (unsigned I = 0; !counterName(I).empty(); ++I)
    R.Counters[I] = Counters[counterName(I)].number();
  Counters.finish();
  N.finish();
}

SourcePosition Reader::position(Node N, Manifest &M) {
  SourcePosition S;
  S.File = M.intern(N["file"].text().str());
  S.Line = N["line"].number32();
  S.Column = N["column"].number32();
  S.Text = M.intern(N["text"].text().str());
  N.finish();
  return S;
}

void Reader::model(Node N) {
  auto Table = std::make_shared<Manifest>();
  Manifest &T = *Table;
  T.ModelId = N["id"].number(0, (uint64_t(1) << format::ModelIdBits) - 1);
  T.Producer = N["producer"].text().str();
  format::Slot FirstSlot = N["first_slot"].slot(P.endOfSlots());
  auto Intern = [&](Node Text) { return T.intern(Text.text().str()); };
  auto Index = [](Node Number, uint32_t Default, size_t Size) {
    uint32_t Value = Number.number32(Default);
    if (Value != Default && Value >= Size)
      Number.fail("expected the number of an earlier entry, found " +
                  Twine(Value));
    return Value;
  };
  N["scopes"].each([&](Node Scope) {
    ManifestScope S;
    S.Parent = Index(Scope["parent"], NoIndex, T.Scopes.size());
    S.Module = Intern(Scope["module"]);
    S.Class = Intern(Scope["class"]);
    S.Function = Intern(Scope["function"]);
    S.Call = position(Scope["call"], T);
    Scope.finish();
    T.Scopes.push_back(S);
  });
  if (T.Scopes.empty())
    T.Scopes.emplace_back();
  N["sites"].each([&](Node Site) {
    ManifestSite S;
    S.Parent = Index(Site["parent"], NoIndex, T.Sites.size());
    S.Kind = Intern(Site["kind"]);
    S.Overload = Intern(Site["overload"]);
    S.Name = Intern(Site["name"]);
    S.Scope = Index(Site["scope"], 0, T.Scopes.size());
    S.Source = position(Site["source"], T);
    Site["flags"].each([&](Node Flag) {
      S.Flags |=
          1u << Flag.choice(
              {"root", "module", "async", "control", "vanished", "method"}, 0);
    });
    // A loop's producers may come later: checked below.
    Site["producers"].each(
        [&](Node Producer) { S.Producers.push_back(Producer.number32()); });
    Site.finish();
    T.Sites.push_back(std::move(S));
  });
  for (const ManifestSite &S : T.Sites)
    for (uint32_t Producer : S.Producers)
      if (Producer >= T.Sites.size())
        N.fail("expected producers among the sites, found " + Twine(Producer));
  N.finish();
  P.Models.push_back({FirstSlot, std::move(Table)});
}

format::Cell Reader::cell(Node N) {
  format::Cell C = {};
  C.Site = N["slot"].slot();
  C.Epoch = N["epoch"].number32(static_cast<uint32_t>(P.Epoch));
  N["samples"].each([&](Node Sample) { recordSample(C, Sample.number()); });
  C.Word = N["count"].number(C.Word / 2, UINT64_MAX / 2) * 2;
  C.Cut = N["cut"].number();
  C.Begins = N["begins"].number(C.Word / 2 + C.Cut);
  C.Sum = N["sum"].number(C.Sum);
  unsigned Half = 0;
  N["squares"].each([&](Node Value) {
    (Half++ ? C.SquaresHigh : C.SquaresLow) = Value.number();
  });
  C.Min = N["min"].number(C.Min);
  C.Max = N["max"].number(C.Max);
  C.Nested = N["nested"].number();
  unsigned Sample = 0;
  N["first"].each([&](Node Value) {
    if (Sample == format::FirstSamples)
      Value.fail("expected at most " + Twine(format::FirstSamples) +
                 " samples, found more");
    else
      C.First[Sample++] = Value.number();
  });
  N["histogram"].eachMember([&](StringRef Key, Node Value) {
    unsigned Bucket = 0;
    if (Key.getAsInteger(10, Bucket) || Bucket >= format::HistogramBuckets)
      return Value.fail("expected a bucket below " +
                        Twine(format::HistogramBuckets) + ", found '" + Key +
                        "'");
    C.Histogram[Bucket] = Value.number32();
  });
  if (N["torn"].boolean())
    C.Word |= 1;
  N.finish();
  return C;
}

/// Reads an array of exactly \p Count numbers.
static SmallVector<uint64_t, 3> wholeNumbers(Node N, unsigned Count) {
  SmallVector<uint64_t, 3> Values;
  N.each([&](Node Value) { Values.push_back(Value.number()); });
  if (Values.size() != Count) {
    N.fail("expected " + Twine(Count) + " numbers, found " +
           Twine(Values.size()));
    Values.resize(Count);
  }
  return Values;
}

RunRing Reader::runs(Node N) {
  RunRing R;
  std::vector<format::RunSample> Samples;
  N["samples"].each([&](Node Sample) {
    auto Pair = wholeNumbers(Sample, 2);
    Samples.push_back({Pair[0], Pair[1]});
  });
  R.Slot = N["slot"].slot();
  R.Capacity = static_cast<uint32_t>(N["capacity"].number(
      std::max<uint64_t>(Samples.size(), format::RunsCapacity), MaxCapacity));
  R.Count = N["count"].number(Samples.size());
  if (Samples.size() != std::min<uint64_t>(R.Count, R.Capacity))
    N.fail("expected as many samples as count and capacity allow, found " +
           Twine(Samples.size()));
  R.Samples = P.keep(ArrayRef<format::RunSample>(Samples));
  N.finish();
  return R;
}

TraceBuffer Reader::trace(Node N) {
  TraceBuffer T;
  std::vector<format::TraceEvent> Events;
  N["events"].each([&](Node Event) {
    auto Parts = wholeNumbers(Event, 3);
    if (Parts[0] >> (64 - format::TraceDurationBits) ||
        Parts[2] >> format::TraceDurationBits)
      Event.fail("expected a slot and a duration that fit 24 and 40 bits");
    Events.push_back(
        {Parts[1], Parts[0] << format::TraceDurationBits | Parts[2]});
  });
  T.Keep = static_cast<format::TraceKeep>(
      N["keep"].choice({"first", "last"}, 0) + 1);
  T.Capacity = N["capacity"].number(Events.size(), MaxCapacity);
  T.Written = N["written"].number(Events.size());
  if (Events.size() != std::min(T.Written, T.Capacity))
    N.fail("expected as many events as written and capacity allow, found " +
           Twine(Events.size()));
  T.Events = P.keep(ArrayRef<format::TraceEvent>(Events));
  N.finish();
  return T;
}

void Reader::lane(Node N) {
  Lane L;
  L.Record.Lane = N["lane"].number32(static_cast<uint32_t>(P.Lanes.size()));
  for (const Lane &Other : P.Lanes)
    if (Other.Record.Lane == L.Record.Lane)
      N.fail("expected a new lane, found lane " + Twine(L.Record.Lane) +
             " again");
  L.Record.State = static_cast<format::LaneState>(
      N["state"].choice({"live", "free"}, 0) + 1);
  L.Record.Thread = N["thread"].number();
  L.Record.Threads = N["threads"].number(1);
  setFixedText(L.Record.Name, N["name"].text());
  L.Record.CurrentSlot = N["current_slot"].slot(format::NoSlot);
  L.Record.CurrentTicks = N["current_ticks"].number();
  std::vector<format::Cell> Cells;
  N["cells"].each([&](Node Cell) { Cells.push_back(cell(Cell)); });
  L.Cells.push_back(P.keep(ArrayRef<format::Cell>(Cells)));
  N["runs"].each([&](Node Ring) { L.Runs.push_back(runs(Ring)); });
  N["traces"].each([&](Node Trace) { L.Traces.push_back(trace(Trace)); });
  N.finish();
  P.Lanes.push_back(std::move(L));
}

void Reader::read(Node N) {
  uint64_t Version = N["version"].number(format::FormatVersion);
  if (Version != format::FormatVersion)
    N["version"].fail("expected profile format version " +
                      Twine(format::FormatVersion) + ", found version " +
                      Twine(Version));
  P.State = static_cast<format::FileState>(
      N["state"].choice({"open", "closed", "snapshot", "merged"}, 1) + 1);
  P.Epoch = N["epoch"].number();
  process(N["process"]);
  P.AnchorIntervalNs = N["anchor_interval_ns"].number();
  N["anchors"].each([&](Node Anchor) {
    P.Anchors.push_back(
        {Anchor["ticks"].number(), Anchor["monotonic_ns"].number(),
         Anchor["realtime_ns"].number(), Anchor["uncertainty_ns"].number()});
    Anchor.finish();
  });
  N["models"].each([&](Node M) { model(M); });
  N["dynamic_sites"].each([&](Node D) {
    DynamicSite S;
    S.Slot = D["slot"].slot(P.endOfSlots());
    S.Parent = D["parent"].slot(format::NoSlot);
    S.Kind = static_cast<format::DynamicKind>(
        D["kind"].choice({"region", "group"}, 0) + 1);
    D["flags"].each([&](Node Flag) {
      S.Flags |= 1u << Flag.choice({"overflow", "cut"}, 0);
    });
    S.Name = D["name"].text().str();
    P.DynamicSites.push_back(std::move(S));
    D.finish();
  });
  N["lanes"].each([&](Node L) { lane(L); });
  N.finish();
}

Expected<Profile> report::profileFromJson(StringRef Text, StringRef FileName) {
  Expected<json::Value> Value = json::parse(Text);
  if (!Value)
    return createStringError(inconvertibleErrorCode(),
                             FileName + ": expected a profile as JSON: " +
                                 toString(Value.takeError()));
  Profile P;
  P.FileName = FileName.str();
  P.FileBytes = Text.size();
  std::string Error;
  Reader(P).read(Node(&*Value, "", Error));
  if (!Error.empty())
    return createStringError(inconvertibleErrorCode(), FileName + ": " + Error);
  return P;
}
