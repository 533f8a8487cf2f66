//===- ColumnSet.cpp - tables whose columns have names --------------------===//

#include "ColumnSet.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

StringRef report::nearestName(StringRef Found, ArrayRef<std::string> Known) {
  // Further away than a third of its length, it is another name.
  unsigned Least = static_cast<unsigned>(Found.size()) / 3 + 1;
  StringRef Nearest;
  for (const std::string &Name : Known) {
    unsigned Distance = Found.edit_distance(Name, /*AllowReplacements=*/true,
                                            /*MaxEditDistance=*/Least);
    if (Distance < Least) {
      Least = Distance;
      Nearest = Name;
    }
  }
  if (!Nearest.empty() || Found.empty())
    return Nearest;
  // Headings lack units: total, and not total_ns.
  auto HasUnit = [&](StringRef Name) {
    return Name.consume_front(Found) && Name.startswith("_");
  };
  const auto *Whole = find_if(Known, HasUnit);
  return Whole == Known.end() ? StringRef() : StringRef(*Whole);
}

Error report::unknownName(StringRef Option, StringRef Found,
                          ArrayRef<std::string> Known) {
  std::string Text =
      (Option + ": expected one of " + join(Known.begin(), Known.end(), ", ") +
       ", found '" + Found + "'")
          .str();
  StringRef Nearest = nearestName(Found, Known);
  if (!Nearest.empty())
    Text += "; did you mean " + Nearest.str() + "?";
  return createStringError(inconvertibleErrorCode(), Text);
}

int report::compareValues(const Value &A, const Value &B) {
  if (A.Type == ValueType::None || B.Type == ValueType::None)
    return (A.Type == ValueType::None) - (B.Type == ValueType::None);
  if (A.Type == ValueType::Text)
    return A.Text.compare(B.Text);
  if (A.Type == ValueType::Count || A.Type == ValueType::Bytes) {
    if (A.Negative != B.Negative)
      return A.Negative ? 1 : -1;
    int Order = (A.Count < B.Count) - (A.Count > B.Count);
    return A.Negative ? -Order : Order;
  }
  return (A.Number < B.Number) - (A.Number > B.Number);
}
