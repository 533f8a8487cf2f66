//===- KeptErrorBuffer.cpp - a file whose errors wait for close() ---------===//

#include "KeptErrorBuffer.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace torchprof {

KeptErrorBuffer::KeptErrorBuffer(const char *Path)
    : Descriptor(open(Path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (Descriptor < 0)
    FirstError = errno;
  setp(Buffered.begin(), Buffered.end());
}

void KeptErrorBuffer::write(const char *Data, size_t Size) {
  while (Size > 0 && FirstError == 0) {
    ssize_t Done = ::write(Descriptor, Data, Size);
    if (Done >= 0) {
      Data += Done;
      Size -= static_cast<size_t>(Done);
    } else if (errno != EINTR) {
      FirstError = errno;
    }
  }
}

void KeptErrorBuffer::writeBuffered() {
  write(pbase(), static_cast<size_t>(pptr() - pbase()));
  setp(Buffered.begin(), Buffered.end());
}

int KeptErrorBuffer::close() {
  writeBuffered();
  // Some file systems tell only now that a write has failed.
  if (Descriptor >= 0 && ::close(std::exchange(Descriptor, -1)) != 0 &&
      FirstError == 0)
    FirstError = errno;
  return FirstError;
}

KeptErrorBuffer::int_type KeptErrorBuffer::overflow(int_type Next) {
  writeBuffered();
  if (!traits_type::eq_int_type(Next, traits_type::eof()))
    sputc(traits_type::to_char_type(Next));
  return traits_type::not_eof(Next);
}

std::streamsize KeptErrorBuffer::xsputn(const char *Data,
                                        std::streamsize Size) {
  if (Size > epptr() - pptr())
    writeBuffered();
  if (Size > epptr() - pptr()) {
    // A tensor: not through the buffer.
    write(Data, static_cast<size_t>(Size));
  } else {
    std::memcpy(pptr(), Data, static_cast<size_t>(Size));
    pbump(static_cast<int>(Size));
  }
  return Size;
}

int KeptErrorBuffer::sync() {
  writeBuffered();
  return 0;
}

} // namespace torchprof
