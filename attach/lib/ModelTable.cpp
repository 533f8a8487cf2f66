//===- ModelTable.cpp - the models of a process and their tags ------------===//

#include "ModelTable.h"

#include "AutocastState.h"
#include "SiteChoice.h"
#include "torch/Attach.h"
#include "torch/TableLock.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <set>
#include <unordered_set>
#include <utility>

namespace torchprof {

using namespace torch::jit;

namespace {

/// Tags of a class's methods.
struct ClassTags {
  /// By the function's name: of the class's own methods once it was numbered,
  /// and of those that another model calls through an interface.
  std::unordered_map<std::string, MethodTags> ByName;
  bool AreComplete = false; ///< the class was numbered
};

/// What is known of a class. It is held, so that its address stays its own,
/// until nobody else holds it.
struct KnownClass {
  struct Part {
    std::string Path;
    std::weak_ptr<c10::ClassType> Class;
  };

  c10::ClassTypePtr Class;
  /// The host has had an object of it in hand.
  bool IsNoted = false;
  /// The modules within that object, if the class calls any through an
  /// interface; not the object itself, for even a weak pointer would keep its
  /// weights. Classes may be each other's parts: none holds another.
  std::vector<Part> Parts;
  ClassTags Methods;
  ClassTags Originals; ///< the same of those of instrumented methods
  /// Methods that have an executor with tags, and its state of autocast.
  std::set<std::pair<std::string, unsigned>> Tagged;
};

/// Classes that still have their methods: a class does not hold them.
struct HeldClasses {
  std::vector<NamedClass> Classes;
  std::vector<std::shared_ptr<const CompilationUnit>> Units;

  void add(const std::string &Path, const c10::ClassTypePtr &Class) {
    auto Unit = Class ? Class->compilation_unit() : nullptr;
    if (!Unit)
      return;
    Classes.push_back({Path, Class});
    Units.push_back(std::move(Unit));
  }
};

/// True if a module of class \p Class has an attribute of an interface type, or
/// one of its parts has.
bool hasInterfaces(const c10::ClassType &Class,
                   std::unordered_set<const c10::ClassType *> &Seen) {
  if (!Seen.insert(&Class).second)
    return false;
  for (size_t I = 0; I < Class.numAttributes(); ++I) {
    c10::TypePtr Type = Class.getAttribute(I);
    if (Type->kind() == c10::TypeKind::InterfaceType)
      return true;
    if (auto Part = Type->cast<c10::ClassType>();
        Part && hasInterfaces(*Part, Seen))
      return true;
  }
  return false;
}

MethodTags tagsOfMethod(const NumberedMethods &Numbered, size_t I) {
  // Roots are in the order of the methods.
  const SiteNumbering &N = Numbered.Numbering;
  uint32_t Root = 0;
  while (N.RootGraph[Root] != Numbered.Methods[I].Body.get())
    ++Root;
  return {format::SiteId(N.Table.ModelId, Root),
          NodeTable::ofMethod(Numbered, I)};
}

/// What numbering a class tells of its methods, and of those of its parts.
struct OwnedTags {
  c10::ClassTypePtr Owner;
  std::string Name;
  MethodTags Tags;
};

std::vector<OwnedTags> tagsOfMethods(const NumberedMethods &Numbered) {
  std::vector<OwnedTags> All;
  for (size_t I = 0; I < Numbered.Methods.size(); ++I) {
    const MethodGraph &Method = Numbered.Methods[I];
    All.push_back({Method.Owner, Method.Name, tagsOfMethod(Numbered, I)});
  }
  return All;
}

/// What \p Number returns, after noting which filters of \p Choice fit it.
template <typename Function>
NumberedMethods noting(const InstrumentOptions &Choice, Function Number) {
  try {
    NumberedMethods Numbered = Number();
    noteFilters(Choice, Numbered.Numbering);
    return Numbered;
  } catch (const InstrumentError &) {
    noteUnknownFilters();
    throw;
  }
}

/// Numbers the methods of a class and registers the model. Nothing if it is not
/// to be profiled.
std::vector<OwnedTags> number(const c10::ClassTypePtr &Class,
                              const std::vector<NamedClass> &Parts) {
  std::optional<InstrumentOptions> Choice = chooseSites(*Class);
  if (!Choice)
    return {};
  NumberedMethods Numbered =
      noting(*Choice, [&] { return numberClass(Class, Parts, *Choice); });
  registerModel(printManifest(Numbered.Numbering.Table));
  return tagsOfMethods(Numbered);
}

/// The same for the originals of an instrumented class of the model \p Id.
std::vector<OwnedTags> numberOriginals(const c10::ClassTypePtr &Class,
                                       const std::vector<NamedClass> &Parts,
                                       uint64_t Id) {
  std::optional<InstrumentOptions> Choice = sitesOfModel(Id);
  if (!Choice)
    return {};
  return tagsOfMethods(torchprof::numberOriginals(Class, Parts, *Choice));
}

class ModelTable {
public:
  static ModelTable &get() {
    static auto &Table = *new ModelTable; // outlives the host's exit handlers
    return Table;
  }

