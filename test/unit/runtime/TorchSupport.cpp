//===- TorchSupport.cpp - graphs with probes, run in children -------------===//

#include "TorchSupport.h"
#include "torchprof/torchprof.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <sstream>
#include <torch/csrc/jit/ir/irparser.h>
#include <torch/csrc/jit/passes/pass_manager.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/custom_class.h>

namespace torchprof::test {

using namespace torch::jit;

void recordTorch(const std::string &File, const std::function<void()> &Body) {
  EXPECT_EQ(runChild([&] {
              ASSERT_EQ(torchprof_set_option("file", File.c_str()), 0);
              at::NoGradGuard NoGrad;
              makeManifest(manifestText(7, 20));
              Body();
            }),
            0);
}

c10::IValue makeManifest(const std::string &Text) {
  auto Class =
      torch::getCustomClass("__torch__.torch.classes.torchprof.Manifest");
  auto Object = c10::ivalue::Object::create(c10::StrongTypePtr(nullptr, Class),
                                            /*numSlots=*/1);
  Stack S{c10::IValue(Object), c10::IValue(Text)};
  Class->getMethod("__init__").run(S);
  return Object;
}

std::string graphText(const std::string &Body, const std::string &Result) {
  return "graph(%x : Tensor):\n  %none : NoneType = prim::Constant()\n  %one "
         ": int = prim::Constant[value=1]()\n" +
         Body + "  return (" + Result + ")\n";
}

std::shared_ptr<Graph> probed(const std::string &Text) {
  std::istringstream Lines(Text);
  std::string Line, Out, Constants;
  for (unsigned I = 0; I < 20; ++I)
    Constants +=
        "  %site" + std::to_string(I) +
        " : int = prim::Constant[value=" + std::to_string(site(7, I).number()) +
        "]()\n";
  while (std::getline(Lines, Line)) {
    std::istringstream Words(Line);
    std::string Word, Value, Site;
    Words >> Word >> Value >> Site;
    std::string Indent(Line.find_first_not_of(' '), ' ');
    if (!Site.empty() && Site[0] == '@')
      Site = "%site" + Site.substr(1);
    if (Word == "begin")
      Line = Indent + Value + " : int = torchprof::begin(" + Site + ")";
    else if (Word == "end")
      Line = Indent + "torchprof::end(" + Value + ", " + Site + ")";
    else if (Word == "enter")
      Line = Indent + "%root : int = torchprof::enter(%none, %site0)";
    else if (Word == "leave")
      Line = Indent + "torchprof::end(%root, %site0)";
    Out += Line + "\n";
    if (Word.rfind("graph(", 0) == 0)
      Out += Constants;
  }
  auto G = std::make_shared<Graph>();
  parseIR(Out, G.get());
  return G;
}

std::shared_ptr<Graph> probedRelu() {
  return probed("graph(%m : Any, %x : Tensor):\n"
                "  %root : int = torchprof::enter(%m, %site0)\n"
                "  begin %b1 @1\n"
                "  %y : Tensor = aten::relu(%x)\n"
                "  end %b1 @1\n"
                "  leave\n"
                "  return (%y)\n");
}

void runPostPasses(std::shared_ptr<Graph> &G) {
  for (auto &Pass : getCustomPostPasses())
    Pass.first(G);
  G->lint();
}

static unsigned countIn(const Block *B, Symbol Kind) {
  unsigned Count = 0;
  for (const Node *N : B->nodes()) {
    Count += N->kind() == Kind;
    for (const Block *Inner : N->blocks())
      Count += countIn(Inner, Kind);
  }
  return Count;
}

unsigned countKind(const Graph &G, const std::string &Kind) {
  return countIn(G.block(), Symbol::fromQualString(Kind));
}

std::vector<c10::IValue> interpret(const std::shared_ptr<Graph> &G,
                                   std::vector<c10::IValue> Inputs) {
  Code C(G, "test");
  InterpreterState(C).run(Inputs);
  return Inputs;
}

} // namespace torchprof::test
