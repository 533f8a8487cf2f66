//===- PlanWatch.cpp - when LibTorch makes plans, and for what ------------===//

#include "PlanWatch.h"

#include "Tag.h"
#include "torch/Attach.h"
#include "torch/TableLock.h"

#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/profiling_graph_executor_impl.h>

#include <unordered_map>

namespace torchprof {

using namespace torch::jit;
using format::PlanKind;
using format::PlanPart;

//===----------------------------------------------------------------------===//
// Owners by executor
//===----------------------------------------------------------------------===//

namespace {
/// Executors that have made a profiling plan, and will make another one. While
/// they optimize it they make executors of its parts, before the constructor of
/// the instructions says whose they are. Each begins with a profiling plan, so
/// an address that is used again brings its own owner, or none.
class OwnerTable {
public:
  static OwnerTable &get() {
    static auto &Table = *new OwnerTable; // outlives the host's exit handlers
    return Table;
  }

  PlanOwner find(const void *Executor) {
    TableLock Lock;
    auto It = Owners.find(Executor);
    return It == Owners.end() ? PlanOwner() : It->second;
  }

  void forget(const void *Executor) {
    TableLock Lock;
    Owners.erase(Executor);
  }

  void note(const void *Executor, const PlanOwner &Owner, PlanKind Kind) {
    TableLock Lock;
    Owners.erase(Executor);
    try {
      if (Kind == PlanKind::Profiling)
        Owners.emplace(Executor, Owner);
    } catch (const std::bad_alloc &) {
      // The plans of its parts are known by their nodes.
    }
  }

private:
  std::unordered_map<const void *, PlanOwner> Owners;
};

/// Our work for roots before their first plan began, in ticks.
class EarlyWork {
public:
  static EarlyWork &get() {
    static auto &Work = *new EarlyWork; // outlives the host's exit handlers
    return Work;
  }

  void add(format::SiteId Root, uint64_t Ticks) {
    TableLock Lock;
    try {
      OfRoot[Root.number()] += Ticks;
    } catch (const std::bad_alloc &) {
      // It is then not told.
    }
  }

  uint64_t take(format::SiteId Root) {
    TableLock Lock;
    auto It = OfRoot.find(Root.number());
    if (It == OfRoot.end())
      return 0;
    uint64_t Ticks = It->second;
    OfRoot.erase(It);
    return Ticks;
  }

private:
  std::unordered_map<int64_t, uint64_t> OfRoot;
};
} // namespace

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

thread_local MakingScope *MakingScope::Innermost = nullptr;

MakingScope::MakingScope(bool IsPlan)
    : Outer(Innermost), IsPlan(IsPlan), Begin(ticksNow()) {
  Innermost = this;
}

MakingScope::~MakingScope() {
  Innermost = Outer;
  if (!Outer)
    return;
  Outer->OwnTicks += OwnTicks;
  Outer->NestedTicks += NestedTicks;
}

PlanOwner MakingScope::ownerHere() {
  return Innermost ? Innermost->owner() : PlanOwner();
}

PlanOwner MakingScope::owner() const {
  // Looked up here and not in the scope's constructor: where LibTorch does not
  // optimize it asks for its plan in each run.
  if (IsPlan && !Owner.Root)
    return OwnerTable::get().find(
        static_cast<const PlanScope *>(this)->Executor);
  return Owner;
}

bool MakingScope::isBeforeRun() const {
  for (const MakingScope *Around = Outer; Around; Around = Around->Outer) {
    PlanPart Part = Around->owner().Part;
    // Plans of groups are made while the method runs.
    if (Part == PlanPart::Whole || Part == PlanPart::Fork)
      return true;
  }
  return false;
}

void MakingScope::addOwn(uint64_t Since, std::optional<format::SiteId> Root) {
  uint64_t Ticks = ticksNow() - Since;
  if (Innermost)
    Innermost->OwnTicks += Ticks;
  else if (Root)
    EarlyWork::get().add(*Root, Ticks);
}

PlanScope::PlanScope(const void *Executor, std::optional<size_t> Depth)
    : MakingScope(/*IsPlan=*/true), Executor(Executor),
      Depth(Depth && *Depth < format::NoDepth ? static_cast<uint32_t>(*Depth)
                                              : format::NoDepth),
      Started(Begin) {}

PlanScope::~PlanScope() {
  if (!HasPlan)
    return;
  uint64_t Now = ticksNow();
  OwnTicks = 0;
  NestedTicks = Now - Started;
  if (!Outer)
    notePlansMade(Started, Now);
}

CodeScope::CodeScope(const PlanOwner &Named) : MakingScope(/*IsPlan=*/false) {
  Owner = Named;
  if (!Owner.Root && Outer)
    Owner.Root = Outer->Owner.Root;
  if (PlanScope *Plan = plan())
    Plan->Owner = Owner;
}

//===----------------------------------------------------------------------===//
// What a plan is
//===----------------------------------------------------------------------===//

namespace {
struct GraphCounts {
  uint32_t Nodes = 0, Groups = 0, Profiles = 0;

