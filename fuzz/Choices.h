//===- Choices.h - decisions that the bytes of an input make ----*- C++ -*-===//
//
// A fuzzer whose input must be well formed does not read it: it makes one, and
// the bytes decide what comes next. Every input is then a valid one, and a
// change of a byte is a change of one decision.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FUZZ_CHOICES_H
#define TORCHPROF_FUZZ_CHOICES_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace torchprof::fuzz {

class Choices {
public:
  Choices(const uint8_t *Data, size_t Size) : Next(Data), End(Data + Size) {}

  bool atEnd() const { return Next == End; }

  /// 0 once the input is used up, so that what is made comes to an end.
  uint8_t byte() { return atEnd() ? 0 : *Next++; }

  /// A number below \p Bound, which is 1 to 256.
  size_t below(size_t Bound) { return byte() % Bound; }

  /// True once in so many times.
  bool oneIn(size_t Times) { return below(Times) + 1 == Times; }

  std::string text(size_t MaxSize) {
    std::string Text;
    for (size_t Size = below(MaxSize + 1); Text.size() < Size;)
      Text += static_cast<char>(byte());
    return Text;
  }

  template <typename List> const auto &of(const List &Values) {
    return Values[below(std::size(Values))];
  }

private:
  const uint8_t *Next;
  const uint8_t *End;
};

} // namespace torchprof::fuzz

#endif // TORCHPROF_FUZZ_CHOICES_H
