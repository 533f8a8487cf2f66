//===- StyleFx.cpp - the table of the FX profiling interpreter ------------===//
//
// FX traces a model into calls of leaf modules and of operators outside them.
// The same rows come out of the manifest: a module instance is a leaf if no
// other module is called from any of its calls. Names are FX's: the path with
// underscores, and _1, _2 for repeated calls.
//
//===----------------------------------------------------------------------===//

#include "Summary.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

struct FxRow {
  StringRef OpType;
  std::string Op;
  uint32_t Order = 0;
  bool Timed = false;
  UInt128 Ticks = 0;
  uint64_t Runs = 0; ///< of the method

  /// 0 where no run has ended, which is no average.
  double averageTicks() const {
    return Runs ? static_cast<double>(Ticks) / static_cast<double>(Runs) : 0;
  }
};

using FxColumns = ColumnSet<FxRow, RowContext>;

/// Makes FX's names of one method: the first is free, later ones are numbered.
class Names {
public:
  std::string unique(std::string Name) {
    for (char &C : Name)
      if (!isAlnum(C) && C != '_')
        C = '_';
    // FX does not begin a name with a digit.
    if (!Name.empty() && isDigit(Name[0]))
      Name = "_" + Name;
    unsigned Uses = Used[Name]++;
    if (Uses == 0)
      return Name;
    std::string Numbered = Name + "_" + utostr(Uses);
    while (Used.count(Numbered))
      Numbered = Name + "_" + utostr(Used[Name]++);
    Used[Numbered] = 1;
    return Numbered;
  }

private:
  std::map<std::string, unsigned> Used;
};

class FxTable {
public:
  explicit FxTable(const SummaryInput &In)
      : Sites(In.Sites), In(In), RunsOfRoots(runsOf(Sites)) {}

  std::vector<FxRow> rows();

private:
  using ScopeKey = std::pair<const Manifest *, uint32_t>;

  void findLeaves(const Manifest &M);
  uint32_t leafCall(uint32_t S) const;
  void addMethod(uint32_t Root, ArrayRef<uint32_t> Members);

  const SiteTable &Sites;
  const SummaryInput &In;
  std::vector<uint64_t> RunsOfRoots; ///< by site
  /// Scope -> the outermost scope of the leaf module's call it belongs to.
  std::map<ScopeKey, uint32_t> LeafCalls;
  std::set<const Manifest *> Seen;
  std::vector<FxRow> Rows;
};

} // namespace

/// "aten::add_" -> "add", as FX names a function's result.
static std::string operatorName(StringRef Kind) {
  StringRef Name = Kind.rsplit("::").second;
  if (Name.empty())
    Name = Kind;
  while (Name.size() > 1 && Name.endswith("_"))
    Name = Name.drop_back();
  return Name.lower();
}

/// The inputs of "forward(x, y)".
static SmallVector<StringRef, 4> inputNames(StringRef Signature) {
  SmallVector<StringRef, 4> Names;
  StringRef List = Signature.split('(').second;
  List = List.take_until([](char C) { return C == ')'; });
  List.split(Names, ',', -1, /*KeepEmpty=*/false);
  for (StringRef &Name : Names)
    Name = Name.trim();
  if (!Signature.contains('('))
    Names.push_back("inputs");
  return Names;
}

void FxTable::findLeaves(const Manifest &M) {
  if (!Seen.insert(&M).second)
    return;
  // Instances from which another module is called.
  std::set<std::string> NotLeaf;
  for (uint32_t I = 0; I < M.Scopes.size(); ++I) {
    if (!M.Scopes[I].Module)
      continue;
    std::string Path = M.modulePath(I);
    for (uint32_t P = M.Scopes[I].Parent; P != NoIndex; P = M.Scopes[P].Parent)
      if (std::string Outer = M.modulePath(P); Outer != Path)
        NotLeaf.insert(Outer);
  }
  for (uint32_t I = 0; I < M.Scopes.size(); ++I) {
    uint32_t Parent = M.Scopes[I].Parent;
    // Functions and own methods that a leaf calls belong to its call.
    if (auto Outer = LeafCalls.find({&M, Parent});
        Parent != NoIndex && Outer != LeafCalls.end())
      LeafCalls[{&M, I}] = Outer->second;
    else if (M.Scopes[I].Module && !NotLeaf.count(M.modulePath(I)))
      LeafCalls[{&M, I}] = I;
  }
}

