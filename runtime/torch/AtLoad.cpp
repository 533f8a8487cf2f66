//===- AtLoad.cpp - what is done when the runtime is loaded ---------------===//
//
// Must be linked last: constructors of one library run in the order of its
// objects, and this one needs what all others have set up.
//
//===----------------------------------------------------------------------===//

#include "EarlyOpen.h"

namespace torchprof {

[[gnu::constructor]] static void atLoad() { openWhenLoaded(); }

} // namespace torchprof
