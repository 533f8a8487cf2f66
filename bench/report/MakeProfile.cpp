//===- MakeProfile.cpp - large profiles for the report's benchmark --------===//
//
//   torchprof-make-profile OUT SITES LANES EVENTS [SEED]
//
// Writes a profile of one model with SITES sites in a tree of modules, LANES
// threads that ran all of them, and a trace of EVENTS spans in all, nested as
// runs of the model. The numbers are made up, the structure is that of a file
// which the runtime wrote.
//
//===----------------------------------------------------------------------===//

#include "../../tools/torchprof-report/Profile/Aggregate.h"
#include "../../tools/torchprof-report/Profile/ProfileWriter.h"

#include <cstdlib>
#include <random>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

static std::shared_ptr<const Manifest> makeManifest(uint32_t Sites) {
  static constexpr const char *Kinds[] = {"aten::conv2d", "aten::batch_norm",
                                          "aten::relu", "aten::add_"};
  auto M = std::make_shared<Manifest>();
  M->ModelId = Sites;
  M->Producer = "torchprof-make-profile";
  ManifestScope Root;
  Root.Class = M->intern("Net");
  Root.Function = M->intern("forward(x)");
  M->Scopes.push_back(Root);
  ManifestSite Method;
  Method.Kind = M->intern("method");
  Method.Name = M->intern("forward");
  Method.Flags = SF_Root;
  M->Sites.push_back(Method);
  for (uint32_t I = 1; I < Sites; ++I) {
    if (I % 8 == 1) { // a block of eight nodes
      ManifestScope Block;
      Block.Parent = 0;
      Block.Module = M->intern("block" + std::to_string(I / 8));
      Block.Class = M->intern("Block");
      Block.Function = M->intern("forward");
      Block.Call = {M->intern("net.py"), I, 1, M->intern("x = block(x)")};
      M->Scopes.push_back(Block);
    }
    ManifestSite S;
    S.Parent = 0;
    S.Kind = M->intern(Kinds[I % 4]);
    S.Name = M->intern("x." + std::to_string(I));
    S.Scope = static_cast<uint32_t>(M->Scopes.size() - 1);
    S.Source = {M->intern("net.py"), I % 100, 3, M->intern("y = op(x)")};
    if (I > 1)
      S.Producers.push_back(I - 1);
    M->Sites.push_back(S);
  }
  return M;
}

static std::vector<format::Cell> makeCells(uint32_t Sites,
                                           std::mt19937_64 &Random) {
  std::vector<format::Cell> Cells(Sites);
  for (uint32_t I = 1; I < Sites; ++I) {
    Cells[I].Site = format::Slot(I);
    for (unsigned Sample = 0; Sample < 4; ++Sample)
      recordSample(Cells[I], 1000 + Random() % 100000);
  }
  uint64_t Sum = 0;
  for (uint32_t I = 1; I < Sites; ++I)
    Sum += Cells[I].Sum;
  for (unsigned Sample = 0; Sample < 4; ++Sample)
    recordSample(Cells[0], Sum / 4 + Sites);
  return Cells;
}

static std::vector<TraceEvent> makeEvents(uint64_t Count, uint32_t Sites,
                                          std::mt19937_64 &Random) {
  std::vector<TraceEvent> Events;
  Events.reserve(Count);
  uint64_t Now = 0, Start = 0;
  for (uint32_t Slot = 1; Events.size() < Count;) {
    uint64_t Length = 1000 + Random() % 20000;
    if (Slot == Sites) { // the run ends around its nodes
      Events.push_back({Start, Now + 50 - Start, format::Slot(0)});
      Start = Now += 100;
      Slot = 1;
      continue;
    }
    Events.push_back({Now + 20, Length, format::Slot(Slot)});
    Now += Length + 40;
    ++Slot;
  }
  return Events;
}

int main(int Argc, char **Argv) {
  if (Argc < 5) {
    errs() << "usage: torchprof-make-profile OUT SITES LANES EVENTS [SEED]\n";
    return 2;
  }
  auto Sites = static_cast<uint32_t>(std::strtoul(Argv[2], nullptr, 10));
  auto Lanes = static_cast<uint32_t>(std::strtoul(Argv[3], nullptr, 10));
  uint64_t EventCount = std::strtoull(Argv[4], nullptr, 10);
  std::mt19937_64 Random(Argc > 5 ? std::strtoull(Argv[5], nullptr, 10) : 1);
  if (Sites < 2 || Sites > format::MaxSitesPerModel || Lanes == 0) {
    errs() << "torchprof-make-profile: error: expected at least 2 sites and 1 "
              "lane\n";
    return 2;
  }
  Profile P;
  P.Process.Clock = format::ClockKind::Monotonic;
  P.Process.Pid = 1;
  P.Models.push_back({format::Slot(0), makeManifest(Sites)});
  // Every lane refers to the same cells: only the file is large.
  std::vector<format::Cell> Cells = makeCells(Sites, Random);
  std::vector<TraceEvent> Events =
      makeEvents(EventCount / Lanes, Sites, Random);
  for (uint32_t I = 0; I < Lanes; ++I) {
    Lane L;
    L.Record.Lane = I;
    L.Record.State = format::LaneState::Live;
    L.Record.Threads = 1;
    L.Cells.push_back(Cells);
    if (!Events.empty())
      L.Traces.push_back(
          {format::LogKeep::First, Events.size(), Events.size(), Events});
    P.Lanes.push_back(std::move(L));
  }
  std::error_code Code;
  raw_fd_ostream OS(Argv[1], Code);
  if (Code) {
    errs() << "torchprof-make-profile: error: " << Argv[1] << ": "
           << Code.message() << '\n';
    return 2;
  }
  writeProfile(P, OS);
}
