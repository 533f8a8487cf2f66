//===- GraphOperators.cpp - what nodes of a made graph do -----------------===//

#include "GraphOperators.h"

namespace torchprof::fuzz {

c10::TypePtr typeOf(char Letter) {
  static const c10::TypePtr Tensor = c10::TensorType::get();
  switch (Letter) {
  case 'T':
    return Tensor;
  case 'i':
    return c10::IntType::get();
  case 'f':
    return c10::FloatType::get();
  case 'b':
    return c10::BoolType::get();
  case 's':
    return c10::StringType::get();
  case 'L':
    return c10::ListType::create(Tensor);
  case 'l':
    return c10::ListType::create(c10::IntType::get());
  case 'p':
    return c10::TupleType::create({Tensor, c10::IntType::get()});
  default:
    return c10::OptionalType::create(Tensor);
  }
}

} // namespace torchprof::fuzz
