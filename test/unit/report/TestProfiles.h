//===- TestProfiles.h - profiles for the report's tests ---------*- C++ -*-===//

#ifndef TORCHPROF_TEST_UNIT_REPORT_TESTPROFILES_H
#define TORCHPROF_TEST_UNIT_REPORT_TESTPROFILES_H

#include "../../../tools/torchprof-report/Profile/Profile.h"

namespace torchprof::report::test {

/// A profile from its JSON form; fails the test if it cannot be read.
Profile parse(llvm::StringRef Json);

/// The bytes of a profile as a file.
std::string bytesOf(const Profile &P);

/// A small profile that has a segment of every type.
Profile everySegment();

} // namespace torchprof::report::test

#endif // TORCHPROF_TEST_UNIT_REPORT_TESTPROFILES_H
