//===- GraphMaker.cpp - a well-typed graph for every input ----------------===//

#include "GraphMaker.h"

#include "GraphOperators.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/constants.h>

#include <map>

namespace torchprof::fuzz {

using namespace torch::jit;

namespace {

std::string someLetters(Choices &From, size_t Most) {
  std::string Some;
  for (size_t Left = From.below(Most + 1); Left; --Left)
    Some += From.of(Letters);
  return Some;
}

/// Something to call: a function, or the method `forward` of a class.
struct Callable {
  torch::jit::Function *Function = nullptr;
  c10::ClassTypePtr Class; ///< null for a function
  std::string Arguments;   ///< without self
  char Result = 'T';
  /// Of a class: names of its attributes and the modules in them.
  std::vector<std::pair<std::string, const Callable *>> Parts;
};

/// The values by type that can be used at a place.
using Visible = std::map<char, std::vector<Value *>>;

/// Makes one graph.
class GraphMaker {
public:
  GraphMaker(Choices &From, MadeGraph &Made,
             const std::vector<std::unique_ptr<Callable>> &Known,
             std::shared_ptr<Graph> Body)
      : From(From), Made(Made), Known(Known), Body(std::move(Body)) {}

  /// Gives the graph the inputs, the calls and the result of \p Of, or up to
  /// two results if it has none. Blocks are as if they lay in \p Depth others.
  void run(const Callable &Of, unsigned Depth) {
    Caller = &Of;
    if (Of.Class)
      Self = Body->addInput("self")->setType(Of.Class);
    Visible Values;
    for (char Letter : Of.Arguments)
      Values[Letter].push_back(Body->addInput()->setType(typeOf(Letter)));
    fill(Body->block(), Values, Depth);
    WithInsertPoint Guard(Body->block());
    if (Of.Result) {
      Body->registerOutput(pick(Of.Result, Values));
      return;
    }
    for (size_t Left = From.below(3); Left; --Left)
      Body->registerOutput(pick(From.of(Letters), Values));
  }

private:
  // Together they bound how long a graph runs when it is inlined.
  static constexpr unsigned MaxDepth = 3; ///< of loops and other blocks
  static constexpr unsigned MaxCalls = 2;
  static constexpr unsigned MaxNodes = 200; ///< besides those that pick() adds

  /// Adds nodes at the end of \p To, which begins to see what they make.
  void fill(Block *To, Visible &Values, unsigned Depth) {
    WithInsertPoint Guard(To);
    for (size_t Left = From.below(Depth ? 6 : 24); Left; --Left) {
      if (From.atEnd() || ++Nodes > MaxNodes)
        return;
      addNode(Values, Depth);
    }
  }

  void addNode(Visible &Values, unsigned Depth) {
    switch (From.below(16)) {
    default:
      return addOperator(From.of(Operators), Values);
    case 8:
      return addStack(Values);
    case 9:
      return addList(Values);
    case 10:
      return addTuple(Values);
    case 11:
      return Depth < MaxDepth ? addIf(Values, Depth) : addTuple(Values);
    case 12:
      return Depth < MaxDepth ? addLoop(Values, Depth) : addList(Values);
    case 13:
      return Depth < MaxDepth ? addFork(Values, Depth) : addStack(Values);
    case 14:
      return addCall(Values);
    case 15:
      if (From.oneIn(4))
        add("prim::RaiseException", {constant('s'), constant('n')}, "", Values);
      else
        Values['T'].push_back(
            add("aten::clone", {constant('T'), constant('n')}, "T", Values));
    }
  }

  /// Adds a node with results of these types and returns the first of them.
  Value *add(const char *Kind, const std::vector<Value *> &Inputs,
             const std::string &Results, Visible &Values) {
    Node *N = Body->insertNode(
        Body->create(Symbol::fromQualString(Kind), Inputs, Results.size()));
    describe(N);
    for (size_t I = 0; I < Results.size(); ++I) {
      N->output(I)->setType(typeOf(Results[I]));
      Values[Results[I]].push_back(N->output(I));
    }
    return Results.empty() ? nullptr : N->output(0);
  }

