//===- Plans.cpp - the plans that LibTorch made ---------------------------===//

#include "Plans.h"
#include "Events.h"
#include "Totals.h"

#include "../Profile/EnumNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

void PlanHistory::add(const Profile &P, const SiteTable &Sites,
                      const SlotToSite &Slots) {
  TickClock Clock(P);
  for (const format::PlanEvent &E : P.Plans) {
    MadePlan M;
    M.Event = E;
    M.First = Slots[E.First];
    M.Root = Sites.rootOf(E, Slots);
    M.RunRoot = Sites.runRootOf(E, Slots);
    M.BeginRealtimeNs = Clock.realtimeNs(E.BeginTicks);
    M.BeginSteadyNs = Clock.steadyNs(E.BeginTicks);
    M.Ns = Clock.toNs(static_cast<double>(E.Ticks));
    M.OwnNs = Clock.toNs(static_cast<double>(E.OwnTicks));
    M.Thread = threadName(P, E.Thread);
    Plans.add(std::move(M));
  }
}

/// A number that only some plans have.
static Value countOrNone(uint64_t Number, uint64_t None) {
  return Number == None ? Value() : Value::count(Number);
}

template <typename Enum> static Value word(Enum V) {
  StringRef Name = nameOf(V);
  return Value::text(Name.empty() ? utostr(static_cast<uint32_t>(V))
                                  : Name.str());
}

/// A method that interfaces call has its caller's name, but another module.
static Value methodValue(const SiteTable &Sites, uint32_t Root) {
  if (Root == NoIndex)
    return Value::text("");
  std::string Module = Sites.modulePath(Root);
  return Value::text(Sites.methodName(Root) +
                     (Module.empty() ? "" : " " + Module));
}

/// Whose run that of a plan is.
static constexpr StringLiteral RunOfId = "run_of";

static const RunColumns<MadePlan> &planColumns() {
  using Row = MadePlan;
  static const RunColumns<Row> Columns({
      {TableColumn::text("method", "method"), "",
       [](const Row &R, const SiteTable &Sites) {
         return methodValue(Sites, R.Root);
       }},
      {TableColumn::text("part", "part"), "",
       [](const Row &R, const SiteTable &) { return word(R.Event.Part); }},
      {TableColumn::text("first_node", "first node"), "",
       [](const Row &R, const SiteTable &Sites) {
         return nodeValue(Sites, R.First);
       }},
      {TableColumn::text("plan", "plan"), "",
       [](const Row &R, const SiteTable &) { return word(R.Event.Kind); }},
      {TableColumn::count("run", "run"), "",
       [](const Row &R, const SiteTable &) {
         return countOrNone(R.Event.Run, 0);
       }},
      {TableColumn::count("bailouts_left", "bailouts left"), "",
       [](const Row &R, const SiteTable &) {
         return countOrNone(R.Event.Depth, format::NoDepth);
       }},
      {TableColumn::count("nodes", "nodes"), "",
       [](const Row &R, const SiteTable &) {
         return Value::count(R.Event.Nodes);
       }},
      {forMachines(TableColumn::count("groups", "groups")), "",
       [](const Row &R, const SiteTable &) {
         return Value::count(R.Event.Groups);
       }},
      beganColumn<Row>(),
      timeColumn<Row>(),
      {TableColumn::time("own_ns", "torchprof's"), "",
       [](const Row &R, const SiteTable &) { return Value::timeNs(R.OwnNs); }},
      {forMachines(TableColumn::text("thread", "thread")), "",
       [](const Row &R, const SiteTable &) { return Value::text(R.Thread); }},
      {TableColumn::text(RunOfId, "run of"), "",
       [](const Row &R, const SiteTable &Sites) {
         return methodValue(Sites, R.RunRoot);
       }},
  });
  return Columns;
}

Table report::makePlanTable(const SiteTable &Sites, const Selection &Selected,
                            const PlanHistory &History, unsigned Limit) {
  std::vector<bool> Roots = rootsOf(Sites, Selected);
  std::vector<MadePlan> Plans;
  for (const MadePlan &M : History.plans())
    if (M.Root == NoIndex || Roots[M.Root] || Roots[M.RunRoot])
      Plans.push_back(M);
  std::vector<MadePlan> Rows = longest<MadePlan>(Plans, Limit);
  Table T = makeRunTable<MadePlan>("plans", "plans that LibTorch made",
                                   planColumns(), Rows, Sites);
  if (Rows.empty())
    return T;
  // For people it would say the same as the method.
  if (all_of(Rows, [](const MadePlan &M) { return M.RunRoot == M.Root; }))
    for (TableColumn &C : T.Columns)
      C.ForMachines |= C.Id == RunOfId;
  double Ns = 0, OwnNs = 0;
  for (const MadePlan &M : Plans) {
    Ns += M.Ns;
    OwnNs += M.OwnNs;
  }
  T.Footer.push_back(
      countOfEvents("plans", "Plans", Plans.size(), Rows.size()));
  T.Footer.push_back(
      {"time_ns", "Time", Value::timeNs(Ns), Value(),
       "LibTorch's, for optimizing and for making instructions"});
  T.Footer.push_back({"own_ns", "torchprof's", Value::timeNs(OwnNs), Value(),
                      "its own work for them, not part of the time"});
  noteCounter(T, Sites, format::Counter::DroppedPlans);
  return T;
}
