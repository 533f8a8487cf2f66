//===- GraphOperators.h - what nodes of a made graph do ---------*- C++ -*-===//
//
// A type is a letter: T Tensor, i int, f float, b bool, s str, L Tensor[],
// l int[], p (Tensor, int), o Tensor?.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FUZZ_GRAPHOPERATORS_H
#define TORCHPROF_FUZZ_GRAPHOPERATORS_H

#include <ATen/core/jit_type.h>

#include <string_view>

namespace torchprof::fuzz {

struct OperatorRow {
  const char *Kind;
  const char *Arguments; ///< types; and constants: n None, 0, 1, F False
  const char *Results;
};

// None makes a tensor larger, but for the stack of aten::stack, which
// aten::amax follows: a loop would do so again and again.
inline constexpr OperatorRow Operators[] = {
    {"aten::relu", "T", "T"},
    {"aten::neg", "T", "T"},
    {"aten::add", "TT1", "T"},
    {"aten::sub", "TTi", "T"},
    {"aten::mul", "TT", "T"},
    {"aten::mul", "Tf", "T"},
    {"aten::matmul", "TT", "T"},
    {"aten::linear", "TTo", "T"},
    {"aten::linear", "TTn", "T"},
    {"aten::t", "T", "T"},
    {"aten::clone", "Tn", "T"},
    {"aten::select", "T01", "T"},
    {"aten::sum", "Tn", "T"},
    {"aten::dropout", "TfF", "T"},
    {"aten::max", "T0F", "TT"},
    {"aten::flatten", "T01", "T"},
    {"aten::sum", "TlFn", "T"},
    {"aten::chunk", "T10", "L"},
    {"aten::unbind", "T0", "L"},
    {"aten::relu_", "T", "T"},
    {"aten::add_", "TT1", "T"},
    {"aten::mul_", "Tf", "T"},
    {"aten::zero_", "T", "T"},
    {"aten::copy_", "TTF", "T"},
    {"aten::size", "T", "l"},
    {"aten::size", "T0", "i"},
    {"aten::dim", "T", "i"},
    {"aten::Bool", "T", "b"},
    {"aten::Float", "T", "f"},
    {"aten::Int", "T", "i"},
    {"prim::NumToTensor", "i", "T"},
    {"prim::dtype", "T", "i"},
    {"aten::add", "ii", "i"},
    {"aten::mul", "ii", "i"},
    {"aten::floordiv", "ii", "i"},
    {"aten::lt", "ii", "b"},
    {"aten::eq", "ii", "b"},
    {"aten::__not__", "b", "b"},
    {"aten::__and__", "bb", "b"},
    {"aten::add", "ff", "f"},
    {"aten::Float", "i", "f"},
    {"aten::len", "L", "i"},
    {"aten::len", "l", "i"},
    {"aten::__getitem__", "Li", "T"},
    {"aten::__getitem__", "li", "i"},
    {"aten::append", "LT", "L"},
    {"aten::append", "li", "l"},
    {"aten::_set_item", "LiT", "L"},
    {"aten::__is__", "on", "b"},
    {"aten::__isnot__", "on", "b"},
    {"aten::_unwrap_optional", "o", "T"},
    {"prim::unchecked_cast", "T", "T"},
    {"prim::unchecked_cast", "o", "o"},
    {"prim::Print", "sT", ""},
    {"prim::Print", "si", ""},
    {"aten::warn", "s1", ""},
    {"fuzz::same", "T", "T"},
};

inline constexpr std::string_view Letters = "TifbsLlpo";

c10::TypePtr typeOf(char Letter);

} // namespace torchprof::fuzz

#endif // TORCHPROF_FUZZ_GRAPHOPERATORS_H
