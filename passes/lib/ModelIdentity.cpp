//===- ModelIdentity.cpp - the number that stands for a model -------------===//
//
// LibTorch has many graphs for one model. Copying, saving and loading renumber
// and rename values, mangle class names, turn constant lists into nodes that
// construct them, and move constants and attributes to their uses. So this
// printer writes no names of values. A constant or an attribute is written at
// its first use, equal ones only once; all other nodes keep their order.
//
// torch::jit::Canonicalize does less: it keeps names inside blocks and the
// positions of constants.
//
//===----------------------------------------------------------------------===//

#include "ModelIdentity.h"

#include "torchprof/GraphAccess.h"
#include "torchprof/format/Site.h"

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/constants.h>

#include <algorithm>
#include <cstdio>

namespace torchprof {

using namespace torch::jit;

namespace {

/// Cuts every qualified class name "__torch__.a.b.Name" in \p Text to "Name":
/// the rest is the Python module, that is the file, and a mangle.
std::string withoutQualifiers(const std::string &Text) {
  static const std::string Start = "__torch__.";
  auto IsName = [](char C) { return isalnum(C) || C == '_' || C == '.'; };
  std::string Result;
  for (size_t I = 0; I < Text.size();) {
    size_t Found = Text.find(Start, I);
    if (Found == std::string::npos)
      return Result + Text.substr(I);
    Result += Text.substr(I, Found - I);
    I = Found + Start.size();
    size_t Name = I;
    for (; I < Text.size() && IsName(Text[I]); ++I)
      if (Text[I] == '.')
        Name = I + 1;
    Result += Text.substr(Name, I - Name);
  }
  return Result;
}

/// The name of a type, without the shapes that tracing and profiling add to
/// tensors.
std::string typeText(const c10::TypePtr &Type) {
  return withoutQualifiers(Type->annotation_str());
}

std::string exactText(double Value) {
  char Buffer[32];
  std::snprintf(Buffer, sizeof(Buffer), "%a", Value);
  return Buffer;
}

/// With its length, so that no text can pass for several.
std::string quoted(const std::string &Text) {
  std::string Result = std::to_string(Text.size());
  Result.append("'").append(Text).append("'");
  return Result;
}

/// A tensor's type and shape; its values are weights.
std::string tensorText(const at::Tensor &Tensor) {
  if (!Tensor.defined())
    return "tensor";
  std::string Text("tensor ");
  Text.append(c10::toString(Tensor.scalar_type()));
  for (int64_t Size : Tensor.sizes())
    Text.append(" ").append(std::to_string(Size));
  return Text;
}

std::string valueText(const c10::IValue &Value) {
  if (Value.isNone())
    return "None";
  if (Value.isTensor())
    return tensorText(Value.toTensor());
  if (Value.isInt())
    return std::to_string(Value.toInt());
  if (Value.isBool())
    return Value.toBool() ? "True" : "False";
  if (Value.isDouble())
    return exactText(Value.toDouble());
  if (Value.isComplexDouble())
    return exactText(Value.toComplexDouble().real()) + "+" +
           exactText(Value.toComplexDouble().imag()) + "j";
  if (Value.isString())
    return quoted(Value.toStringRef());
  if (Value.isDevice())
    return Value.toDevice().str();
  if (Value.isList() || Value.isTuple()) {
    std::string Text = Value.isList() ? "[" : "(";
    if (Value.isList())
      for (const c10::IValue &Part : Value.toListRef())
        Text += valueText(Part) + ",";
    else
      for (const c10::IValue &Part : Value.toTupleRef().elements())
        Text += valueText(Part) + ",";
    return Text + (Value.isList() ? "]" : ")");
  }
  // The contents of objects and dictionaries count as weights.
  return typeText(Value.type());
}

class CodeWriter {
public:
  explicit CodeWriter(std::string &Out) : Out(Out) {}

