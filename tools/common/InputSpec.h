//===- InputSpec.h - the grammar of --input ---------------------*- C++ -*-===//
//
//   spec   := tensor | file | scalar | list | tuple | dict
//   tensor := dtype '[' [size (',' size)*] ']' ['{' low ':' high '}']
//   dtype  := float double half bfloat16 int64 int32 int16 int8 uint8 bool
//             complex64 complex128, and LibTorch's other names for them
//   file   := '@' path            (the rest of the argument, not in brackets)
//   scalar := 3 | 1.5 | true | false | None | 'text'
//   list   := '[' [spec (',' spec)*] ']'
//   tuple  := '(' [spec (',' spec)*] ')'
//   dict   := '{' [spec ':' spec (',' spec ':' spec)*] '}'
//
// Values are random within [low, high), which must fit the dtype; both parts of
// a complex number are. Without a range: [0, 10) for integers, [0, 2) for bool,
// [0, 1) for the others. Standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TOOLS_INPUTSPEC_H
#define TORCHPROF_TOOLS_INPUTSPEC_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace torchprof {

struct InputSpec {
  enum class Kind {
    Tensor,
    File,
    Integer,
    Real,
    Boolean,
    Text,
    None,
    List,
    Tuple,
    Dict
  };
  Kind Type = Kind::None;
  std::string Word; ///< Tensor: dtype; File: path; Text: the text
  std::vector<int64_t> Sizes;
  std::optional<double> Low, High;
  int64_t Integer = 0; ///< Integer and Boolean
  double Real = 0;
  std::vector<InputSpec> Items; ///< List, Tuple; Dict: key, value, key, ...
};

/// Reads one argument. On failure returns false and sets \p Error to one line
/// that names the wrong part of \p Text or its position.
bool parseInputSpec(const std::string &Text, InputSpec &Spec,
                    std::string &Error);

/// Names of the dtypes, for messages.
std::string inputTypeNames();

} // namespace torchprof

#endif // TORCHPROF_TOOLS_INPUTSPEC_H
