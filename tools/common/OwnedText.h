//===- OwnedText.h - text that crosses the bridge ---------------*- C++ -*-===//
//
// Units with torch headers and units with LLVM headers may be compiled for two
// ABIs of std::string, so only plain C passes between them. OwnedText owns a
// NUL-terminated string from malloc.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_OWNEDTEXT_H
#define TORCHPROF_TOOLS_OWNEDTEXT_H

#include <cstdlib>
#include <cstring>

namespace torchprof {

class OwnedText {
public:
  OwnedText() = default;
  OwnedText(const char *Data, size_t Size)
      : Data(static_cast<char *>(std::malloc(Size + 1))) {
    if (!this->Data)
      std::abort();
    std::memcpy(this->Data, Data, Size);
    this->Data[Size] = '\0';
  }
  OwnedText(OwnedText &&Other) noexcept : Data(Other.Data) {
    Other.Data = nullptr;
  }
  OwnedText &operator=(OwnedText &&Other) noexcept {
    char *Mine = Data;
    Data = Other.Data;
    Other.Data = Mine;
    return *this;
  }
  ~OwnedText() { std::free(Data); }

  /// The string; "" if there is none. Valid as long as this object.
  const char *c_str() const { return Data ? Data : ""; }
  bool empty() const { return !Data || !*Data; }

private:
  char *Data = nullptr;
};

} // namespace torchprof

#endif // TORCHPROF_TOOLS_OWNEDTEXT_H