  void add(Block *In) {
    for (Node *N : In->nodes()) {
      ++Nodes;
      Groups += N->hasAttribute(attr::Subgraph) && N->kind() != prim::fork;
      Profiles += N->kind() == prim::profile;
      for (Block *Inner : N->blocks())
        add(Inner);
    }
  }
};
} // namespace

/// The site of the first node that has one.
static std::optional<format::SiteId> firstSite(Block *In) {
  std::optional<format::SiteId> Found;
  visitNodes(In, [&](Node *N) {
    if (const TagContent *Tag = tagOf(N))
      Found = Tag->Site;
    return Found.has_value();
  });
  return Found;
}

void CodeScope::made(Graph &Body) noexcept {
  uint64_t Made = ticksNow();
  PlanScope *Plan = plan();
  if (Outer && !Plan)
    return; // a part of what is being made
  std::optional<format::SiteId> First;
  if (Owner.Part != PlanPart::Whole)
    First = firstSite(Body.block());
  GraphCounts Counts;
  Counts.add(Body.block());
  MakingScope &Timed = Plan ? static_cast<MakingScope &>(*Plan) : *this;
  format::PlanEvent Event{};
  Event.Kind = Counts.Profiles ? PlanKind::Profiling
               : Plan && Plan->Depth != 0 && getGraphExecutorOptimize() &&
                       getProfilingMode()
                   ? PlanKind::Optimized
                   : PlanKind::Plain;
  Event.Part = Owner.Part;
  Event.BeginTicks = Timed.Begin;
  Event.OwnTicks = OwnTicks + (Plan ? Plan->OwnTicks : 0);
  uint64_t Others =
      Event.OwnTicks + NestedTicks + (Plan ? Plan->NestedTicks : 0);
  uint64_t All = Made - Timed.Begin;
  Event.Ticks = All > Others ? All - Others : 0;
  if (Owner.Root && Owner.Part == PlanPart::Whole)
    Event.OwnTicks += EarlyWork::get().take(*Owner.Root);
  Event.Depth = Plan ? Plan->Depth : format::NoDepth;
  Event.Nodes = Counts.Nodes;
  Event.Groups = Counts.Groups;
  if (Timed.isBeforeRun())
    Event.Flags |= format::PF_BeforeRun;
  bool IsNoted = notePlan(Owner.Root, First, Event);
  if (!Plan)
    return;
  if (!Owner.Root && !First) // of a function that is not profiled
    OwnerTable::get().forget(Plan->Executor);
  else
    OwnerTable::get().note(Plan->Executor, Owner, Event.Kind);
  if (!IsNoted)
    return;
  // LibTorch may make a second plan in the same call.
  Plan->HasPlan = true;
  Plan->OwnTicks = Plan->NestedTicks = OwnTicks = NestedTicks = 0;
  Plan->Begin = ticksNow();
}

} // namespace torchprof
