//===- OperatorSupport.h - operators and labels for tests -------*- C++ -*-===//
//
// Calls an operator, or opens a label, as the framework tells the collector of
// them. A call takes some ticks of the test's clock before what lies in it.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TEST_OPERATORSUPPORT_H
#define TORCHPROF_TEST_OPERATORSUPPORT_H

#include "DynamicSpans.h"
#include "Probe.h"
#include "TestSupport.h"

#include <functional>
#include <gtest/gtest.h>
#include <optional>

namespace torchprof::test {

/// As the framework asks for it.
inline format::Slot siteOf(const char *Name, bool Stays) {
  std::optional<format::Slot> Known = knownOperator(Name);
  return Known ? *Known : operatorSite(Name, Stays);
}

inline void call(
    const char *Name, uint64_t Ticks, const std::function<void()> &Body = [] {},
    bool Stays = true) {
  format::Slot Site = siteOf(Name, Stays);
  if (Site == format::NoSlot) {
    advanceClock(Ticks);
    return Body();
  }
  FrameSpan Span{Site};
  EXPECT_TRUE(Span.endsHere());
  advanceClock(Ticks);
  Body();
  Span.end();
}

inline void label(const char *Name, const std::function<void()> &Body) {
  DynamicSpan Span = beginLabel(Name);
  Body();
  endLabel(Span);
}

} // namespace torchprof::test

#endif // TORCHPROF_TEST_OPERATORSUPPORT_H
