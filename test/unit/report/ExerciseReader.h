//===- ExerciseReader.h - read anything, say everything ---------*- C++ -*-===//

#ifndef TORCHPROF_TEST_UNIT_REPORT_EXERCISEREADER_H
#define TORCHPROF_TEST_UNIT_REPORT_EXERCISEREADER_H

#include "llvm/ADT/StringRef.h"

namespace torchprof::report::test {

/// Reads \p Bytes as a profile and, if that worked, runs everything that looks
/// at profiles. Returns the error's text, empty if there was none. Bytes may be
/// anything: this must come back.
std::string exerciseReader(llvm::StringRef Bytes);

} // namespace torchprof::report::test

#endif // TORCHPROF_TEST_UNIT_REPORT_EXERCISEREADER_H
