//===- Folded.cpp - stacks for flamegraph.pl ------------------------------===//
//
// One line per stack: frames joined by ";", a space, a positive integer. The
// same format is read by speedscope, inferno and Perfetto.
// https://github.com/brendangregg/FlameGraph
//
//===----------------------------------------------------------------------===//

#include "../../common/Printable.h"
#include "Stacks.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace folded_export {

/// A frame must not hold what separates frames, lines and weights.
static std::string frameText(StringRef Frame) {
  std::string Text = printable(Frame);
  for (char &C : Text)
    if (C == ' ' || C == ';')
      C = '_';
  return Text.empty() ? "?" : Text;
}

static Error write(const ExportInput &In, raw_ostream &OS) {
  for (const WeightedStack &Stack : foldStacks(In)) {
    for (size_t I = 0; I < Stack.Frames.size(); ++I)
      OS << (I ? ";" : "") << frameText(Stack.Frames[I]);
    OS << ' ' << Stack.Weight << '\n';
  }
  return Error::success();
}

static ExporterRegistration Registration({"folded", "stacks for flamegraph.pl",
                                          true, write, HasWeight});

} // namespace folded_export
