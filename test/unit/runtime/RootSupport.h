//===- RootSupport.h - methods that are entered, for tests ------*- C++ -*-===//

#ifndef TORCHPROF_TEST_ROOTSUPPORT_H
#define TORCHPROF_TEST_ROOTSUPPORT_H

#include "ColdPath.h"
#include "Control.h"
#include "TestSupport.h"
#include "torchprof/format/Manifest.h"

#include <functional>
#include <initializer_list>

namespace torchprof::test {

/// Enters a root as the op does, with the address of its own frame.
[[gnu::noinline]] inline uint64_t enter(format::SiteId Site) {
  return enterRoot(Site,
                   reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
}

/// Leaves the roots that were entered where this is called, as the op in front
/// of a raise does.
[[gnu::noinline]] inline void leave() {
  leaveRoots(reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
}

/// Calls \p Body with a deeper stack, as a nested interpreter would.
[[gnu::noinline]] inline void deeper(const std::function<void()> &Body) {
  char Room[512];
  asm volatile("" : : "r"(Room) : "memory");
  Body();
  asm volatile("" : : "r"(Room) : "memory");
}

struct MadeSite {
  uint32_t Parent; ///< NoIndex: a method
  const char *Kind;
  const char *Name = "x";
};

/// Adds model 9.
inline void addModelOf(std::initializer_list<MadeSite> Sites) {
  Manifest M;
  M.ModelId = 9;
  M.Producer = "test";
  M.Scopes.emplace_back();
  for (const MadeSite &Made : Sites) {
    ManifestSite S;
    S.Parent = Made.Parent;
    S.Kind = M.intern(Made.Kind);
    S.Flags = Made.Parent == NoIndex ? uint32_t(SF_Root) : 0;
    S.Name = M.intern(Made.Name);
    M.Sites.push_back(S);
  }
  addModel(printManifest(M));
}

} // namespace torchprof::test

#endif // TORCHPROF_TEST_ROOTSUPPORT_H