  /// Sometimes a place in a source, and a name.
  void describe(Node *N) {
    static const std::string Text =
        "def forward(self, x):\n    y = x.relu()\n    return y.add(x, 1)";
    size_t Way = From.below(8);
    // LibTorch's interpreter reads the source of a warning without a look.
    if (Way < 4 && N->kind() != aten::warn)
      return;
    auto Written =
        std::make_shared<Source>(Text, Way == 4 ? "" : "/a/model.py", Way);
    size_t Start = From.below(Text.size() + 1);
    N->setSourceRange(SourceRange(Written, Start,
                                  Start + From.below(Text.size() - Start + 1)));
    if (Way > 5 && !N->outputs().empty())
      N->output(0)->setDebugName(Way == 6 ? "y" : "y.1");
  }

  /// A value of the type: one that is there, a constant or a new container.
  Value *pick(char Letter, Visible &Values) {
    const std::vector<Value *> &There = Values[Letter];
    size_t Choice = From.byte();
    if (!There.empty() && Choice % 8 != 7)
      return There[There.size() - 1 - Choice % There.size()];
    switch (Letter) {
    case 'T': // a constant would keep what an operator in place does to it
      return add("aten::clone", {constant('T'), constant('n')}, "T", Values);
    case 'L':
      return add("prim::ListConstruct", {pick('T', Values)}, "L", Values);
    case 'l':
      return add("prim::ListConstruct", {pick('i', Values)}, "l", Values);
    case 'p':
      return add("prim::TupleConstruct", {pick('T', Values), pick('i', Values)},
                 "p", Values);
    case 'o':
      return Choice & 8 ? constant('o') : pick('T', Values);
    default:
      return constant(Letter);
    }
  }

  Value *constant(char Letter) {
    switch (Letter) {
    case 'T':
      return Body->insertConstant(at::full({2, 2}, 0.5));
    case 'i':
      return Body->insertConstant(int64_t(From.below(5)) - 1);
    case '0':
    case '1':
      return Body->insertConstant(int64_t(Letter - '0'));
    case 'f':
      return Body->insertConstant(double(From.below(4)) / 2);
    case 'b':
      return Body->insertConstant(From.below(2) == 1);
    case 'F':
      return Body->insertConstant(false);
    case 's':
      return Body->insertConstant(std::string(From.oneIn(2) ? "a\"\n" : ""));
    case 'o': {
      Value *None = Body->insertConstant(c10::IValue());
      return None->setType(typeOf('o'));
    }
    default:
      return Body->insertConstant(c10::IValue());
    }
  }

  std::vector<Value *> pickAll(const std::string &Wanted, Visible &Values) {
    std::vector<Value *> Picked;
    for (char Letter : Wanted)
      Picked.push_back(Letters.find(Letter) != Letters.npos
                           ? pick(Letter, Values)
                           : constant(Letter));
    return Picked;
  }

  void addOperator(const OperatorRow &Row, Visible &Values) {
    add(Row.Kind, pickAll(Row.Arguments, Values), Row.Results, Values);
  }

  void addStack(Visible &Values) {
    Visible Hidden;
    Value *Stacked =
        add("aten::stack", {pick('L', Values), constant('0')}, "T", Hidden);
    Value *Dimensions =
        add("prim::ListConstruct", {constant('0')}, "l", Values);
    add("aten::amax", {Stacked, Dimensions, constant('F')}, "T", Values);
  }

  void addList(Visible &Values) {
    char Element = From.oneIn(2) ? 'T' : 'i';
    std::string List(1, Element == 'T' ? 'L' : 'l');
    if (From.oneIn(4)) {
      add("prim::ListUnpack", {pick(List[0], Values)},
          std::string(From.below(3), Element), Values);
      return;
    }
    add("prim::ListConstruct",
        pickAll(std::string(From.below(4), Element), Values), List, Values);
  }

  void addTuple(Visible &Values) {
    Value *Pair = pick('p', Values);
    if (From.oneIn(2))
      add("prim::TupleUnpack", {Pair}, "Ti", Values);
    else if (From.oneIn(2))
      add("prim::TupleIndex", {Pair, constant('1')}, "i", Values);
    else
      add("prim::TupleConstruct", {pick('T', Values), pick('i', Values)}, "p",
          Values);
  }

  void giveOutputs(Block *To, const std::string &Wanted, Visible &Values) {
    WithInsertPoint Guard(To);
    for (Value *Picked : pickAll(Wanted, Values))
      To->registerOutput(Picked);
  }

