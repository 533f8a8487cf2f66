//===- ThreadSelection.cpp - which threads a command is about -------------===//

#include "ThreadSelection.h"
#include "../Profile/Aggregate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

Expected<ThreadSelection>
ThreadSelection::create(ArrayRef<std::string> Threads) {
  ThreadSelection S;
  for (const std::string &Text : Threads) {
    Thread T;
    T.Text = Text;
    StringRef Rest = Text;
    if (Rest.consume_front("name:"))
      T.IsId = T.IsLane = false;
    else if (Rest.consume_front("id:"))
      T.IsName = T.IsLane = false;
    else if (Rest.consume_front("lane:"))
      T.IsName = T.IsId = false;
    T.Glob = std::make_shared<const std::string>(Rest.str());
    Expected<GlobPattern> Pattern = GlobPattern::create(*T.Glob);
    if (!Pattern)
      return createStringError(inconvertibleErrorCode(),
                               "--thread=" + Text + ": " +
                                   toString(Pattern.takeError()));
    T.Pattern = std::move(*Pattern);
    S.Wanted.push_back(std::move(T));
  }
  return S;
}

bool ThreadSelection::Thread::matches(const Lane &L) const {
  return (IsName && Pattern.match(fixedText(L.Record.Name))) ||
         (IsId && *Glob == utostr(L.Record.Thread)) ||
         (IsLane && *Glob == utostr(L.Record.Lane));
}

namespace {
/// How many more spans began than ended, by slot. The sum over lanes that both
/// began and ended some may pass below 0 and wraps.
class OpenSpans {
public:
  void add(const Profile &P, const Lane &L) {
    format::Cell C;
    for (ArrayRef<format::Cell> Cells : L.Cells)
      for (const format::Cell &Source : Cells)
        if (readCell(Source, C, P.maybeLive()) &&
            C.Epoch == static_cast<uint32_t>(P.Epoch))
          Counts[Source.Site] += C.Begins - C.Word / 2 - C.Cut;
  }

  /// Those of these that have ended where \p Others are of.
  std::map<format::Slot, uint64_t> endedAmong(const OpenSpans &Others) const {
    std::map<format::Slot, uint64_t> Ended;
    for (const auto &[Slot, Open] : Counts) {
      auto Other = Others.Counts.find(Slot);
      if (Other == Others.Counts.end())
        continue;
      uint64_t MoreEnds = 0 - Other->second;
      if (isAboveZero(Open) && isAboveZero(MoreEnds))
        Ended[Slot] = std::min(Open, MoreEnds);
    }
    return Ended;
  }

private:
  static bool isAboveZero(uint64_t Wrapped) {
    return static_cast<int64_t>(Wrapped) > 0;
  }

  std::map<format::Slot, uint64_t> Counts;
};
} // namespace

void ThreadSelection::keep(Profile &P) {
  if (all())
    return;
  OpenSpans Kept, LeftOut;
  erase_if(P.Lanes, [&](const Lane &L) {
    Existing.insert(L.name() + ", id " + utostr(L.Record.Thread));
    bool Selected = false;
    for (Thread &T : Wanted)
      if (T.matches(L))
        Selected = T.Seen = true;
    (Selected ? Kept : LeftOut).add(P, L);
    if (!Selected && !L.Levels.empty())
      P.LevelsElsewhere.push_back(L.Levels);
    return !Selected;
  });
  P.EndedElsewhere = Kept.endedAmong(LeftOut);
  auto IsOfOther = [&](const auto &Event) {
    return none_of(P.Lanes, [&](const Lane &L) {
      return L.Record.Thread == Event.Thread;
    });
  };
  erase_if(P.Plans, IsOfOther);
  erase_if(P.Loads, IsOfOther);
}

Error ThreadSelection::checkAllSeen() const {
  for (const Thread &T : Wanted)
    if (!T.Seen)
      return createStringError(
          inconvertibleErrorCode(),
          "no thread matches --thread=" + T.Text + "; there are " +
              join(Existing.begin(), Existing.end(), "; "));
  return Error::success();
}
