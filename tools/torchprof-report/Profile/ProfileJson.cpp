//===- ProfileJson.cpp - profiles as JSON text ----------------------------===//
//
// The mapping names each member once, for both directions (JsonArchive.h).
// Profiles written by hand are short: everything but the sites and what was
// measured has a default, and a cell can be given by its samples.
//
//===----------------------------------------------------------------------===//

#include "ProfileJson.h"
#include "JsonArchive.h"
#include "LaneJson.h"
#include "MemoryJson.h"
#include "torchprof/format/SlotMap.h"

#include <variant>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

template <class IO> class Mapping {
  template <typename T>
  using Ref = std::conditional_t<IO::Reading, T, const T> &;

public:
  explicit Mapping(Ref<Profile> P) : P(P) {}
  void map(IO &io);

private:
  void process(IO &io, Ref<format::ProcessRecord> R);
  void model(IO &io, Ref<Model> M);
  void scope(IO &io, Ref<Manifest> T, Ref<ManifestScope> S);
  void site(IO &io, Ref<Manifest> T, Ref<ManifestSite> S);
  void dynamicSite(IO &io, Ref<DynamicSite> D);
  void plan(IO &io, Ref<format::PlanEvent> E);
  void load(IO &io, Ref<format::LoadEvent> E);

  void interned(IO &io, StringRef Key, Ref<Manifest> T, Ref<uint32_t> Text);
  void position(IO &io, StringRef Key, Ref<Manifest> T, Ref<SourcePosition> S);
  void slots(IO &io, StringRef Key, Ref<format::Slot> First, uint64_t Count);

  Ref<Profile> P;
  format::SlotMap<std::monostate> Taken; ///< while reading
};

} // namespace

//===----------------------------------------------------------------------===//
// The process and its sites
//===----------------------------------------------------------------------===//

template <class IO>
void Mapping<IO>::process(IO &io, Ref<format::ProcessRecord> R) {
  io.member("pid", R.Pid);
  io.member("parent_pid", R.ParentPid);
  io.member("start_realtime_ns", R.StartRealtimeNs);
  io.member("start_ticks", R.StartTicks);
  io.member("end_ticks", R.EndTicks);
  io.choice("clock", R.Clock);
  io.choice("mode", R.Mode);
  io.member("ticks_per_second", R.NominalTicksPerSecond);
  io.member("lowered_probe_ticks_x16", R.LoweredProbeTicksX16);
  io.member("explicit_probe_ticks_x16", R.ExplicitProbeTicksX16);
  io.member("pair_offset_ticks_x16", R.PairOffsetTicksX16);
  io.member("host", R.Host);
  io.member("command", R.Command);
  io.member("runtime", R.Runtime);
  io.member("framework", R.Framework);
  io.member("schedule", R.Schedule);
  std::string Names[format::CounterCapacity];
  io.object("counters", [&](IO &io) {
    for (unsigned I = 0; I < format::CounterCapacity; ++I)
      io.optional(Names[I] = counterName(I), R.Counters[I]);
  });
}

/// A string of the manifest, which holds each of them once.
template <class IO>
void Mapping<IO>::interned(IO &io, StringRef Key, Ref<Manifest> T,
                           Ref<uint32_t> Text) {
  if constexpr (IO::Reading) {
    std::string Read;
    io.member(Key, Read);
    Text = T.intern(Read);
  } else {
    io.optional(Key, T.string(Text));
  }
}

template <class IO>
void Mapping<IO>::position(IO &io, StringRef Key, Ref<Manifest> T,
                           Ref<SourcePosition> S) {
  io.object(
      Key,
      [&](IO &io) {
        interned(io, "file", T, S.File);
        io.optional("line", S.Line);
        io.optional("column", S.Column);
        interned(io, "text", T, S.Text);
      },
      S != SourcePosition());
}

/// An index into what stands before it, if it is not \p None.
template <class IO>
static void index(IO &io, StringRef Key, auto &Index, uint32_t None,
                  size_t Size) {
  io.optional(Key, Index, None);
  if constexpr (IO::Reading)
    if (Index != None && Index >= Size)
      io.fail(Key,
              "expected the number of an earlier entry, found " + Twine(Index));
}

template <class IO>
void Mapping<IO>::scope(IO &io, Ref<Manifest> T, Ref<ManifestScope> S) {
  index(io, "parent", S.Parent, NoIndex, T.Scopes.size());
  interned(io, "module", T, S.Module);
  interned(io, "class", T, S.Class);
  interned(io, "function", T, S.Function);
  position(io, "call", T, S.Call);
}

