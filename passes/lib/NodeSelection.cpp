//===- NodeSelection.cpp - which nodes become sites -----------------------===//

#include "NodeSelection.h"

#include "ProbeOps.h"

#include <torch/csrc/jit/frontend/edit_distance.h>

#include <algorithm>
#include <fnmatch.h>

namespace torchprof {

using namespace torch::jit;

/// True for tensors and containers of tensors. Does not look at the attributes
/// of classes.
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

/// True for nodes that may take long without touching a tensor: printing, and
/// operators outside aten and prim, of which nothing is known.
static bool mayTakeLong(const Node *N) {
  return isText(N) || (!N->kind().is_aten() && !N->kind().is_prim());
}

NodeClass NodeClassifier::classifyControl(const Node *N) {
  auto [It, IsNew] = Control.try_emplace(N, NodeClass::Extra);
  if (!IsNew)
    return It->second;
  for (const Block *Inner : N->blocks())
    for (const Node *Child : Inner->nodes())
      // An `if` that only guards a warning is rarely taken: do not time its
      // condition.
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
  case prim::Enter:
  case prim::Exit:
  case prim::ModuleContainerIndex: // makes a list or a dict of all of them
  case prim::fork:
  case aten::backward: // whose schema does not say that it writes to tensors
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

bool matchesGlob(const std::string &Glob, const std::string &Kind,
                 const std::string &Path) {
  auto Matches = [&Glob](const std::string &Name) {
    return fnmatch(Glob.c_str(), Name.c_str(), 0) == 0;
  };
  return Matches(Kind) || anyInstance(Path, Matches);
}

bool matchesAny(const std::vector<std::string> &Globs, const std::string &Kind,
                const std::string &Path) {
  return std::any_of(Globs.begin(), Globs.end(), [&](const std::string &Glob) {
    return matchesGlob(Glob, Kind, Path);
  });
}

bool isSelected(const SiteOptions &Options, const std::string &Kind,
                const std::string &Path) {
  if (matchesAny(Options.Exclude, Kind, Path))
    return false;
  return Options.Include.empty() || matchesAny(Options.Include, Kind, Path);
}

/// The name with the least edit distance to one of the globs that match
/// nothing, or "" if none is near.
static std::string nearestName(const std::vector<std::string> &Globs,
                               const std::set<std::string> &Names) {
  std::string Nearest;
  size_t Best = SIZE_MAX;
  for (std::string Glob : Globs) {
    if (std::any_of(Names.begin(), Names.end(), [&](const std::string &Name) {
          return fnmatch(Glob.c_str(), Name.c_str(), 0) == 0;
        }))
      continue;
    std::erase_if(Glob, [](char C) { return C == '*' || C == '?'; });
    size_t Limit = std::max<size_t>(2, Glob.size() / 3);
    for (const std::string &Name : Names) {
      size_t Distance = ComputeEditDistance(Glob.c_str(), Name.c_str(), Limit);
      if (Distance <= Limit && Distance < Best) {
        Best = Distance;
        Nearest = Name;
      }
    }
  }
  return Nearest;
}

static void appendOptions(std::string &Text, const char *Option,
                          const std::vector<std::string> &Globs) {
  for (const std::string &Glob : Globs)
    Text.append(" ").append(Option).append("='").append(Glob).append("'");
}

std::string describeNoMatch(const SiteOptions &Options,
                            const std::set<std::string> &Names) {
  std::string Text;
  auto IsIncluded = [&](const std::string &Name) {
    return matchesAny(Options.Include, Name, Name);
  };
  if (!Options.Exclude.empty() &&
      (Options.Include.empty() ||
       std::any_of(Names.begin(), Names.end(), IsIncluded))) {
    appendOptions(Text, "--exclude", Options.Exclude);
    Text.erase(0, 1).append(" leaves no site");
    if (!Options.Include.empty())
      Text.append(" of");
    appendOptions(Text, "--include", Options.Include);
    return Text;
  }
  Text = "no site matches";
  appendOptions(Text, "--include", Options.Include);
  appendOptions(Text, "--exclude", Options.Exclude);
  std::string Nearest = nearestName(Options.Include, Names);
  if (!Nearest.empty())
    Text.append("; did you mean ").append(Nearest).append("?");
  return Text;
}

} // namespace torchprof
