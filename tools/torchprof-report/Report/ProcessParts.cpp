//===- ProcessParts.cpp - several profiles of one process -----------------===//

#include "ProcessParts.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <utility>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

ProcessKey report::processOf(const Profile &P) {
  return {fixedText(P.Process.Host).str(), P.Process.Pid, P.Process.StartTicks,
          P.Process.StartRealtimeNs};
}

std::optional<std::string> ProcessParts::add(const Profile &P) {
  if (P.State == format::FileState::Merged || P.Process.Pid == 0)
    return std::nullopt;
  Part New = {P.FileName, std::max(P.Process.StartTicks, P.ResetTicks),
              P.Process.EndTicks ? P.Process.EndTicks
                                 : std::numeric_limits<uint64_t>::max()};
  Parts &Of = Known[processOf(P)];
  auto Overlapping = find_if(Of.All, [&](const Part &Other) {
    return Other.Begin < New.End && New.Begin < Other.End;
  });
  std::optional<std::string> Text;
  if (Overlapping != Of.All.end()) {
    if (!std::exchange(Of.AreNamedAsOverlapping, true))
      Text = Overlapping->File + " and " + New.File +
             " are of one process, and of one time; what both have is counted "
             "twice";
  } else if (!Of.All.empty() && !Of.AreNamedAsOverlapping &&
             !std::exchange(Of.AreNamed, true)) {
    Text = Of.All.back().File + " and " + New.File +
           " are of one process, whose counters are counted twice; "
           "`merge --parts` joins them";
  }
  Of.All.push_back(std::move(New));
  return Text;
}