  void noteOwner(const c10::intrusive_ptr<c10::ivalue::Object> &Object) {
    c10::ClassTypePtr Class = Object->type();
    if (isNoted(*Class))
      return;
    std::vector<KnownClass::Part> Parts;
    std::unordered_set<const c10::ClassType *> Seen;
    if (hasInterfaces(*Class, Seen))
      for (const NamedClass &Part : namedClasses(Module(Object)))
        if (!Part.Path.empty())
          Parts.push_back({Part.Path, Part.Class});
    TableLock Lock;
    KnownClass &Known = find(Class);
    if (Known.Parts.empty())
      Known.Parts = std::move(Parts);
    Known.IsNoted = true;
  }

  std::optional<MethodTags> tagsOf(const c10::ClassTypePtr &Class,
                                   const std::string &Name) {
    std::optional<MethodTags> Tags =
        findOrNumber(Class, Name, &KnownClass::Methods,
                     [&](const auto &Parts) { return number(Class, Parts); });
    TableLock Lock;
    if (Tags)
      find(Class).Tagged.emplace(Name, autocastState());
    return Tags;
  }

  std::optional<MethodTags> tagsOfOriginal(const c10::ClassTypePtr &Class,
                                           const std::string &Name,
                                           format::SiteId Root) {
    std::optional<MethodTags> Tags = findOrNumber(
        Class, Name, &KnownClass::Originals, [&](const auto &Parts) {
          return numberOriginals(Class, Parts, Root.model());
        });
    if (Tags && Tags->Root != Root)
      return std::nullopt;
    return Tags;
  }

  bool wasTagged(const c10::ClassTypePtr &Class, const std::string &Name) {
    TableLock Lock;
    auto It = Classes.find(Class.get());
    return It != Classes.end() &&
           It->second.Tagged.count({Name, autocastState()});
  }

  /// Changes when a class was forgotten.
  uint64_t generation() const {
    return Generation.load(std::memory_order_acquire);
  }

private:
  bool isNoted(const c10::ClassType &Class) {
    TableLock Lock;
    auto It = Classes.find(&Class);
    return It != Classes.end() && It->second.IsNoted;
  }

  KnownClass &find(const c10::ClassTypePtr &Class) {
    auto It = Classes.find(Class.get());
    if (It != Classes.end())
      return It->second;
    forgetDead();
    KnownClass &Known = Classes[Class.get()];
    Known.Class = Class;
    return Known;
  }

  void forgetDead() {
    if (std::erase_if(Classes, [](const auto &Row) {
          return Row.second.Class.use_count() == 1;
        }))
      Generation.fetch_add(1, std::memory_order_release);
  }

  /// The tags of a method. A class that was not numbered yet is, by \p Number
  /// and without the lock, for that can take long: of two threads that number
  /// it at the same time, each comes to the same tags, and so does a child that
  /// was forked meanwhile.
  template <typename Numberer>
  std::optional<MethodTags>
  findOrNumber(const c10::ClassTypePtr &Class, const std::string &Name,
               ClassTags KnownClass::*Which, Numberer Number) {
    HeldClasses Parts;
    if (!isKnown(Class, Name, Which, Parts)) {
      std::vector<OwnedTags> Numbered;
      try {
        Numbered = Number(Parts.Classes);
      } catch (...) {
        publish(Class, {}, Which); // it is not tried again
        throw;
      }
      publish(Class, Numbered, Which);
    }
    TableLock Lock;
    const ClassTags &Tags = find(Class).*Which;
    auto It = Tags.ByName.find(Name);
    return It == Tags.ByName.end() ? std::nullopt : std::optional(It->second);
  }

  /// True if the tags are known; else \p Parts is what to number.
  bool isKnown(const c10::ClassTypePtr &Class, const std::string &Name,
               ClassTags KnownClass::*Which, HeldClasses &Parts) {
    TableLock Lock;
    const KnownClass &Known = find(Class);
    const ClassTags &Tags = Known.*Which;
    if (Tags.AreComplete || Tags.ByName.count(Name))
      return true;
    Parts.add("", Class);
    for (const KnownClass::Part &Part : Known.Parts)
      Parts.add(Part.Path, Part.Class.lock());
    return false;
  }

  void publish(const c10::ClassTypePtr &Class,
               const std::vector<OwnedTags> &Numbered,
               ClassTags KnownClass::*Which) {
    TableLock Lock;
    if (std::exchange((find(Class).*Which).AreComplete, true))
      return; // another thread was first, and may use what it has published
    for (const OwnedTags &Method : Numbered)
      (find(Method.Owner).*Which)
          .ByName.insert_or_assign(Method.Name, Method.Tags);
  }

