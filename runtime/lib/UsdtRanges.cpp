//===- UsdtRanges.cpp - spans as USDT probes ------------------------------===//
//
// torchprof:node_begin and torchprof:node_end, with a node's label and its
// slot, for perf, bpftrace and systemtap. A probe is a nop and a note in the
// library that says where it is:
// https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation
//
//===----------------------------------------------------------------------===//

#include "Ranges.h"

#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#endif

namespace torchprof {

#ifdef STAP_PROBE2

static bool find() { return true; }

static void begin(const char *Name, format::Slot Site) {
  STAP_PROBE2(torchprof, node_begin, Name, number(Site));
}

static void end(const char *Name, format::Slot Site) {
  STAP_PROBE2(torchprof, node_end, Name, number(Site));
}

#else // built without systemtap-sdt-dev

static bool find() { return false; }
static void begin(const char *, format::Slot) {}
static void end(const char *, format::Slot) {}

#endif

static constexpr RangeMarker Marker{"usdt", find, begin, end};
static const bool IsOffered = (addRangeMarker(&Marker), true);

} // namespace torchprof
