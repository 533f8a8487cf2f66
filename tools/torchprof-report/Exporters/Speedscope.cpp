//===- Speedscope.cpp - stacks for speedscope -----------------------------===//
//
// One sampled profile per method: a sample per stack, weighted.
// https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources
//
//===----------------------------------------------------------------------===//

#include "../Profile/JsonText.h"
#include "Stacks.h"

#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace speedscope_export {

static Error write(const ExportInput &In, raw_ostream &OS) {
  std::vector<WeightedStack> Stacks = foldStacks(In);
  // A frame is its text; the same text elsewhere is the same frame.
  std::map<std::string, unsigned> FrameNumbers;
  std::vector<std::string> Frames;
  std::map<std::string, std::vector<size_t>> Methods;
  std::vector<std::string> MethodOrder;
  for (size_t I = 0; I < Stacks.size(); ++I) {
    const WeightedStack &Stack = Stacks[I];
    for (const std::string &Text : Stack.Frames)
      if (FrameNumbers.emplace(Text, Frames.size()).second)
        Frames.push_back(Text);
    std::vector<size_t> &Members = Methods[Stack.Frames.front()];
    if (Members.empty())
      MethodOrder.push_back(Stack.Frames.front());
    Members.push_back(I);
  }
  json::OStream J(OS);
  J.object([&] {
    J.attribute("$schema",
                "https://www.speedscope.app/file-format-schema.json");
    J.attribute("name", jsonText(In.Title));
    J.attribute("activeProfileIndex", 0);
    J.attribute("exporter", "torchprof");
    J.attributeObject("shared", [&] {
      J.attributeArray("frames", [&] {
        for (const std::string &Text : Frames)
          J.object([&] { J.attribute("name", jsonText(Text)); });
      });
    });
    J.attributeArray("profiles", [&] {
      for (const std::string &Method : MethodOrder) {
        const std::vector<size_t> &Members = Methods[Method];
        J.object([&] {
          uint64_t End = 0;
          for (size_t I : Members)
            End += Stacks[I].Weight;
          J.attribute("type", "sampled");
          J.attribute("name", jsonText(Method));
          J.attribute("unit",
                      In.StackWeight != Weight::Calls ? "nanoseconds" : "none");
          J.attribute("startValue", 0);
          J.attribute("endValue", End);
          J.attributeArray("samples", [&] {
            for (size_t I : Members)
              J.array([&] {
                for (const std::string &Text : Stacks[I].Frames)
                  J.value(FrameNumbers[Text]);
              });
          });
          J.attributeArray("weights", [&] {
            for (size_t I : Members)
              J.value(Stacks[I].Weight);
          });
        });
      }
    });
  });
  J.flush();
  OS << '\n';
  return Error::success();
}

static ExporterRegistration Registration({"speedscope", "stacks for speedscope",
                                          true, write, HasWeight | HasTitle});

} // namespace speedscope_export
