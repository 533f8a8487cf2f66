//===- Timeline.cpp - spans in time, for trace viewers --------------------===//

#include "Timeline.h"
#include "../../common/Messages.h"
#include "EndedSpans.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

/// Threads keep a fixed number of spans each, and nothing in a picture of these
/// says that there were more.
static void warnOfDropped(const Profile &P) {
  uint64_t Kept = 0, Written = 0, Threads = 0;
  bool LacksFirst = false;
  for (const Lane &L : P.Lanes) {
    bool LacksAny = false;
    for (const TraceBuffer &B : L.Traces) {
      if (!B.dropped())
        continue;
      LacksAny = true;
      LacksFirst |= B.Keep == format::LogKeep::Last;
      Kept += B.Events.size();
      Written += B.Written;
    }
    Threads += LacksAny;
  }
  if (Threads)
    reportWarning(P.FileName + ": the trace has the " +
                  (LacksFirst ? "last " : "first ") + utostr(Kept) + " of " +
                  utostr(Written) + " spans of " +
                  (Threads == 1 ? "a thread" : utostr(Threads) + " threads") +
                  "; a larger TORCHPROF_TRACE_EVENTS keeps more");
}

/// True for what runs are made up of: roots, of which a call has ended.
static bool isMadeUpOf(const SiteTable &Sites, uint32_t S) {
  return Sites[S].isRoot() && Sites[S].Parent == NoIndex &&
         Sites.measured(S).Count;
}

static bool hasEndedRun(const SiteTable &Sites) {
  return any_of(seq<uint32_t>(0, static_cast<uint32_t>(Sites.size())),
                [&](uint32_t S) { return isMadeUpOf(Sites, S); });
}

Expected<Timeline> Timeline::create(const ExportInput &In) {
  Timeline T(In);
  if (In.FromAggregate) {
    if (!hasEndedRun(In.Sites))
      return createStringError(inconvertibleErrorCode(),
                               "--from-aggregate: no run has ended, so that "
                               "there are no mean times of one");
    T.makeUp();
    return T;
  }
  if (!In.Single)
    return createStringError(inconvertibleErrorCode(),
                             "traces of several profiles do not fit into "
                             "one timeline: give one profile");
  const Profile &P = *In.Single;
  bool HasTrace = false;
  for (const Lane &L : P.Lanes) {
    T.addLane(L);
    HasTrace |= !L.Traces.empty();
  }
  if (!HasTrace)
    return createStringError(
        inconvertibleErrorCode(),
        P.FileName + ": no trace in this profile; record one with "
                     "TORCHPROF_MODE=trace, or let --from-aggregate make up a "
                     "run of mean times");
  warnOfDropped(P);
  T.Devices = DeviceTracks(In);
  T.FirstDeviceTrack = static_cast<uint32_t>(T.Tracks.size());
  for (const DeviceTrack &Track : T.Devices.tracks())
    T.Tracks.push_back({static_cast<uint32_t>(T.Tracks.size()), 0, Track.Name});
  T.Start = In.Sites.clock().realtimeNs(
      P.Anchors.empty() ? P.Process.StartTicks : P.Anchors.front().Ticks);
  return T;
}

//===----------------------------------------------------------------------===//
// A trace
//===----------------------------------------------------------------------===//

void Timeline::addLane(const Lane &L) {
  auto Number = static_cast<uint32_t>(FirstTracks.size());
  auto First = static_cast<uint32_t>(Tracks.size());
  FirstTracks.push_back(First);
  uint32_t Last = First;
  visitLane(Number, [&](const TimelineSpan &Span) {
    Last = std::max(Last, Span.Track);
  });
  for (uint32_t Track = First; Track <= Last; ++Track) {
    std::string Name = L.name();
    if (Track > First)
      Name += ", overlapping";
    if (Track > First + 1)
      Name += " " + std::to_string(Track - First);
    // A lane that threads had in turn knows the last one.
    Tracks.push_back({Track, L.Record.Threads > 1 ? 0 : L.Record.Thread,
                      std::move(Name), Track > First ? Optional(First) : None});
  }
}

