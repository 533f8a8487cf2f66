//===- Atomics.h - stores that readers of the file may watch ----*- C++ -*-===//
//
// Records in the file are plain structs, because the format says how they lie;
// these give their fields the ordering that a reader in another thread or
// process needs.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_ATOMICS_H
#define TORCHPROF_FORMAT_ATOMICS_H

#include <type_traits>

namespace torchprof::format {

template <typename T> inline T loadRelaxed(const T &Field) {
  T Value;
  __atomic_load(&Field, &Value, __ATOMIC_RELAXED);
  return Value;
}
template <typename T> inline T loadAcquire(const T &Field) {
  T Value;
  __atomic_load(&Field, &Value, __ATOMIC_ACQUIRE);
  return Value;
}
template <typename T>
inline void storeRelaxed(T &Field, std::type_identity_t<T> Value) {
  __atomic_store(&Field, &Value, __ATOMIC_RELAXED);
}
template <typename T>
inline void storeRelease(T &Field, std::type_identity_t<T> Value) {
  __atomic_store(&Field, &Value, __ATOMIC_RELEASE);
}
/// Adds to a field that several threads add to.
template <typename T>
inline void addRelaxed(T &Field, std::type_identity_t<T> Value) {
  __atomic_fetch_add(&Field, Value, __ATOMIC_RELAXED);
}

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_ATOMICS_H
