//===- OptBridge.cpp - the passes for torchprof-opt -----------------------===//

#include "OptBridge.h"

#include "../common/TorchModel.h"
#include "torchprof/StepTimer.h"

#include <torch/csrc/jit/ir/irparser.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace torchprof {

using namespace torch::jit;

static std::vector<std::string> toVector(const TextList &List) {
  return {List.Data, List.Data + List.Size};
}

static InstrumentOptions toOptions(const Model &M, const SiteRequest &Request) {
  InstrumentOptions Options;
  Options.ModelName = M.Name;
  Options.Nodes = Request.AllNodes ? NodeChoice::All : NodeChoice::Default;
  Options.Level = Request.ModuleLevel ? Granularity::Module : Granularity::Op;
  Options.Include = toVector(Request.Include);
  Options.Exclude = toVector(Request.Exclude);
  Options.Methods = toVector(Request.Methods);
  return Options;
}

static std::string joinLines(const std::vector<std::string> &Lines) {
  std::string Text;
  for (const std::string &Line : Lines)
    Text += (Text.empty() ? "" : "\n") + Line;
  return Text;
}

static void describe(const InstrumentResult &Result, InstrumentReport &Report) {
  const SiteNumbering &Numbering = Result.Numbering;
  Report.Methods = Result.Methods;
  Report.Nodes = Numbering.NodesSeen;
  Report.Sites = Numbering.Table.Sites.size();
  Report.Vanished = Result.Vanished;
  std::string Skipped;
  for (const auto &[Reason, Count] : Numbering.SkippedByReason)
    Skipped +=
        (Skipped.empty() ? "" : ", ") + std::to_string(Count) + " " + Reason;
  Report.Skipped = ownText(Skipped);
  Report.SkippedNodes = ownText(joinLines(Numbering.SkippedNodes));
}

Outcome checkModel(const Model &M, uint64_t &Sites) {
  return guarded([&]() -> Outcome {
    refuseStrayProbes(M.Root);
    Manifest Table;
    if (!readManifest(M.Root, Table))
      return failure(2, "the model has no probes");
    Sites = Table.Sites.size();
    auto Errors = verifyProbes(instrumentedMethods(M.Root), &Table);
    return Errors.empty() ? Outcome() : failure(1, joinLines(Errors));
  });
}

static std::string describeTimes(const std::vector<StepTime> &Times) {
  std::string Text;
  char Line[64];
  for (const StepTime &Time : Times) {
    std::snprintf(Line, sizeof(Line), "%10.3f ms  %s\n",
                  static_cast<double>(Time.Ns) / 1e6, Time.Step);
    Text += Line;
  }
  return Text;
}

Outcome instrumentToFile(Model &M, const SiteRequest &Request,
                         const char *OutPath, InstrumentReport &Report) {
  return guarded([&]() -> Outcome {
    Module Reloaded;
    InstrumentResult Result =
        instrumentAndReload(M.Root, toOptions(M, Request), Reloaded);
    if (!Result.Problems.empty())
      return failure(1, joinLines(Result.Problems));
    describe(Result, Report);
    StepTimer Timer(Result.Times);
    Timer.begin("write the file");
    if (Outcome Failed = saveModel(M, OutPath))
      return Failed;
    Timer.finish();
    Report.Times = ownText(describeTimes(Result.Times));
    return {};
  });
}

Outcome stripToFile(Model &M, const char *OutPath, uint64_t &Methods) {
  return guarded([&]() -> Outcome {
    Methods = stripModule(M.Root);
    return saveModel(M, OutPath);
  });
}

Outcome printModelSites(const Model &M, const SiteRequest &Request, bool Json,
                        OwnedText &Text) {
  return guarded([&]() -> Outcome {
    Manifest Table;
    if (!readManifest(M.Root, Table))
      Table = numberModule(M.Root, toOptions(M, Request)).Table;
    else if (Request.Given)
      return failure(2, std::string("--") + Request.Given +
                            ": the model is instrumented already; its sites "
                            "are those that were chosen then");
    std::ostringstream Out;
    Json ? printSitesJson(Table, Out) : printSites(Table, Out);
    Text = ownText(Out.str());
    return {};
  });
}

static const PassInfo *findPass(const std::string &Name) {
  const auto &All = passes();
  auto It = std::find_if(All.begin(), All.end(), [&](const PassInfo &Pass) {
    return Name == Pass.Flag;
  });
  return It == All.end() ? nullptr : &*It;
}

Outcome runPasses(const char *Names, const char *GraphText,
                  const SiteRequest &Request, OwnedText &Text) {
  std::vector<const PassInfo *> Pipeline;
  std::istringstream List{std::string(Names)};
  for (std::string Name; std::getline(List, Name, ',');) {
    Pipeline.push_back(findPass(Name));
    if (!Pipeline.back())
      return failure(2, "there is no pass '" + Name +
                            "'; --list-passes lists them");
  }
  return guarded([&]() -> Outcome {
    auto Body = std::make_shared<Graph>();
    parseIR(GraphText, Body.get());
    std::ostringstream Out;
    for (const PassInfo *Pass : Pipeline) {
      auto Errors = Pass->Run(Body, toOptions(Model(), Request), Out);
      if (!Errors.empty())
        return failure(1, Pass->Flag + (": " + joinLines(Errors)));
    }
    Body->print(Out, /*print_source_locations=*/false);
    Text = ownText(Out.str());
    return {};
  });
}

OwnedText listPasses() {
  std::string Text;
  for (const PassInfo &Pass : passes())
    Text += std::string(Pass.Flag) + "\t" + Pass.Help + "\n";
  return ownText(Text);
}

} // namespace torchprof
