//===- VariantsSupport.h - nodes with operands, for tests -------*- C++ -*-===//
//
// A framework of the test's own: a stack is a list of numbers, which are sizes.
// A 0 has no signature.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_VARIANTSSUPPORT_H
#define TORCHPROF_VARIANTSSUPPORT_H

#include "TestSupport.h"

#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <initializer_list>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace torchprof::test {

using Numbers = std::vector<int>;

/// How often the framework was asked for the text of a signature.
extern std::atomic<unsigned> TextsWritten;

class VariantsTest : public testing::Test {
protected:
  VariantsTest();
  ~VariantsTest() override;

  /// Runs \p Body with shapes, on the test's clock unless it has threads.
  ReadProfile recorded(
      const std::function<void()> &Body,
      std::initializer_list<std::pair<const char *, const char *>> More = {},
      bool IsStill = true);
  TestFolder Folder;
};

/// A timed node that makes one number of its inputs.
void node(
    unsigned Site, Numbers Stack, uint64_t Ticks,
    const std::function<void()> &Body = [] {});

struct Expected {
  std::string Signature;
  uint64_t Count, Time, Min, Max, First;
  bool operator==(const Expected &) const = default;
};

std::ostream &operator<<(std::ostream &OS, const Expected &E);

/// The variants of a node that have spans.
std::vector<Expected> variantsOf(const ReadProfile &P, unsigned Site);

/// What the spans of each of a node's signatures allocated less what they
/// freed.
std::vector<int64_t> netsOf(const ReadProfile &P, unsigned Site);

} // namespace torchprof::test

#endif // TORCHPROF_VARIANTSSUPPORT_H
