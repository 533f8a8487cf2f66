//===- PickleItems.h - lists of one element, as LibTorch reads them -*- C++
//-*-===//
//
// Python's pickle writes APPEND for a list of one element and SETITEM for a
// dictionary of one, where for more it writes MARK, the elements, and APPENDS
// or SETITEMS. LibTorch writes and, up to some version, reads only the latter.
// Standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_PICKLEITEMS_H
#define TORCHPROF_TOOLS_PICKLEITEMS_H

#include <optional>
#include <string>
#include <string_view>

namespace torchprof {

/// A pickle of protocol 2, as torch.save writes it, with all single elements
/// written as several are. None if there is none of these, or if \p Pickle is
/// cut or has an opcode that torch.save does not write.
std::optional<std::string> withItemsMarked(std::string_view Pickle);

} // namespace torchprof

#endif // TORCHPROF_TOOLS_PICKLEITEMS_H
