//===- Failure.h - why something could not be done --------------*- C++ -*-===//

#ifndef TORCHPROF_FAILURE_H
#define TORCHPROF_FAILURE_H

namespace torchprof {

/// What an errno value means, in English: strerror() translates, for which it
/// may open files, and some hosts must not.
const char *errorText(int Error);

/// An errno value and what it means; true if there is one.
class Failure {
public:
  Failure() = default;
  explicit Failure(int Error)
      : Number(Error), Words(Error ? errorText(Error) : "") {}
  /// \p Text lives as long as the process.
  Failure(int Error, const char *Text) : Number(Error), Words(Text) {}

  explicit operator bool() const { return Number != 0; }
  int error() const { return Number; }
  const char *text() const { return Words; }

private:
  int Number = 0;
  const char *Words = "";
};

} // namespace torchprof

#endif // TORCHPROF_FAILURE_H