template <class IO>
void Mapping<IO>::site(IO &io, Ref<Manifest> T, Ref<ManifestSite> S) {
  index(io, "parent", S.Parent, NoIndex, T.Sites.size());
  interned(io, "kind", T, S.Kind);
  interned(io, "overload", T, S.Overload);
  interned(io, "name", T, S.Name);
  index(io, "scope", S.Scope, 0, T.Scopes.size());
  position(io, "source", T, S.Source);
  io.template flags<SiteFlags>("flags", S.Flags);
  if (IO::Reading || !S.Producers.empty())
    io.numbers("producers", S.Producers);
}

/// A range of slots that nothing before has.
template <class IO>
void Mapping<IO>::slots(IO &io, StringRef Key, Ref<format::Slot> First,
                        uint64_t Count) {
  if constexpr (IO::Reading)
    First = Taken.end();
  io.member(Key, First);
  if constexpr (IO::Reading)
    if (std::optional<format::Slot> Disputed = Taken.add(First, Count, {}))
      io.fail(Key, "slot " + Twine(number(*Disputed)) +
                       (*Disputed == format::NoSlot
                            ? " is beyond the largest one"
                            : " belongs to an earlier entry"));
}

template <class IO> void Mapping<IO>::model(IO &io, Ref<Model> M) {
  std::shared_ptr<Manifest> New;
  if constexpr (IO::Reading)
    M.Table = New = std::make_shared<Manifest>();
  Ref<Manifest> T = [&]() -> Ref<Manifest> {
    if constexpr (IO::Reading)
      return *New;
    else
      return *M.Table;
  }();
  io.member("id", T.ModelId, (uint64_t(1) << format::ModelIdBits) - 1);
  io.optional("name", T.ModelName);
  io.member("producer", T.Producer);
  if (IO::Reading || !T.Options.empty())
    io.objects("options", T.Options, [](IO &io, auto &O) {
      io.member("name", O.Name);
      io.member("value", O.Value);
      // A manifest ends a name there.
      if constexpr (IO::Reading)
        if (StringRef(O.Name).find_first_of(StringRef(" \n\0", 3)) !=
            StringRef::npos)
          io.fail("name",
                  "expected the name of an option, found '" + O.Name + "'");
    });
  io.objects("scopes", T.Scopes, [&](IO &io, auto &S) { scope(io, T, S); });
  if constexpr (IO::Reading)
    if (T.Scopes.empty())
      T.Scopes.emplace_back();
  io.objects("sites", T.Sites, [&](IO &io, auto &S) { site(io, T, S); });
  slots(io, "first_slot", M.FirstSlot, T.Sites.size());
  if (IO::Reading || !T.Names.empty())
    io.objects("names", T.Names, [&](IO &io, auto &N) {
      interned(io, "function", T, N.Function);
      io.member("value", N.Value);
      interned(io, "name", T, N.Name);
    });
  // The producers of a loop's inputs may be sites behind it.
  if constexpr (IO::Reading)
    for (const ManifestSite &S : T.Sites)
      for (uint32_t Producer : S.Producers)
        if (Producer >= T.Sites.size())
          io.fail("sites", "site " + Twine(Producer) +
                               " is a producer, but does not exist");
  if constexpr (IO::Reading)
    if (std::string Cause = whyTooDeep(T); !Cause.empty())
      io.fail(Cause);
}

template <class IO> void Mapping<IO>::dynamicSite(IO &io, Ref<DynamicSite> D) {
  slots(io, "slot", D.Slot, 1);
  io.optional("parent", D.Parent, format::NoSlot);
  io.choice("kind", D.Kind);
  io.template flags<format::DynamicFlags>("flags", D.Flags);
  io.member("name", D.Name);
}

template <class IO> void Mapping<IO>::plan(IO &io, Ref<format::PlanEvent> E) {
  if constexpr (IO::Reading) {
    E.Root = E.First = E.Caller = format::NoSlot;
    E.Kind = format::PlanKind::Optimized;
    E.Part = format::PlanPart::Whole;
    E.Depth = format::NoDepth;
  }
  io.optional("root", E.Root, format::NoSlot);
  io.optional("first", E.First, format::NoSlot);
  io.choice("kind", E.Kind);
  io.choice("part", E.Part);
  io.member("begin", E.BeginTicks);
  io.member("ticks", E.Ticks);
  io.member("own_ticks", E.OwnTicks);
  io.member("thread", E.Thread);
  io.member("run", E.Run);
  io.optional("depth", E.Depth, format::NoDepth);
  io.member("nodes", E.Nodes);
  io.member("groups", E.Groups);
  io.template flags<format::PlanFlags>("flags", E.Flags);
  if (IO::Reading || (E.Flags & format::PF_Called))
    io.optional("caller", E.Caller, format::NoSlot);
}

template <class IO> void Mapping<IO>::load(IO &io, Ref<format::LoadEvent> E) {
  std::string Name(format::fileOf(E));
  io.optional("name", Name);
  if constexpr (IO::Reading)
    format::setFile(E, Name);
  io.member("begin", E.BeginTicks);
  io.member("ticks", E.Ticks);
  io.member("thread", E.Thread);
}

