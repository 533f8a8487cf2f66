//===- WorkSupport.h - the work of single calls -----------------*- C++ -*-===//

#ifndef TORCHPROF_TEST_WORKSUPPORT_H
#define TORCHPROF_TEST_WORKSUPPORT_H

#include "../../../tools/torchprof-report/Report/Work.h"

#include "gtest/gtest.h"

#include <string>

namespace torchprof::report {

/// The work of a call of aten::\p Name.
inline llvm::Optional<Work> workOfText(const std::string &Name,
                                       llvm::StringRef Signature) {
  return workOf("aten::" + Name, parseSignature(Signature));
}

inline bool isKnown(const std::string &Name, llvm::StringRef Signature) {
  return workOfText(Name, Signature).hasValue();
}

inline Work known(const std::string &Name, llvm::StringRef Signature) {
  llvm::Optional<Work> W = workOfText(Name, Signature);
  EXPECT_TRUE(W) << Name << ": " << Signature.str();
  return W.getValueOr(Work{-1, -1, -1});
}

inline double flops(const std::string &Name, llvm::StringRef Signature) {
  return known(Name, Signature).Flops;
}

inline double otherOps(const std::string &Name, llvm::StringRef Signature) {
  return known(Name, Signature).OtherOps;
}

inline double bytes(const std::string &Name, llvm::StringRef Signature) {
  return known(Name, Signature).Bytes;
}

} // namespace torchprof::report

#endif // TORCHPROF_TEST_WORKSUPPORT_H