uint32_t FxTable::leafCall(uint32_t S) const {
  auto It = LeafCalls.find({Sites.manifest(S), Sites.scope(S)});
  return It == LeafCalls.end() ? NoIndex : It->second;
}

void FxTable::addMethod(uint32_t Root, ArrayRef<uint32_t> Members) {
  findLeaves(*Sites.manifest(Root));
  Names Unique;
  uint64_t Runs = RunsOfRoots[Root];
  if (Runs == 0) // only other methods call it
    Runs = Sites.measured(Root).Count;
  for (StringRef Input : inputNames(Sites.signature(Root)))
    Rows.push_back({"placeholder", Unique.unique(Input.str()), Root});
  std::map<uint32_t, size_t> RowOfCall;
  for (uint32_t S : Members) {
    bool Selected = In.Selected.matches(Sites, S);
    uint32_t Call = leafCall(S);
    if (Call == NoIndex) {
      if (Sites[S].isModule() || Sites[S].Async)
        continue;
      std::string Op = Unique.unique(operatorName(Sites.kind(S)));
      bool Method = Sites[S].Flags & SF_Method;
      // Control flow outside a leaf keeps what is not inside its rows.
      if (Selected)
        Rows.push_back({Method ? "call_method" : "call_function", std::move(Op),
                        S, true, Sites.selfWithGradients(S), Runs});
      continue;
    }
    auto [It, IsNew] = RowOfCall.emplace(Call, Rows.size());
    if (IsNew) {
      std::string Path = Sites.manifest(S)->modulePath(Call);
      std::string Op = Unique.unique(std::move(Path));
      if (!Selected)
        It->second = SIZE_MAX;
      else
        Rows.push_back({"call_module", std::move(Op), S, true, 0, Runs});
    }
    if (It->second != SIZE_MAX && !Sites[S].Async)
      Rows[It->second].Ticks += Sites.selfWithGradients(S);
  }
  Rows.push_back({"output", Unique.unique("output"), Root});
}

std::vector<FxRow> FxTable::rows() {
  std::map<uint32_t, std::vector<uint32_t>> Methods;
  for (uint32_t S = 0; S < Sites.size(); ++S)
    if (!Sites[S].Dynamic && Sites[S].Root != S && Sites.reached(S))
      Methods[Sites[S].Root].push_back(S);
  for (const auto &[Root, Members] : Methods)
    addMethod(Root, Members);
  return std::move(Rows);
}

static FxColumns fxColumns() {
  std::vector<FxColumns::Column> Columns;
  Columns.push_back({TableColumn::text("op_type", "Op type", Shorten::Never),
                     "", [](const FxRow &R, const RowContext &) {
                       return Value::text(R.OpType);
                     }});
  Columns.push_back(
      {TableColumn::text("op", "Op"), "",
       [](const FxRow &R, const RowContext &) { return Value::text(R.Op); }});
  Columns.push_back(
      {TableColumn::number("average_runtime_s", "Average runtime (s)", 9), "",
       [](const FxRow &R, const RowContext &C) {
         return R.Timed && R.Runs
                    ? Value::number(ValueType::Number,
                                    C.Clock.toNs(R.averageTicks()) * 1e-9)
                    : Value();
       }});
  Columns.push_back(
      {TableColumn::percent("pct_total_runtime", "Pct total runtime", 4), "",
       [](const FxRow &R, const RowContext &C) {
         return R.Timed ? C.All.shareValue(static_cast<double>(R.Ticks))
                        : Value();
       }});
  return FxColumns(std::move(Columns));
}

Expected<Table> report::makeFxTable(const SummaryInput &In,
                                    const SummaryOptions &Options) {
  bool RunOrder = false;
  for (const std::string &Key : Options.Sort) {
    RunOrder |= Key == "order";
    if (Key != "order" && Key != "mean_ns" && Key != "total_ns")
      return createStringError(inconvertibleErrorCode(),
                               "--sort: expected order or mean_ns with "
                               "--style=fx, found '" +
                                   Key + "'");
  }
  std::vector<FxRow> Rows = FxTable(In).rows();
  if (!RunOrder)
    stable_sort(Rows, [&](const FxRow &A, const FxRow &B) {
      return A.Timed != B.Timed ? A.Timed : A.averageTicks() > B.averageTicks();
    });

  Table T;
  size_t Shown = Options.Limit ? std::min<size_t>(Options.Limit, Rows.size())
                               : Rows.size();
  FxColumns Columns = fxColumns();
  FxColumns::fill(T, ArrayRef(Rows).take_front(Shown), Columns.all(),
                  In.context());
  return T;
}
