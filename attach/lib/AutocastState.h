//===- AutocastState.h - which autocasts are on -----------------*- C++ -*-===//
//
// LibTorch keeps an executor of a function for each state of autocast. States
// are read and set as at::autocast does, whose own functions have other names
// in other versions.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_AUTOCASTSTATE_H
#define TORCHPROF_ATTACH_AUTOCASTSTATE_H

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <iterator>

namespace torchprof {

/// The autocasts that an executor depends on. For each of a state's bits that
/// is 1, the one in its place is on.
inline constexpr struct {
  c10::DispatchKey Key;
  c10::DeviceType Device;
} Autocasts[] = {{c10::DispatchKey::AutocastCPU, c10::DeviceType::CPU},
                 {c10::DispatchKey::AutocastCUDA, c10::DeviceType::CUDA}};
inline constexpr unsigned AutocastStates = 1 << std::size(Autocasts);

/// The calling thread's state.
inline unsigned autocastState() {
  unsigned State = 0;
  for (unsigned I = 0; I < std::size(Autocasts); ++I)
    if (!c10::impl::tls_is_dispatch_key_excluded(Autocasts[I].Key))
      State |= 1u << I;
  return State;
}

/// True if LibTorch was built for the devices of a state.
inline bool isPossible(unsigned State) {
  for (unsigned I = 0; I < std::size(Autocasts); ++I)
    if (State >> I & 1 && !c10::impl::hasDeviceGuardImpl(Autocasts[I].Device))
      return false;
  return true;
}

/// Puts the calling thread into a state, and back into its own.
class AutocastScope {
public:
  explicit AutocastScope(unsigned State) : Guard(keysOf(State)) {}

private:
  static c10::impl::LocalDispatchKeySet keysOf(unsigned State) {
    c10::impl::LocalDispatchKeySet Keys =
        c10::impl::tls_local_dispatch_key_set();
    for (unsigned I = 0; I < std::size(Autocasts); ++I)
      Keys.excluded_ = State >> I & 1 ? Keys.excluded_.remove(Autocasts[I].Key)
                                      : Keys.excluded_.add(Autocasts[I].Key);
    return Keys;
  }

  c10::impl::ForceDispatchKeyGuard Guard;
};

} // namespace torchprof

#endif // TORCHPROF_ATTACH_AUTOCASTSTATE_H