void Timeline::visitLane(uint32_t Lane,
                         function_ref<void(const TimelineSpan &)> Visit) const {
  const report::Lane &L = In->Single->Lanes[Lane];
  const SiteTable &Sites = In->Sites;
  std::vector<EndedSpans> Ended; // by track
  for (const TraceBuffer &B : L.Traces) {
    for (const TraceEvent &E : B.Events) {
      uint32_t Site = (*In->SlotsOfSingle)[E.Site];
      if (Site == NoIndex || !In->Selected.matches(Sites, Site))
        continue;
      uint64_t EndTicks = E.BeginTicks + E.Ticks;
      double Begin = Sites.clock().sinceStart(E.BeginTicks);
      double End = Sites.clock().sinceStart(EndTicks);
      TimelineSpan Span;
      Span.Site = Site;
      Span.BeginNs = Begin > 0 ? static_cast<uint64_t>(Begin) : 0;
      Span.EndNs = End > 0 ? static_cast<uint64_t>(End) : 0;
      uint32_t Track = 0;
      // Nearly all fit on the first: others began inside of a span that ended
      // before they did.
      while (Track < Ended.size() && !Ended[Track].fits(Span.BeginNs))
        ++Track;
      if (Track == Ended.size())
        Ended.emplace_back();
      // It ends no earlier than what is inside, though what the folding between
      // them took is not in its time.
      Span.EndNs = std::max(Span.EndNs, Ended[Track].takeInside(Span.BeginNs));
      Ended[Track].add(Span.BeginNs, Span.EndNs);
      Span.Track = FirstTracks[Lane] + Track;
      Span.Flow = Devices.flowOf(Lane, Site, Span.BeginNs);
      Visit(Span);
    }
  }
}

void Timeline::forEach(function_ref<void(const TimelineSpan &)> Visit) const {
  if (In->FromAggregate) {
    for (const TimelineSpan &Span : MadeUp)
      Visit(Span);
    return;
  }
  for (uint32_t Lane = 0; Lane < In->Single->Lanes.size(); ++Lane)
    visitLane(Lane, Visit);
  for (const DeviceTrackSpan &S : Devices.spans())
    Visit({S.Site, FirstDeviceTrack + S.Track, S.BeginNs, S.EndNs, S.Flow,
           /*OnDevice=*/true});
}

//===----------------------------------------------------------------------===//
// A run made up from means
//===----------------------------------------------------------------------===//

struct Timeline::RunPlan {
  explicit RunPlan(size_t Sites) : Children(Sites), Bodies(Sites) {}

  double Runs = 0;
  std::vector<std::vector<uint32_t>> Children; ///< by site, inside of it
  std::vector<std::vector<uint32_t>> Bodies;   ///< the same, beside it
  /// Sites of bodies that are not laid out yet, and when they were forked.
  std::vector<std::pair<uint64_t, uint32_t>> Forked;
};

uint64_t Timeline::layOut(uint32_t Site, uint32_t Track, uint64_t Begin,
                          RunPlan &Plan) {
  const SiteTable &Sites = In->Sites;
  uint64_t End = Begin;
  for (uint32_t Child : Plan.Children[Site])
    End = layOut(Child, Track, End, Plan);
  auto Total = static_cast<double>(Sites.total(Site));
  auto Length =
      static_cast<uint64_t>(Sites.clock().toNs(Total) / Plan.Runs + 0.5);
  End = std::max(End, Begin + Length);
  for (uint32_t Body : Plan.Bodies[Site])
    Plan.Forked.push_back({End, Body});
  // LibTorch may fold an `if` or unroll a loop: its nodes then ran without it.
  if (Sites.reached(Site) && In->Selected.matches(Sites, Site))
    MadeUp.push_back({Site, Track, Begin, End, 0, false});
  return End;
}

void Timeline::makeUp() {
  const SiteTable &Sites = In->Sites;
  constexpr uint32_t Main = 0, Beside = 1;
  Tracks.push_back({Main, 0, "one run of mean times (made up)"});
  // An overlay has no place between the nodes. What runs beside its parent has
  // none in the parent's time: it is on a track of its own.
  RunPlan Plan(Sites.size());
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (Sites[S].Parent != NoIndex && !Sites[S].Dynamic)
      (Sites[S].Flags & SF_Async ? Plan.Bodies : Plan.Children)[Sites[S].Parent]
          .push_back(S);
  uint64_t Begin = 0, BesideEnd = 0;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (!isMadeUpOf(Sites, S))
      continue;
    Plan.Runs = static_cast<double>(Sites.measured(S).Count);
    Begin = layOut(S, Main, Begin, Plan);
    // Bodies may have overlapped; here they follow each other, those that a
    // body forks behind it.
    for (size_t I = 0; I < Plan.Forked.size(); ++I) {
      auto [Earliest, Body] = Plan.Forked[I];
      BesideEnd = layOut(Body, Beside, std::max(BesideEnd, Earliest), Plan);
    }
    Plan.Forked.clear();
  }
  if (any_of(MadeUp, [](const TimelineSpan &S) { return S.Track == Beside; }))
    Tracks.push_back({Beside, 0, "what it forks, one by one (made up)"});
}
