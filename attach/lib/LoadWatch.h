//===- LoadWatch.h - which files LibTorch loads -----------------*- C++ -*-===//
//
// LibTorch reads an archive through a PyTorchStreamReader, which lives as long
// as the load: its constructor is a ReaderScope, its destructor calls
// readerEnds(). Some readers get an adapter that another call has made from a
// file's name.
//
// What is open is noted thread by thread. A reader that ends on another thread
// than it began on is not noted; what was known of it is overwritten in time.
//
// Nothing here throws.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_ATTACH_LOADWATCH_H
#define TORCHPROF_ATTACH_LOADWATCH_H

#include <string_view>

namespace torchprof {

/// A file was opened for the reader that is made next of \p Adapter.
void fileOpened(const void *Adapter, std::string_view Name) noexcept;

/// The call of a reader's constructor, which may throw.
class ReaderScope {
public:
  /// \p Name: of the file, or empty.
  ReaderScope(const void *Reader, std::string_view Name) noexcept;
  /// \p Adapter: what the file is read through.
  ReaderScope(const void *Reader, const void *Adapter) noexcept;
  ~ReaderScope();
  ReaderScope(const ReaderScope &) = delete;

private:
  const void *const Reader;
  const int Exceptions; ///< in flight when it began
};

/// \p Reader, a PyTorchStreamReader, is about to be destroyed: notes the load,
/// if it was one of TorchScript and went well.
void readerEnds(void *Reader) noexcept;

} // namespace torchprof

#endif // TORCHPROF_ATTACH_LOADWATCH_H
