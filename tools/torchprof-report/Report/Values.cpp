//===- Values.cpp - numbers as text ---------------------------------------===//

#include "Table.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <cstring>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

static std::string decimals(double Number, int Digits) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << format("%.*f", Digits, Number);
  OS.flush();
  // Rounding must not leave "-0.00".
  if (Text[0] == '-' &&
      StringRef(Text).drop_front().find_first_not_of("0.") == StringRef::npos)
    Text.erase(0, 1);
  return Text;
}

StringRef report::unitName(TimeUnit Unit) {
  switch (Unit) {
  case TimeUnit::Auto:
    return "";
  case TimeUnit::Ns:
    return "ns";
  case TimeUnit::Us:
    return "us";
  case TimeUnit::Ms:
    return "ms";
  case TimeUnit::S:
    return "s";
  }
  return "";
}

static double unitNs(TimeUnit Unit) {
  switch (Unit) {
  case TimeUnit::Auto:
  case TimeUnit::Ns:
    return 1;
  case TimeUnit::Us:
    return 1e3;
  case TimeUnit::Ms:
    return 1e6;
  case TimeUnit::S:
    return 1e9;
  }
  return 1;
}

std::string report::formatTime(double Ns, TimeUnit Unit) {
  if (Unit == TimeUnit::Auto) {
    // The limits are those of the rounded text: 999.9996 us is 1.000 ms.
    double Size = std::fabs(Ns);
    Unit = Size < 999.5       ? TimeUnit::Ns
           : Size < 999999.5  ? TimeUnit::Us
           : Size < 999999500 ? TimeUnit::Ms
                              : TimeUnit::S;
  }
  return decimals(Ns / unitNs(Unit), Unit == TimeUnit::Ns ? 0 : 3) + " " +
         unitName(Unit).str();
}

std::string report::formatBytes(uint64_t Bytes) {
  static constexpr StringLiteral Units[] = {"KiB", "MiB", "GiB",
                                            "TiB", "PiB", "EiB"};
  if (Bytes < 1024)
    return utostr(Bytes) + " B";
  double Size = static_cast<double>(Bytes) / 1024;
  size_t Unit = 0;
  // The limit is that of the rounded text: 1023.96 KiB is 1.0 MiB.
  for (; Size >= 1023.95 && Unit + 1 < std::size(Units); ++Unit)
    Size /= 1024;
  return decimals(Size, 1) + " " + Units[Unit].str();
}

std::string report::formatValue(const Value &V, const TableColumn &C,
                                TimeUnit Unit) {
  if (!V.Display.empty())
    return V.Display;
  std::string Mark = V.Estimated ? "~" : V.Marked ? "*" : "";
  switch (V.Type) {
  case ValueType::None:
    return "-";
  case ValueType::Text:
    return V.Text.empty() ? C.WhenEmpty : V.Text;
  case ValueType::Count:
    return utostr(V.Count) + Mark;
  case ValueType::Bytes:
    return (V.Negative ? "-" : "") + formatBytes(V.Count) + Mark;
  case ValueType::TimeNs:
    if (Unit != TimeUnit::Auto) // the heading carries the unit
      return decimals(V.Number / unitNs(Unit), Unit == TimeUnit::Ns ? 0 : 3) +
             Mark;
    return formatTime(V.Number, Unit) + Mark;
  case ValueType::Percent:
    if (C.Decimals >= 0) // the style's heading says percent
      return decimals(V.Number, C.Decimals) + Mark;
    return decimals(V.Number, 2) + "%" + Mark;
  case ValueType::Number:
    return decimals(V.Number, C.Decimals >= 0 ? C.Decimals : 3) + Mark;
  }
  return "";
}

std::string report::exactValue(const Value &V, const TableColumn &C) {
  switch (V.Type) {
  case ValueType::None:
    return "";
  case ValueType::Text:
    return V.Text;
  case ValueType::Count:
  case ValueType::Bytes:
    return (V.Negative ? "-" : "") + utostr(V.Count);
  case ValueType::TimeNs: {
    std::string Text = decimals(V.Number, 1);
    if (StringRef(Text).endswith(".0"))
      Text.resize(Text.size() - 2);
    return Text;
  }
  case ValueType::Percent:
    return decimals(V.Number, std::max(C.Decimals, 4));
  case ValueType::Number: {
    std::string Text; // what people see is rounded: a small p-value to 0
    raw_string_ostream(Text) << format("%.12g", V.Number);
    return Text;
  }
  }
  return "";
}

Value report::placeValue(StringRef Place) {
  Value V = Value::text(Place);
  size_t Packages = Place.rfind("-packages/"); // site- or dist-
  if (Packages != StringRef::npos && !Place.contains(" < "))
    V.Display = Place.drop_front(Packages + strlen("-packages/")).str();
  return V;
}
