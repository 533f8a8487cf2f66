//===- LaneReset.h - one thread's part of a profile is emptied --*- C++ -*-===//

#ifndef TORCHPROF_LANERESET_H
#define TORCHPROF_LANERESET_H

namespace torchprof {

struct Lane;
class ProfileFile;

/// Empties an attached lane, as a reset would, and leaves the others as they
/// are. Spans that are open on it will count as cut. Only the lane's owner,
/// holding no lock.
void emptyLane(const ProfileFile &File, Lane &L);

} // namespace torchprof

#endif // TORCHPROF_LANERESET_H