  /// Adds a node whose blocks are filled afterwards.
  Node *addControl(Symbol Kind, const std::vector<Value *> &Inputs,
                   const std::string &Results) {
    Node *N = Body->insertNode(Body->create(Kind, Inputs, Results.size()));
    describe(N);
    for (size_t I = 0; I < Results.size(); ++I)
      N->output(I)->setType(typeOf(Results[I]));
    return N;
  }

  static void show(Node *N, const std::string &Results, Visible &Values) {
    for (size_t I = 0; I < Results.size(); ++I)
      Values[Results[I]].push_back(N->output(I));
  }

  void addIf(Visible &Values, unsigned Depth) {
    std::string Results = someLetters(From, 3);
    Node *N = addControl(prim::If, {pick('b', Values)}, Results);
    for (unsigned Arm = 0; Arm < 2; ++Arm) {
      Visible Inner = Values;
      Block *To = N->addBlock();
      fill(To, Inner, Depth + 1);
      giveOutputs(To, Results, Inner);
    }
    show(N, Results, Values);
  }

  void addLoop(Visible &Values, unsigned Depth) {
    std::string Carried = someLetters(From, 2);
    std::vector<Value *> Inputs = {Body->insertConstant(int64_t(From.below(4))),
                                   pick('b', Values)};
    for (Value *Picked : pickAll(Carried, Values))
      Inputs.push_back(Picked);
    Node *N = addControl(prim::Loop, Inputs, Carried);
    Visible Inner = Values;
    Block *To = N->addBlock();
    Inner['i'].push_back(To->addInput()->setType(typeOf('i')));
    for (char Letter : Carried)
      Inner[Letter].push_back(To->addInput()->setType(typeOf(Letter)));
    fill(To, Inner, Depth + 1);
    giveOutputs(To, "b" + Carried, Inner);
    show(N, Carried, Values);
  }

  /// A fork of a graph of its own, which is waited for or not.
  void addFork(Visible &Values, unsigned Depth) {
    Made.HasForks = true;
    Callable Of;
    Of.Arguments = someLetters(From, 3);
    auto Forked = std::make_shared<Graph>();
    Node *N = addControl(prim::fork, pickAll(Of.Arguments, Values), "T");
    GraphMaker Maker(From, Made, Known, Forked);
    Maker.Nodes = Nodes;
    Maker.Calls = Calls;
    Maker.run(Of, Depth + 1);
    Nodes = Maker.Nodes;
    Calls = Maker.Calls;
    N->g_(attr::Subgraph, Forked);
    N->output()->setType(c10::FutureType::create(typeOf(Of.Result)));
    if (!From.oneIn(4))
      add("aten::wait", {N->output()}, "T", Values);
  }

  void addCall(Visible &Values) {
    std::vector<std::pair<std::string, const Callable *>> All = Caller->Parts;
    for (const auto &Other : Known)
      if (!Other->Class)
        All.emplace_back("", Other.get());
    if (All.empty() || ++Calls > MaxCalls)
      return addOperator(From.of(Operators), Values);
    const auto &[Name, Callee] = From.of(All);
    std::vector<Value *> Inputs = pickAll(Callee->Arguments, Values);
    std::string Results(1, Callee->Result);
    Value *First;
    if (Callee->Class) {
      First = Body->insertGetAttr(Self, Name);
    } else {
      Node *Constant = Body->insertNode(Body->create(prim::Constant));
      Constant->s_(attr::name, Callee->Function->name());
      First = Constant->output()->setType(
          c10::FunctionType::create(Callee->Function));
    }
    Inputs.insert(Inputs.begin(), First);
    Node *N = addControl(Callee->Class ? prim::CallMethod : prim::CallFunction,
                         Inputs, Results);
    if (Callee->Class)
      N->s_(attr::name, "forward");
    show(N, Results, Values);
  }

