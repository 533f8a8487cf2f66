//===- KeptErrorBuffer.h - a file whose errors wait for close() -*- C++ -*-===//
//
// LibTorch writes an archive through a stream. An error in the middle, as of a
// full disk, makes its writer throw while it writes the end of the archive in
// its destructor, which ends the process. So the stream is told that all went
// well, and who closes the file is told what happened.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_KEPTERRORBUFFER_H
#define TORCHPROF_TOOLS_KEPTERRORBUFFER_H

#include <array>
#include <streambuf>

namespace torchprof {

/// A new file, or an old one that is emptied, to be written from its begin to
/// its end. After the first error nothing more is written.
class KeptErrorBuffer final : public std::streambuf {
public:
  explicit KeptErrorBuffer(const char *Path);
  KeptErrorBuffer(const KeptErrorBuffer &) = delete;
  KeptErrorBuffer &operator=(const KeptErrorBuffer &) = delete;
  ~KeptErrorBuffer() override { close(); }

  /// Writes what is left, and returns errno of the first error since the file
  /// was to be opened, 0 if there was none.
  int close();

protected:
  int_type overflow(int_type Next) override;
  std::streamsize xsputn(const char *Data, std::streamsize Size) override;
  int sync() override;

private:
  void write(const char *Data, size_t Size);
  void writeBuffered();

  std::array<char, 1 << 16> Buffered;
  int Descriptor;
  int FirstError = 0;
};

} // namespace torchprof

#endif // TORCHPROF_TOOLS_KEPTERRORBUFFER_H
