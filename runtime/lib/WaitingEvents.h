//===- WaitingEvents.h - events while there is no file ----------*- C++ -*-===//
//
// Much of what the framework does happens before the first probe runs: the
// events wait in memory. A host that records nothing gets no file of them.
//
// Not thread-safe: the process lock guards it.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_WAITINGEVENTS_H
#define TORCHPROF_WAITINGEVENTS_H

#include "Process.h"

#include <new>
#include <utility>
#include <vector>

namespace torchprof {

/// \p Dropped counts those for which there is no room.
template <typename Event, format::Counter Dropped> class WaitingEvents {
public:
  void add(const Event &E) {
    try {
      if (Events.size() < format::MaxEvents)
        return Events.push_back(E);
    } catch (const std::bad_alloc &) {
      // Without memory there is no room either.
    }
    count(Dropped);
  }

  /// Hands over the events that wait.
  std::vector<Event> take() { return std::exchange(Events, {}); }

  /// Counts them as dropped.
  void drop() { count(Dropped, take().size()); }

private:
  std::vector<Event> Events;
};

} // namespace torchprof

#endif // TORCHPROF_WAITINGEVENTS_H
