//===- ThreadSelection.cpp - which threads a command is about -------------===//

#include "ThreadSelection.h"

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

void ThreadSelection::keep(Profile &P) {
  if (all())
    return;
  erase_if(P.Lanes, [&](const Lane &L) {
    Existing.insert(L.name() + ", id " + utostr(L.Record.Thread));
    bool Selected = false;
    for (Thread &T : Wanted)
      if (T.matches(L))
        Selected = T.Seen = true;
    return !Selected;
  });
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