  Choices &From;
  MadeGraph &Made;
  const std::vector<std::unique_ptr<Callable>> &Known;
  std::shared_ptr<Graph> Body;
  const Callable *Caller = nullptr;
  Value *Self = nullptr;
  unsigned Nodes = 0, Calls = 0;
};

/// A class of a module that may have modules of all classes in \p Known.
void makeClass(Choices &From, MadeGraph &Made, const std::string &Name,
               const std::vector<std::unique_ptr<Callable>> &Known,
               Callable &New) {
  New.Class = c10::ClassType::create(c10::QualifiedName("__torch__." + Name),
                                     Made.Unit, /*is_module=*/true);
  Made.Unit->register_type(New.Class);
  for (const auto &Other : Known) {
    if (!Other->Class || From.oneIn(4))
      continue;
    std::string Attribute = "part" + std::to_string(New.Parts.size());
    New.Class->addAttribute(Attribute, Other->Class);
    New.Parts.emplace_back(Attribute, Other.get());
  }
}

/// Adds to \p Known what may call all that is there.
void makeCallable(Choices &From, MadeGraph &Made, bool IsClass,
                  std::vector<std::unique_ptr<Callable>> &Known) {
  auto New = std::make_unique<Callable>();
  New->Arguments = From.oneIn(2) ? "Ti" : "T";
  New->Result = From.of(Letters);
  std::string Name = "Class" + std::to_string(Known.size());
  if (IsClass)
    makeClass(From, Made, Name, Known, *New);
  auto Body = std::make_shared<Graph>();
  // Only the root has loops in loops.
  GraphMaker(From, Made, Known, Body).run(*New, 2);
  New->Function = Made.Unit->create_function(
      c10::QualifiedName("__torch__." + Name + ".forward"), Body);
  if (IsClass)
    New->Class->addMethod(New->Function);
  Known.push_back(std::move(New));
}

c10::IValue makeObject(const MadeGraph &Made, const c10::ClassTypePtr &Class) {
  auto Object = c10::ivalue::Object::create(
      c10::StrongTypePtr(Made.Unit, Class), Class->numAttributes());
  for (size_t I = 0; I < Class->numAttributes(); ++I)
    Object->setSlot(
        I, makeObject(Made, Class->getAttribute(I)->expect<c10::ClassType>()));
  return Object;
}

} // namespace

MadeGraph makeGraph(Choices &From) {
  MadeGraph Made;
  Made.Unit = std::make_shared<CompilationUnit>();
  Made.Body = std::make_shared<Graph>();
  std::vector<std::unique_ptr<Callable>> Known;
  for (size_t Left = From.below(2); Left; --Left)
    makeCallable(From, Made, /*IsClass=*/false, Known);
  for (size_t Left = From.below(4); Left; --Left)
    makeCallable(From, Made, /*IsClass=*/true, Known);
  Callable Root;
  Root.Arguments = "Tib" + someLetters(From, 2);
  Root.Result = 0;
  if (!Known.empty() && Known.back()->Class)
    makeClass(From, Made, "Root", Known, Root);
  Made.Self = Root.Class;
  GraphMaker(From, Made, Known, Made.Body).run(Root, 0);
  return Made;
}

std::vector<c10::IValue> makeInputs(const MadeGraph &Made) {
  std::vector<c10::IValue> Inputs;
  for (const Value *Input : Made.Body->inputs()) {
    const c10::TypePtr &Type = Input->type();
    switch (Type->kind()) {
    case c10::TypeKind::ClassType:
      Inputs.push_back(makeObject(Made, Made.Self));
      break;
    case c10::TypeKind::TensorType:
      Inputs.push_back(at::arange(4, at::kFloat).reshape({2, 2}));
      break;
    case c10::TypeKind::IntType:
      Inputs.push_back(int64_t(2));
      break;
    case c10::TypeKind::FloatType:
      Inputs.push_back(0.5);
      break;
    case c10::TypeKind::BoolType:
      Inputs.push_back(true);
      break;
    case c10::TypeKind::StringType:
      Inputs.push_back("text");
      break;
    case c10::TypeKind::TupleType:
      Inputs.push_back(
          c10::ivalue::Tuple::create(at::arange(2, at::kFloat), int64_t(1)));
      break;
    case c10::TypeKind::ListType:
      if (Type->containedType(0)->kind() == c10::TypeKind::TensorType)
        Inputs.push_back(c10::List<at::Tensor>({at::ones({2, 2})}));
      else
        Inputs.push_back(c10::List<int64_t>({2, 2}));
      break;
    default: // an optional tensor
      Inputs.push_back(c10::IValue());
    }
  }
  return Inputs;
}

} // namespace torchprof::fuzz
