//===- DynamicSite.h - sites that come to be at run time --------*- C++ -*-===//
//
// A dynamic site is not in any manifest: it comes to be when something is
// first seen below a site, a named region of the host say. Its name is text in
// the segment that it stands in.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_DYNAMICSITE_H
#define TORCHPROF_FORMAT_DYNAMICSITE_H

#include "torchprof/format/Site.h"

#include <cstdint>
#include <string_view>

namespace torchprof::format {

/// What a dynamic site is. The numbers are part of the format.
enum class DynamicKind : uint32_t {
#define TORCHPROF_DYNAMIC_KIND(NAME, NUMBER, TEXT, SPANS, MEANING)             \
  NAME = NUMBER,
#include "torchprof/format/DynamicKinds.def"
};

/// False for a site whose name only says something about its parent.
constexpr bool hasSpans(DynamicKind Kind) {
  enum { Timed, Note };
  switch (Kind) {
#define TORCHPROF_DYNAMIC_KIND(NAME, NUMBER, TEXT, SPANS, MEANING)             \
  case DynamicKind::NAME:                                                      \
    return SPANS == Timed;
#include "torchprof/format/DynamicKinds.def"
  }
  return true; // of a later version
}

/// True for what the framework does in its parent beside nodes, whose time is
/// part of the parent's.
constexpr bool isNoNode(DynamicKind Kind) {
  return Kind == DynamicKind::Attributes || Kind == DynamicKind::Preparation;
}

/// Name of such a part that runs beside its parent, the fork of a graph.
inline constexpr char BesideParent[] = "asynchronous";

/// Names of sites of gradients that are nobody's: what autograd's engine does
/// around functions, and what the framework takes in a backward to make plans.
inline constexpr char EngineName[] = "(engine)";
inline constexpr char BackwardPlansName[] = "(plans)";
/// Names of sites of what the engine does for a node's gradient behind the
/// group that computed it: it adds it to others, it frees what it needed, and
/// it frees the gradient itself because nobody asked for it.
inline constexpr char GradientSumName[] = "(sum)";
inline constexpr char GradientFreedName[] = "(freed)";
inline constexpr char GradientUnusedName[] = "(unused)";

/// True for such a name, which is of no gradient more.
constexpr bool isBehindGradient(std::string_view Name) {
  return Name == GradientSumName || Name == GradientFreedName ||
         Name == GradientUnusedName;
}

enum DynamicFlags : uint32_t {
  DF_Overflow = 1, ///< stands for all children beyond the parent's bound
  DF_Cut = 2,      ///< the name was cut
};

struct DynamicSite {
  Slot Site;
  Slot Parent; ///< of a manifest or dynamic; NoSlot outside of all spans
  DynamicKind Kind;
  uint32_t Flags;      ///< DynamicFlags
  uint32_t NameOffset; ///< in the segment's text
  uint32_t NameBytes;  ///< without a NUL byte
};
static_assert(sizeof(DynamicSite) == 24);

/// Head of a DynamicSites segment. The text starts behind the last of Capacity
/// sites. Used grows (release) after a site and its text are complete.
struct DynamicSitesRecord {
  uint32_t Capacity;
  uint32_t Used;
  uint32_t TextCapacity; ///< bytes
  uint32_t TextUsed;
};

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_DYNAMICSITE_H
