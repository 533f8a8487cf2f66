//===- IsSanitized.h - whether a sanitizer checks this build ----*- C++ -*-===//

#ifndef TORCHPROF_TEST_UNIT_ISSANITIZED_H
#define TORCHPROF_TEST_UNIT_ISSANITIZED_H

namespace torchprof {

/// A sanitizer takes several times as long, and finds in a part of a large
/// input what it finds in all of it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool IsSanitized = true;
#else
inline constexpr bool IsSanitized = false;
#endif

} // namespace torchprof

#endif // TORCHPROF_TEST_UNIT_ISSANITIZED_H
