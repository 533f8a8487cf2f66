//===- Inputs.h - how fuzzers hold files ------------------------*- C++ -*-===//
//
// Most of a profile is zeros and part of it lies under a checksum; both would
// keep a fuzzer from what it looks for.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FUZZ_INPUTS_H
#define TORCHPROF_FUZZ_INPUTS_H

#include <string>
#include <string_view>

namespace torchprof::fuzz {

/// The file that \p Packed stands for: a byte 0 and a byte N are N + 1 zeros.
std::string unpackZeros(std::string_view Packed);

/// The inverse of unpackZeros(), for seeds.
std::string packZeros(std::string_view File);

/// Gives every manifest in \p File the checksum that fits its text.
void repairManifests(std::string &File);

} // namespace torchprof::fuzz

#endif // TORCHPROF_FUZZ_INPUTS_H
