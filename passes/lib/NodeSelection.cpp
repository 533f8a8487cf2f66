//===- NodeSelection.cpp - which nodes become sites -----------------------===//

#include "NodeSelection.h"

#include "ProbeOps.h"

#include <algorithm>
#include <fnmatch.h>
#include <numeric>

namespace torchprof {

using namespace torch::jit;

/// True for tensors and for containers of them. A class's attributes are not
/// looked into.
static bool holdsTensor(const c10::TypePtr &Type) {
  if (Type->kind() == c10::TypeKind::TensorType)
    return true;
  if (Type->kind() == c10::TypeKind::ClassType ||
      Type->kind() == c10::TypeKind::FunctionType)
    return false;
  for (const c10::TypePtr &Inner : Type->containedTypes())
    if (holdsTensor(Inner))
      return true;
  return false;
}

static bool changesTensor(const Node *N) {
  const c10::FunctionSchema *Schema = N->maybeSchema();
  if (!Schema || !Schema->is_mutable())
    return false;
  const auto &Arguments = Schema->arguments();
  for (size_t I = 0; I < Arguments.size() && I < N->inputs().size(); ++I)
    if (Arguments[I].alias_info() && Arguments[I].alias_info()->isWrite() &&
        holdsTensor(N->input(I)->type()))
      return true;
  return false;
}

static bool isNever(const Node *N) {
  switch (N->kind()) {
  case prim::Constant:
  case prim::CreateObject:
  case prim::DictConstruct:
  case prim::Drop:
  case prim::Enter:
  case prim::Exit:
  case prim::GetAttr:
  case prim::ListConstruct:
  case prim::ListUnpack:
  case prim::Load:
  case prim::Param:
  case prim::RaiseException:
  case prim::Return:
  case prim::SetAttr:
  case prim::Store:
  case prim::TupleConstruct:
  case prim::TupleIndex:
  case prim::TupleSlice:
  case prim::TupleUnpack:
  case prim::Uninitialized:
  case prim::isinstance:
  case prim::unchecked_cast:
  case prim::unchecked_unwrap_optional:
    return true;
  default:
    return ops::isProbe(N);
  }
}

static bool isText(const Node *N) {
  return N->kind() == prim::Print || N->kind() == aten::warn;
}

/// True for what may take long though no tensor is in sight: text on its way
/// out, and operators of other libraries, of which nothing is known.
static bool mayTakeLong(const Node *N) {
  return isText(N) || (!N->kind().is_aten() && !N->kind().is_prim());
}

NodeClass NodeClassifier::classifyControl(const Node *N) {
  auto [It, IsNew] = Control.try_emplace(N, NodeClass::Extra);
  if (!IsNew)
    return It->second;
  for (const Block *Inner : N->blocks())
    for (const Node *Child : Inner->nodes())
      // A branch that only warns is not taken in most calls: what asks for it
      // is not worth a probe.
      if (!isText(Child) && classify(Child) == NodeClass::Default)
        return Control[N] = NodeClass::Default;
  return NodeClass::Extra;
}

NodeClass NodeClassifier::classify(const Node *N) {
  if (isNever(N))
    return NodeClass::Never;
  switch (N->kind()) {
  case prim::CallMethod:
  case prim::CallFunction:
  case prim::fork:
  case aten::wait:
    return NodeClass::Default;
  default:
    break;
  }
  for (const Value *Output : N->outputs())
    if (holdsTensor(Output->type()))
      return NodeClass::Default;
  if (changesTensor(N) || mayTakeLong(N))
    return NodeClass::Default;
  return N->blocks().empty() ? NodeClass::Extra : classifyControl(N);
}

bool matchesAny(const std::vector<std::string> &Globs, const std::string &Kind,
                const std::string &Path) {
  for (const std::string &Glob : Globs)
    if (fnmatch(Glob.c_str(), Kind.c_str(), 0) == 0 ||
        fnmatch(Glob.c_str(), Path.c_str(), 0) == 0)
      return true;
  return false;
}

bool isSelected(const SiteOptions &Options, const std::string &Kind,
                const std::string &Path) {
  if (matchesAny(Options.Exclude, Kind, Path))
    return false;
  return Options.Include.empty() || matchesAny(Options.Include, Kind, Path);
}

/// Levenshtein's distance, one row at a time.
static size_t editDistance(const std::string &A, const std::string &B) {
  std::vector<size_t> Row(B.size() + 1);
  std::iota(Row.begin(), Row.end(), size_t(0));
  for (size_t I = 0; I < A.size(); ++I) {
    size_t Diagonal = Row[0];
    Row[0] = I + 1;
    for (size_t J = 0; J < B.size(); ++J) {
      size_t Substitute = Diagonal + (A[I] != B[J]);
      Diagonal = Row[J + 1];
      Row[J + 1] = std::min({Substitute, Row[J] + 1, Row[J + 1] + 1});
    }
  }
  return Row.back();
}

std::string nearMisses(const std::vector<std::string> &Globs,
                       const std::set<std::string> &Names) {
  // Per character, or short names would always come first.
  std::vector<std::pair<double, std::string>> Ranked;
  for (const std::string &Name : Names) {
    double Best = 1;
    for (std::string Glob : Globs) {
      std::erase_if(Glob, [](char C) { return C == '*' || C == '?'; });
      double Length = std::max(Glob.size(), Name.size());
      Best = std::min(Best, editDistance(Glob, Name) / Length);
    }
    Ranked.emplace_back(Best, Name);
  }
  std::sort(Ranked.begin(), Ranked.end());
  std::string Text;
  for (size_t I = 0; I < std::min<size_t>(Ranked.size(), 3); ++I)
    Text += (I ? ", " : "") + Ranked[I].second;
  return Text;
}

} // namespace torchprof
