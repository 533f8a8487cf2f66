//===- InheritedFile.h - files that are descriptors already -----*- C++ -*-===//
//
// A host that may not open files is given one by whoever starts it, and its
// number: TORCHPROF_FILE=fd:3. Everything that the host starts inherits both,
// and the number may be given to another file. So a file is taken only while it
// is empty, by one process, and is then never taken again.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_INHERITEDFILE_H
#define TORCHPROF_INHERITEDFILE_H

#include "Failure.h"

namespace torchprof {

/// Takes the file of a descriptor for a profile: writes the first bytes of one
/// into it. Fails and changes nothing unless it is an empty regular file that
/// can be mapped for writing. \p MustBeInherited: a descriptor that exec()
/// would close is one that this program has opened for itself.
Failure takeFile(int Descriptor, bool MustBeInherited);

} // namespace torchprof

#endif // TORCHPROF_INHERITEDFILE_H
