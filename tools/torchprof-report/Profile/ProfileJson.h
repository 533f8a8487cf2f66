//===- ProfileJson.h - profiles as JSON text --------------------*- C++ -*-===//
//
// The JSON form of a profile, for tests, for debugging and for other people's
// scripts. It holds everything the binary form holds; docs/profile-json.md
// describes it.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_PROFILEJSON_H
#define TORCHPROF_REPORT_PROFILEJSON_H

#include "Profile.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace torchprof::report {

/// Reads the JSON form. Errors name \p FileName, the place in the text
/// ("lanes[0].cells[2].slot"), what was expected and what was found.
llvm::Expected<Profile> profileFromJson(llvm::StringRef Text,
                                        llvm::StringRef FileName);

/// Writes the JSON form. Memory does not grow with the number of cells.
void writeProfileJson(const Profile &P, llvm::raw_ostream &OS);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_PROFILEJSON_H