  void write(const Graph &G) {
    writeBlock(*G.block());
    Out += '\n';
  }

private:
  /// The number of a value. Writes a constant or an attribute at its first use.
  unsigned numberOf(const Value *V) {
    auto It = Numbers.find(V);
    if (It != Numbers.end())
      return It->second;
    std::string Text = isFetched(V->node()) ? fetchText(V->node()) : "?";
    auto [Known, IsNew] = Fetched.try_emplace(Text, Next);
    if (IsNew) {
      ++Next;
      Out += std::to_string(Known->second) + "=" + Text + "\n";
    }
    return Numbers[V] = Known->second;
  }

  static bool isConstant(const Value *V) {
    return V->node()->kind() == prim::Constant;
  }

  /// A constant list becomes a node when the model is saved and loaded.
  static bool isConstantList(const Node *N) {
    return N->kind() == prim::ListConstruct && !N->inputs().empty() &&
           std::all_of(N->inputs().begin(), N->inputs().end(), isConstant);
  }

  static bool isFetched(const Node *N) {
    return N->kind() == prim::Constant || N->kind() == prim::GetAttr ||
           isConstantList(N);
  }

  static std::string constantText(const Value *V) {
    auto Constant = toIValue(V);
    return Constant ? valueText(*Constant) : typeText(V->type());
  }

  std::string fetchText(const Node *N) {
    if (N->kind() == prim::Constant)
      return constantText(N->output());
    if (N->kind() == prim::GetAttr)
      return std::to_string(numberOf(N->input(0))) + "." + N->s(attr::name);
    std::string Text = "[";
    for (const Value *Input : N->inputs())
      Text += constantText(Input) + ",";
    return Text + "]";
  }

  std::string attributeText(const Node *N, Symbol Name) {
    switch (N->kindOf(Name)) {
    case AttributeKind::f:
      return exactText(N->f(Name));
    case AttributeKind::i:
      return std::to_string(N->i(Name));
    case AttributeKind::s:
      return quoted(N->s(Name));
    case AttributeKind::t:
      return tensorText(N->t(Name));
    case AttributeKind::is:
      return valueText(c10::IValue(N->is(Name)));
    case AttributeKind::ss: {
      std::string Text;
      for (const std::string &Part : N->ss(Name))
        Text += quoted(Part) + ",";
      return Text;
    }
    case AttributeKind::ty:
      return typeText(N->ty(Name));
    case AttributeKind::tys: {
      std::string Text;
      for (const c10::TypePtr &Part : N->tys(Name))
        Text += typeText(Part) + ",";
      return Text;
    }
    case AttributeKind::ival:
      return valueText(N->ival(Name));
    default: // graphs are written as code
      return toString(N->kindOf(Name));
    }
  }

  std::string attributesText(const Node *N) {
    std::vector<std::string> Texts;
    for (Symbol Name : N->attributeNames())
      if (Name != attr::warn_id) // counts through the process
        Texts.push_back(std::string(Name.toUnqualString()) + "=" +
                        attributeText(N, Name));
    std::sort(Texts.begin(), Texts.end());
    std::string All;
    for (const std::string &Text : Texts)
      All.append(" ").append(Text);
    return All;
  }

  void define(const Value *V) {
    Numbers[V] = Next;
    Out.append(" ").append(std::to_string(Next++)).append(":");
    Out.append(typeText(V->type()));
  }

  /// The numbers of \p Values; writes constants and attributes first.
  template <typename List> std::string uses(const List &Values) {
    std::string Text;
    for (const Value *V : Values)
      Text.append(" ").append(std::to_string(numberOf(V)));
    return Text;
  }

  void writeBlock(const Block &Body) {
    Out += "{";
    for (const Value *Input : Body.inputs())
      define(Input);
    Out += '\n';
    for (const Node *N : Body.nodes())
      if (!isFetched(N))
        writeNode(N);
    std::string Returned = uses(Body.outputs());
    Out.append("return").append(Returned).append("}");
  }

