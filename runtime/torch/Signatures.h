//===- Signatures.h - dtypes and sizes of values on a stack -----*- C++ -*-===//
//
// What tells signatures apart (Variants.h), for who need not ask the reader.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_SIGNATURES_H
#define TORCHPROF_SIGNATURES_H

#include <cstdint>

namespace torchprof {

/// SignatureReader::Key of the one that this library has.
uint64_t signatureKey(const void *Stack, unsigned Count);

} // namespace torchprof

#endif // TORCHPROF_SIGNATURES_H
