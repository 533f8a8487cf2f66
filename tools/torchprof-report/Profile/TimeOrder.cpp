//===- TimeOrder.cpp - do records end in their order ----------------------===//

#include "TimeOrder.h"
#include "TickClock.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

/// By so much what the host does when a gradient was computed may delay the
/// writing of the gradient's span, and there may be spans in that.
static constexpr double LeastSlackNs = 1e8;

static uint64_t endOf(const TraceEvent &E) { return E.BeginTicks + E.Ticks; }
static uint64_t endOf(const format::Level &L) { return L.EndTicks; }

/// A longest part of \p Ends that does not descend.
static std::vector<size_t> longestInOrder(ArrayRef<uint64_t> Ends) {
  // By length, the last one of such a part, the one with the smallest end.
  std::vector<size_t> Last, Before(Ends.size());
  for (size_t I = 0; I < Ends.size(); ++I) {
    auto Place = partition_point(
        Last, [&](size_t Other) { return Ends[Other] <= Ends[I]; });
    Before[I] = Place == Last.begin() ? I : *std::prev(Place);
    if (Place == Last.end())
      Last.push_back(I);
    else
      *Place = I;
  }
  std::vector<size_t> Part(Last.size());
  for (size_t I = Last.empty() ? 0 : Last.back(), N = Part.size(); N-- > 0;
       I = Before[I])
    Part[N] = I;
  return Part;
}

std::vector<size_t> report::endsTooLate(ArrayRef<uint64_t> Ends,
                                        uint64_t Slack) {
  std::vector<size_t> InOrder = longestInOrder(Ends), Found;
  // The end of the next one in order is the earliest of those that follow.
  for (size_t I = 0, Next = 0; I < Ends.size(); ++I) {
    while (Next < InOrder.size() && InOrder[Next] < I)
      ++Next;
    if (Next == InOrder.size())
      break;
    uint64_t Bound = Ends[InOrder[Next]];
    if (Ends[I] > Bound && Ends[I] - Bound > Slack)
      Found.push_back(I);
  }
  return Found;
}

namespace {

/// What is too late in the records of a profile.
class TimeOrder {
public:
  explicit TimeOrder(const Profile &P);

  template <typename T> std::vector<size_t> tooLate(ArrayRef<T> Entries) const {
    uint64_t Least = UINT64_MAX;
    bool IsInOrder = true; // as nearly always: nothing is copied
    for (const T &Entry : reverse(Entries)) {
      uint64_t End = endOf(Entry);
      IsInOrder &= End <= Least || End - Least <= Slack;
      Least = std::min(Least, End);
    }
    if (IsInOrder || !GoesForward)
      return {};
    std::vector<uint64_t> Ends;
    for (const T &Entry : Entries)
      Ends.push_back(endOf(Entry));
    return endsTooLate(Ends, Slack);
  }

private:
  uint64_t Slack = 0;      ///< ticks
  bool GoesForward = true; ///< the clock: nobody set it back
};

} // namespace

TimeOrder::TimeOrder(const Profile &P) {
  double Ticks = LeastSlackNs / TickClock(P).nsPerTick();
  Slack = Ticks < 0x1p63 ? static_cast<uint64_t>(Ticks) : UINT64_MAX;
  // A span lacks what lay apart in it, and so seems to end before what it
  // holds.
  for (const Lane &L : P.Lanes)
    Slack = SaturatingAdd(Slack, L.ApartTicks);
  GoesForward = !P.counter(format::Counter::ClockSetBack);
  for (size_t I = 1; I < P.Anchors.size(); ++I)
    GoesForward &= P.Anchors[I - 1].Ticks <= P.Anchors[I].Ticks;
}

static std::string describe(const Lane &L, StringRef Noun, size_t I) {
  return ("lane " + Twine(L.Record.Lane) + ", " + Noun + " " + Twine(I) +
          ": ends after what was recorded behind it")
      .str();
}

std::vector<std::string> report::checkTimes(const Profile &P) {
  TimeOrder Order(P);
  std::vector<std::string> Findings;
  for (const Lane &L : P.Lanes) {
    for (const TraceBuffer &B : L.Traces)
      for (size_t I : Order.tooLate(B.Events))
        Findings.push_back(describe(L, "event", I));
    for (const LevelRing &R : L.Levels)
      for (size_t I : Order.tooLate(R.Entries))
        Findings.push_back(describe(L, "level", I));
  }
  return Findings;
}

/// Leaves the entries but those at \p Late, which are fewer, out of a ring that
/// was offered \p Offered.
template <typename T>
static void leaveOut(Profile &P, ArrayRef<T> &Entries, ArrayRef<size_t> Late,
                     uint64_t &Offered) {
  std::vector<T> Kept;
  for (size_t I = 0; I < Entries.size(); ++I)
    if (!Late.empty() && Late.front() == I)
      Late = Late.drop_front();
    else
      Kept.push_back(Entries[I]);
  // They were no loss for want of room.
  Offered -= std::min<uint64_t>(Offered, Entries.size() - Kept.size());
  Entries = P.keep(ArrayRef<T>(Kept));
}

void report::dropFalseAnchors(Profile &P) {
  if (P.counter(format::Counter::ClockSetBack))
    return;
  for (uint64_t format::ClockAnchor::*Time :
       {&format::ClockAnchor::Ticks, &format::ClockAnchor::MonotonicNs}) {
    std::vector<uint64_t> Times;
    for (const format::ClockAnchor &A : P.Anchors)
      Times.push_back(A.*Time);
    std::vector<format::ClockAnchor> Kept;
    for (size_t I : longestInOrder(Times))
      Kept.push_back(P.Anchors[I]);
    P.Anchors = std::move(Kept);
  }
}

FalseCells report::dropFalseTimes(Profile &P) {
  TimeOrder Order(P);
  FalseCells Found;
  auto Drop = [&](const Lane &L, StringRef Noun, auto &Entries,
                  uint64_t &Offered) {
    std::vector<size_t> Late = Order.tooLate(Entries);
    if (Late.empty())
      return;
    if (!Found.Count)
      Found.First = describe(L, Noun, Late.front());
    Found.Count += Late.size();
    leaveOut(P, Entries, Late, Offered);
  };
  for (Lane &L : P.Lanes) {
    for (TraceBuffer &B : L.Traces)
      Drop(L, "event", B.Events, B.Written);
    for (LevelRing &R : L.Levels)
      Drop(L, "level", R.Entries, R.Count);
  }
  P.Damaged |= Found.Count != 0;
  return Found;
}