//===----------------------------------------------------------------------===//
// The profile
//===----------------------------------------------------------------------===//

template <class IO> void Mapping<IO>::map(IO &io) {
  uint32_t Version = format::FormatVersion;
  io.member("version", Version);
  if constexpr (IO::Reading) {
    if (Version != format::FormatVersion)
      io.fail("version", "expected profile format " +
                             Twine(format::FormatVersion) + ", found " +
                             Twine(Version));
    P.Process.Clock = format::ClockKind::Monotonic;
  }
  io.choice("state", P.State);
  io.member("epoch", P.Epoch);
  if (IO::Reading || P.ResetTicks)
    io.member("reset_ticks", P.ResetTicks);
  io.object("process", [&](IO &io) { process(io, P.Process); });
  io.member("anchor_interval_ns", P.AnchorIntervalNs);
  io.objects("anchors", P.Anchors, [](IO &io, auto &A) {
    io.member("ticks", A.Ticks);
    io.member("monotonic_ns", A.MonotonicNs);
    io.member("realtime_ns", A.RealtimeNs);
    io.member("uncertainty_ns", A.UncertaintyNs);
  });
  if (IO::Reading || P.Machine.Threads)
    io.object("machine", [&](IO &io) {
      io.member("flops_per_second", P.Machine.FlopsPerSecond);
      io.member("bytes_per_second", P.Machine.BytesPerSecond);
      io.member("threads", P.Machine.Threads);
    });
  io.objects("models", P.Models, [&](IO &io, auto &M) { model(io, M); });
  io.objects("dynamic_sites", P.DynamicSites,
             [&](IO &io, auto &D) { dynamicSite(io, D); });
  if (IO::Reading || !P.Plans.empty())
    io.objects("plans", P.Plans, [&](IO &io, auto &E) { plan(io, E); });
  if (IO::Reading || !P.Loads.empty())
    io.objects("loads", P.Loads, [&](IO &io, auto &E) { load(io, E); });
  for (format::MemoryPlace Place : format::MemoryPlaces) {
    auto &Books = P.Books[unsigned(Place)];
    StringRef Key =
        Place == format::MemoryPlace::Cpu ? "books" : "device_books";
    if constexpr (IO::Reading)
      if (io.has(Key))
        Books.emplace();
    if (Books)
      io.object(Key, [&](IO &io) { mapBooks(io, *Books, Place); });
  }
  io.objects("lanes", P.Lanes,
             [&](IO &io, auto &L) { LaneMapping<IO>(P).map(io, L); });
}

/// Levels of arrays and objects that are read. A profile has seven.
static constexpr unsigned MaxLevels = 64;

/// Says why LLVM's parser must not see \p Text; empty if it may. The parser
/// calls itself for each level, so that enough of them exhaust the stack, and
/// reads all characters before it refuses one: the zeros of a sparse file have
/// no end.
static std::string whyNotParsed(StringRef Text) {
  unsigned Level = 0;
  bool IsInString = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    bool IsControl = static_cast<unsigned char>(C) < ' ';
    if (IsControl && (IsInString || (C != '\n' && C != '\r' && C != '\t')))
      return "a control character at offset " + std::to_string(I);
    if (IsInString) {
      if (C == '\\')
        ++I; // whatever it is, it does not end the string
      else
        IsInString = C != '"';
    } else if (C == '"') {
      IsInString = true;
    } else if (C == '[' || C == '{') {
      if (++Level > MaxLevels)
        return "more than " + std::to_string(MaxLevels) + " levels deep";
    } else if ((C == ']' || C == '}') && Level > 0) {
      --Level;
    }
  }
  return std::string();
}

Expected<Profile> report::profileFromJson(StringRef Text, StringRef FileName) {
  auto Wrong = [&](const Twine &Cause) {
    return createStringError(inconvertibleErrorCode(),
                             FileName + ": not a profile as JSON: " + Cause);
  };
  if (std::string Cause = whyNotParsed(Text); !Cause.empty())
    return Wrong(Cause);
  Expected<json::Value> Value = json::parse(Text);
  if (!Value)
    return Wrong(toString(Value.takeError()));
  Profile P;
  P.FileName = FileName.str();
  P.FileBytes = Text.size();
  std::string Error;
  JsonReader Reader(&*Value, Error);
  Mapping<JsonReader> Map(P);
  Reader.mapObject([&](JsonReader &io) { Map.map(io); });
  if (Error.empty())
    Error = P.whyTooDeep();
  if (!Error.empty())
    return createStringError(inconvertibleErrorCode(), FileName + ": " + Error);
  return P;
}

void report::writeProfileJson(const Profile &P, raw_ostream &OS) {
  json::OStream J(OS, 2);
  JsonWriter Writer(J);
  J.object([&] { Mapping<JsonWriter>(P).map(Writer); });
  J.flush();
  OS << '\n';
}
