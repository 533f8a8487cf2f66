//===- GraphFuzzer.cpp - the passes on any graph --------------------------===//
//
// Whatever graph and options the bytes of the input choose, numbering, probes
// and lowering must leave a graph that is valid, that LibTorch prints and reads
// again, and that computes what it computed before, bit for bit; and taking the
// probes out again must leave the graph of before.
//
//===----------------------------------------------------------------------===//

#include "../runtime/torch/Lowering.h"
#include "../tools/common/CompareValues.h"
#include "GraphMaker.h"
#include "GraphRun.h"
#include "torchprof/Passes.h"

#include <torch/csrc/jit/ir/irparser.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

using namespace torchprof;
using torch::jit::Graph;
using GraphPointer = std::shared_ptr<Graph>;

/// Ends the process, which libFuzzer reports with the input. The text is seen
/// when the input is run again alone; what was expected stands last, where a
/// log that was cut still has it.
static void expect(bool Holds, const char *What, const std::string &Why = "") {
  if (Holds)
    return;
  std::fprintf(stderr, "%s\nexpected: %s\n", Why.c_str(), What);
  std::abort();
}

static std::string textOf(const Graph &G) {
  return G.toString(/*print_source_locations=*/false);
}

static std::vector<std::string> chooseGlobs(fuzz::Choices &From) {
  static const char *const Likely[] = {"*",         "aten::*",     "prim::*",
                                       "aten::add", "part0*",      "*.part1",
                                       "module",    "torchprof::*"};
  std::vector<std::string> Globs;
  for (size_t Left = From.below(3); Left; --Left)
    Globs.push_back(From.oneIn(4) ? From.text(6) : From.of(Likely));
  return Globs;
}

static InstrumentOptions chooseOptions(fuzz::Choices &From) {
  InstrumentOptions Options;
  size_t Bits = From.byte();
  Options.Nodes = Bits & 1 ? NodeChoice::All : NodeChoice::Default;
  Options.Level = Bits & 2 ? Granularity::Module : Granularity::Op;
  if (Bits & 4)
    Options.Include = chooseGlobs(From);
  if (Bits & 8)
    Options.Exclude = chooseGlobs(From);
  return Options;
}

/// Inlines and numbers a copy of the graph. False if the options select
/// nothing.
static bool number(const fuzz::MadeGraph &Made,
                   const InstrumentOptions &Options, NumberedMethods &Result) {
  MethodGraph Method;
  Method.Name = "forward";
  Method.Signature = "x";
  Method.Class = "Root";
  Method.Owner = Made.Self;
  Method.Body = Made.Body->copy();
  try {
    Result = numberMethods({Method}, Options, "fuzzed");
    return true;
  } catch (const InstrumentError &E) {
    std::string Text = E.what();
    bool IsOfInclude =
        Text.starts_with("no site matches") && !Options.Include.empty();
    bool IsOfExclude = Text.starts_with("--exclude=") &&
                       Text.find(" leaves no site") != Text.npos &&
                       !Options.Exclude.empty();
    expect(IsOfInclude || IsOfExclude, "no error but of options", Text);
    return false;
  }
}

/// The manifest can be printed in every form and read again.
static void checkTable(const Manifest &Table) {
  std::ostringstream Sites;
  printSites(Table, Sites);
  printSitesJson(Table, Sites);
  Manifest Again;
  std::string Text = printManifest(Table), Error;
  expect(parseManifest(Text, Again, Error), "a manifest that can be read",
         Error);
  expect(printManifest(Again) == Text, "the same manifest again", Text);
}

static void expectNoErrors(const std::vector<std::string> &Errors,
                           const Graph &Body) {
  expect(Errors.empty(), "probes without a fault",
         textOf(Body) + (Errors.empty() ? "" : Errors[0]));
}

/// LibTorch prints a node without outputs as ` = op(...)`, but parses only
/// `op(...)`, as torchprof-opt knows too.
static std::string parsable(const Graph &G) {
  std::istringstream Lines(textOf(G));
  std::string Text;
  for (std::string Line; std::getline(Lines, Line); Text += Line + '\n')
    if (size_t Start = Line.find_first_not_of(' ');
        Start != Line.npos && Line.compare(Start, 2, "= ") == 0)
      Line.erase(Start - 1, 3);
  return Text;
}

/// LibTorch reads what it prints, but for modules, forked graphs and tensors.
static void checkPrinted(const fuzz::MadeGraph &Made, const Graph &Body,
                         uint64_t Pairs) {
  std::string Text = parsable(Body);
  if (Made.Self || Made.HasForks || Text.find("[ CPUFloatType{") != Text.npos)
    return;
  MethodGraph Again;
  Again.Body = std::make_shared<Graph>();
  torch::jit::parseIR(Text, Again.Body.get());
  expectNoErrors(verifyProbes({Again}), *Again.Body);
  expect(stripProbes(*Again.Body) == Pairs, "as many pairs when read again",
         Text);
}

static void expectSame(const fuzz::RunResult &Expected,
                       const fuzz::RunResult &Found, const Graph &Body) {
  std::string Text;
  if (Expected.Threw != Found.Threw)
    Text = Found.Threw ? "an exception" : "no exception";
  auto Compare = [&](const auto &A, const auto &B, const char *Name) {
    for (size_t I = 0; Text.empty() && I < A.size(); ++I)
      Text = findDifference(Name, A[I], B[I], Equality::BitForBit);
  };
  Compare(Expected.Outputs, Found.Outputs, "output");
  Compare(Expected.Inputs, Found.Inputs, "input");
  expect(Text.empty(), "the same values", textOf(Body) + Text);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  fuzz::Choices From(Data, Size);
  InstrumentOptions Options = chooseOptions(From);
  fuzz::MadeGraph Made = fuzz::makeGraph(From);
  if (std::getenv("FUZZ_PRINT"))
    std::fputs(textOf(*Made.Body).c_str(), stderr);
  Made.Body->lint();

  NumberedMethods Numbered, Again;
  if (!number(Made, Options, Numbered))
    return 0;
  const Manifest &Table = Numbered.Numbering.Table;
  checkTable(Table);
  expect(number(Made, Options, Again) &&
             printManifest(Table) == printManifest(Again.Numbering.Table),
         "the same sites and id of a copy", textOf(*Made.Body));

  Graph &Body = *Numbered.Methods[0].Body;
  Body.lint();
  GraphPointer Before = Body.copy();
  std::string Text = textOf(Body);
  insertProbes(Numbered.Numbering, /*WithManifest=*/false);
  Body.lint();
  expectNoErrors(verifyProbes(Numbered.Methods, &Table), Body);
  expect(sitesIn(Numbered.Methods).size() == Table.Sites.size(),
         "a pair for each site", textOf(Body));
  checkPrinted(Made, Body, Table.Sites.size());

  GraphPointer Lowered = Body.copy();
  lowerProbes(*Lowered);
  Lowered->lint();
  if (!fuzz::mayLoseValues(*Before)) {
    fuzz::RunResult Expected = fuzz::runGraph(Before, fuzz::makeInputs(Made));
    for (const GraphPointer &Probed : {Body.copy(), Lowered})
      expectSame(Expected, fuzz::runGraph(Probed, fuzz::makeInputs(Made)),
                 *Probed);
  }

  expect(stripProbes(Body) == Table.Sites.size(), "as many pairs as sites");
  Body.lint();
  expect(textOf(Body) == Text, "the graph of before", Text + textOf(Body));
  return 0;
}