  void writeNode(const Node *N) {
    std::string Inputs = uses(N->inputs());
    Out += N->kind().toQualString();
    if (const c10::FunctionSchema *Schema = N->maybeSchema())
      Out.append(".").append(Schema->overload_name());
    Out += Inputs + attributesText(N) + " ->";
    for (const Value *Output : N->outputs())
      define(Output);
    for (const Block *Inner : N->blocks())
      writeBlock(*Inner);
    if (const Graph *Forked = forkedGraph(N))
      writeBlock(*Forked->block());
    Out += '\n';
  }

  std::string &Out;
  unsigned Next = 0;
  std::unordered_map<const Value *, unsigned> Numbers;
  std::unordered_map<std::string, unsigned> Fetched;
};

/// Writes the sites and the calls around them. Calls without sites are left
/// out: LibTorch may have removed their nodes or not.
class SiteWriter {
public:
  SiteWriter(std::string &Out, const Manifest &Table)
      : Out(Out), Table(Table), ScopeNumbers(Table.Scopes.size(), NoIndex) {}

  void write() {
    for (const ManifestSite &Site : Table.Sites) {
      uint32_t Scope = numberOf(Site.Scope);
      number(Site.Parent);
      text(Site.Kind);
      text(Site.Overload);
      number(Scope);
      number(Site.Flags & NumberedFlags);
      Out += '\n';
    }
  }

private:
  /// SF_Vanished is found out later, SF_Method comes from the source's text.
  static constexpr uint32_t NumberedFlags =
      SF_Root | SF_Module | SF_Async | SF_Control;

  uint32_t numberOf(uint32_t Index) {
    if (Index == NoIndex || ScopeNumbers[Index] != NoIndex)
      return Index == NoIndex ? NoIndex : ScopeNumbers[Index];
    const ManifestScope &Scope = Table.Scopes[Index];
    uint32_t Parent = numberOf(Scope.Parent);
    Out += "scope ";
    number(Parent);
    text(Scope.Module);
    text(Scope.Class);
    text(Scope.Function);
    Out += '\n';
    return ScopeNumbers[Index] = NextScope++;
  }

  void number(uint32_t Number) {
    Out += Number == NoIndex ? "- " : std::to_string(Number) + " ";
  }

  void text(uint32_t String) {
    Out += quoted(withoutQualifiers(Table.string(String))) + " ";
  }

  std::string &Out;
  const Manifest &Table;
  std::vector<uint32_t> ScopeNumbers;
  uint32_t NextScope = 0;
};

void writeList(std::string &Out, const char *Key,
               std::vector<std::string> Values) {
  std::sort(Values.begin(), Values.end());
  Values.erase(std::unique(Values.begin(), Values.end()), Values.end());
  Out += Key;
  for (const std::string &Value : Values)
    Out.append(" ").append(quoted(Value));
  Out += '\n';
}

} // namespace

std::string identityText(const std::vector<MethodGraph> &Methods,
                         const Manifest &Table,
                         const InstrumentOptions &Options) {
  std::string Out;
  Out += Options.Nodes == NodeChoice::All ? "all\n" : "default\n";
  Out += Options.Level == Granularity::Module ? "module\n" : "op\n";
  writeList(Out, "include", Options.Include);
  writeList(Out, "exclude", Options.Exclude);
  writeList(Out, "methods", Options.Methods);
  for (const MethodGraph &Method : Methods) {
    Out += quoted(Method.Name) + quoted(Method.Signature) +
           quoted(Method.Class) + quoted(Method.Instance);
    CodeWriter(Out).write(*Method.Body);
  }
  SiteWriter(Out, Table).write();
  return Out;
}

uint64_t modelIdentity(const std::vector<MethodGraph> &Methods,
                       const Manifest &Table,
                       const InstrumentOptions &Options) {
  uint64_t Hash = hashText(identityText(Methods, Table, Options));
  // Fold, so that every bit of the hash counts.
  Hash = (Hash ^ (Hash >> format::ModelIdBits)) &
         ((uint64_t(1) << format::ModelIdBits) - 1);
  return Hash ? Hash : 1;
}

} // namespace torchprof
