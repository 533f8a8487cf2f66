//===- WorkCall.cpp - the call whose work a rule computes -----------------===//

#include "WorkCall.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

bool work::isDense(const Operand &O) {
  return O.isTensor() && O.HasSizes &&
         (O.Layout.empty() || O.Layout == "mkldnn") &&
         all_of(O.Sizes, [](int64_t Size) { return Size >= 0; });
}

double work::bytesOf(const Operand &O) {
  if (O.isTensor())
    return isDense(O) ? O.bytes().getValueOr(Unknown) : Unknown;
  double Sum = 0;
  for (const Operand &Element : O.Elements)
    Sum += bytesOf(Element);
  return Sum;
}

double work::bytesOf(ArrayRef<Operand> Operands) {
  double Sum = 0;
  for (const Operand &O : Operands)
    Sum += bytesOf(O);
  return Sum;
}

double work::Call::itemBytes() const {
  if (!in(0).isKnown())
    return Unknown;
  Operand Item = S.Inputs.front();
  Item.Sizes.clear();
  return bytesOf(Item);
}
