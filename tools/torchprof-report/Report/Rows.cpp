//===- Rows.cpp - sites grouped into rows ---------------------------------===//

#include "Rows.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

/// "model.py:12(forward)", as in the stacks of torch.profiler.
static std::string stackText(const SiteTable &Sites, uint32_t S,
                             unsigned Depth) {
  std::string Text;
  unsigned Used = 0;
  for (const Frame &F : Sites.frames(S)) {
    if (Depth && Used++ == Depth)
      break;
    if (!Text.empty())
      Text += " < ";
    Text += F.File.empty() ? "?" : F.File + ":" + std::to_string(F.Line);
    if (!F.Function.empty())
      Text += "(" + F.Function + ")";
  }
  return Text.empty() ? "?" : Text;
}

/// A region is in no module and at no known place.
static bool hasRegions(GroupBy Group) {
  return Group == GroupBy::Node || Group == GroupBy::Kind ||
         Group == GroupBy::Method;
}

/// What the members of a group have in common.
static std::string groupKey(const SiteTable &Sites, uint32_t S,
                            const RowOptions &Options) {
  switch (Options.Group) {
  case GroupBy::Node:
  case GroupBy::Thread:
    return std::to_string(S);
  case GroupBy::Kind:
    return Sites.kind(S).str();
  case GroupBy::Module:
    return Sites.modulePath(S);
  case GroupBy::Class:
    return Sites.className(S).str();
  case GroupBy::Source:
    return Sites.source(S);
  case GroupBy::Stack:
    return stackText(Sites, S, Options.StackDepth);
  case GroupBy::Method:
    return Sites[S].Root == NoIndex ? Sites.name(S).str()
                                    : Sites.name(Sites[S].Root).str();
  }
  return "";
}

/// Adds a site to a row; what the members do not agree on becomes empty.
static void addMember(Row &R, const SiteTable &Sites, uint32_t S,
                      const std::string &Source, bool Outermost) {
  std::string Names[] = {Sites.kind(S).str(), Sites.name(S).str(),
                         Sites.modulePath(S), Sites.className(S).str(), Source};
  std::string *Fields[] = {&R.Kind, &R.Name, &R.Module, &R.Class, &R.Source};
  for (unsigned I = 0; I < std::size(Names); ++I) {
    if (R.Members == 0)
      *Fields[I] = Names[I];
    else if (*Fields[I] != Names[I])
      Fields[I]->clear();
  }
  if (R.Members++ == 0)
    R.Order = S;
  // What ran beside its parent, and user regions, which are around runs.
  R.Outside &= Sites[S].Async || Sites[S].isRegion();
  R.Measured.add(Sites.measured(S));
  R.Self += Sites.self(S);
  if (Outermost)
    R.Total += Sites.total(S);
}

std::vector<Row> report::makeRows(const SiteTable &Sites,
                                  const Selection &Selected,
                                  const RowOptions &Options) {
  std::vector<Row> Rows;
  // Which group a site belongs to, to find members inside members.
  std::vector<uint32_t> GroupOf(Sites.size(), NoIndex);
  std::map<std::string, uint32_t> Groups;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (!Sites.reached(S) && !Options.Unreached)
      continue;
    if (!Selected.matches(Sites, S))
      continue;
    if (Options.Group == GroupBy::Node) {
      Row &R = Rows.emplace_back();
      addMember(R, Sites, S, Sites.source(S), /*Outermost=*/true);
      continue;
    }
    if (Sites[S].isRegion() && !Options.NamesApart &&
        !hasRegions(Options.Group))
      continue;
    std::string Key = groupKey(Sites, S, Options);
    if (Options.NamesApart)
      Key += '\n' + (Sites[S].isRegion() || Sites[S].isRoot()
                         ? Sites.name(S).str()
                         : Sites.kind(S).str());
    auto [It, IsNew] = Groups.emplace(Key, static_cast<uint32_t>(Rows.size()));
    if (IsNew)
      Rows.emplace_back();
    GroupOf[S] = It->second;
    bool Outermost = true;
    for (uint32_t I = Sites[S].Parent; I != NoIndex && Outermost;
         I = Sites[I].Parent)
      Outermost = GroupOf[I] != GroupOf[S];
    Row &R = Rows[It->second];
    addMember(R, Sites, S,
              Options.Group == GroupBy::Stack
                  ? stackText(Sites, S, Options.StackDepth)
                  : Sites.source(S),
              Outermost);
    if (Options.Group == GroupBy::Method)
      R.Name = It->first;
  }
  return Rows;
}

Totals report::makeTotals(const SiteTable &Sites, const Selection &Selected) {
  Totals T;
  std::vector<bool> RootSelected(Sites.size());
  std::vector<bool> SiteSelected(Sites.size());
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    SiteSelected[S] = Selected.matches(Sites, S);
    if (SiteSelected[S] && Sites[S].Root != NoIndex)
      RootSelected[Sites[S].Root] = true;
  }
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (Sites[S].Root == NoIndex || !RootSelected[Sites[S].Root])
      continue;
    const Aggregate &A = Sites.measured(S);
    if (SiteSelected[S]) {
      T.Unfinished += A.unfinished();
      T.Cut += A.Cut;
    }
    __int128 Self = std::max<__int128>(Sites.self(S), 0);
    // A run started by a node (or by a root itself) is a call: its time is in
    // the outer run's already.
    T.Total -= A.Nested;
    if (Sites[S].isRoot() && Sites[S].Parent == NoIndex) {
      T.Total += A.Sum;
      T.Runs += A.Count;
    } else if (Sites[S].Async)
      T.Async += Self;
    else if (SiteSelected[S])
      T.Nodes += Self;
    else
      T.NotSelected += Self;
  }
  // Damaged numbers must not become a huge total.
  if (static_cast<__int128>(T.Total) < 0)
    T.Total = 0;
  return T;
}

Row report::makeThreadRow(const SiteTable &Sites, const Selection &Selected,
                          StringRef Name, uint32_t Order) {
  Row R;
  R.Name = Name.str();
  R.Order = Order;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (Sites[S].isRegion() || !Sites.reached(S) || !Selected.matches(Sites, S))
      continue;
    ++R.Members;
    R.Outside = false;
    R.Self += std::max<__int128>(Sites.self(S), 0);
    R.Measured.add(Sites.measured(S));
    if (Sites[S].Parent == NoIndex || (Sites[S].Flags & SF_Async))
      R.Total += Sites.total(S);
  }
  return R;
}