  std::unordered_map<const c10::ClassType *, KnownClass> Classes;
  std::atomic<uint64_t> Generation{1};
};

} // namespace

/// Warns, unless this text was said before.
static void warnOnce(const std::string &Text) {
  static auto &Said = *new std::set<std::string>;
  {
    TableLock Lock;
    if (!Said.insert(Text).second)
      return;
  }
  warnOfAttach(Text);
}

void noteOwner(const c10::intrusive_ptr<c10::ivalue::Object> &Object) {
  // A host in C++ asks for the method at each call: what the thread has seen
  // lately takes no lock. A class that is seen cannot give its address to
  // another before the generation changes.
  struct Seen {
    const c10::ClassType *Class;
    uint64_t Generation;
    bool operator==(const Seen &) const = default;
  };
  static thread_local Seen Recent[8];
  static thread_local unsigned Next = 0;
  const Seen Here = {Object->type().get(), ModelTable::get().generation()};
  if (std::find(std::begin(Recent), std::end(Recent), Here) != std::end(Recent))
    return;
  ModelTable::get().noteOwner(Object);
  Recent[Next++ % std::size(Recent)] = Here;
}

std::optional<MethodTags> tagsOfOriginal(const c10::ClassTypePtr &Class,
                                         const std::string &Name,
                                         format::SiteId Root) {
  try {
    return ModelTable::get().tagsOfOriginal(Class, Name, Root);
  } catch (const InstrumentError &) {
    return std::nullopt; // its probes become tags
  }
}

static bool isAskedFor(const InstrumentOptions &Choice,
                       const std::string &Name) {
  return Choice.Methods.empty() ||
         std::find(Choice.Methods.begin(), Choice.Methods.end(), Name) !=
             Choice.Methods.end();
}

void warnOfWrapper(const c10::ClassType &Class, const std::string &Name) {
  // Of an instrumented class it was chosen which methods have sites.
  if (Class.hasAttribute(ManifestAttribute))
    return;
  std::optional<InstrumentOptions> Choice = chooseSites(Class);
  if (Choice && isAskedFor(*Choice, Name))
    warnOnce((Class.name() ? Class.name()->name() : Name) +
             " is not profiled, but for the instrumented models in it; wrap "
             "their originals, or strip their files first");
}

bool wasTagged(const c10::ClassTypePtr &Class, const std::string &Name) {
  return ModelTable::get().wasTagged(Class, Name);
}

/// True for the methods that a with statement calls.
static bool isWithMethod(const std::string &Name) {
  return Name == "__enter__" || Name == "__exit__";
}

/// A function without a class is a model of its own.
static std::optional<MethodTags>
tagsOfFunction(const std::shared_ptr<Graph> &Body, const std::string &Name) {
  std::optional<InstrumentOptions> Choice = chooseSites(Name);
  if (!Choice)
    return std::nullopt;
  MethodGraph Function;
  Function.Name = Name;
  for (const Value *Input : Body->inputs())
    Function.Signature.append(Function.Signature.empty() ? "" : ", ")
        .append(Input->hasDebugName() ? Input->debugNameBase() : "?");
  Function.Body = Body->copy();
  NumberedMethods Numbered = noting(*Choice, [&] {
    return numberMethods({std::move(Function)}, *Choice, Name);
  });
  registerModel(printManifest(Numbered.Numbering.Table));
  return tagsOfMethod(Numbered, 0);
}

/// True if a state method runs on this thread, which is about to call another
/// function. While LibTorch loads an object it inlines nothing into its
/// __setstate__, so that what this one calls has an executor of its own.
static bool isInStateMethod() {
  std::vector<StackEntry> Calls = currentCallstack();
  return std::any_of(Calls.begin(), Calls.end(), [](const StackEntry &Call) {
    return isStateMethod(Call.filename); // the name of the function
  });
}

std::optional<MethodTags> tagsOf(const std::shared_ptr<Graph> &Body,
                                 const std::string &Name) {
  c10::ClassTypePtr Class;
  if (!Body->inputs().empty())
    Class = Body->inputs()[0]->type()->cast<c10::ClassType>();
  if (Class && !isOwnFunction(*Class, Name))
    Class = nullptr;
  // LibTorch runs these while it loads or saves the object, which may be a
  // model that the host has not had in hand yet. What they call is no run of a
  // model either.
  if ((Class && isStateMethod(Name)) || isInStateMethod())
    return std::nullopt;
  // They run in nodes of their callers. A class such as no_grad's serves many
  // models, none of which it belongs to.
  if (Class && !Class->is_module() && isWithMethod(Name))
    return std::nullopt;
  // Of an instrumented class it was chosen which methods have sites: those that
  // have probes.
  if (Class && Class->hasAttribute(ManifestAttribute))
    return std::nullopt;
  try {
    return Class ? ModelTable::get().tagsOf(Class, Name)
                 : tagsOfFunction(Body, Name);
  } catch (const InstrumentError &Error) {
    std::string Who = Class && Class->name() ? Class->name()->name() : Name;
    warnOnce(Who + " is not profiled: " + Error.what());
    return std::nullopt;
  }
}

} // namespace torchprof
