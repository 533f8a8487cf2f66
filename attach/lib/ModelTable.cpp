//===- ModelTable.cpp - the models of a process and their tags ------------===//

#include "ModelTable.h"

#include "SiteChoice.h"
#include "torch/Attach.h"

#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <set>
#include <unordered_set>

namespace torchprof {

using namespace torch::jit;

namespace {

using TagsByName = std::unordered_map<std::string, MethodTags>;

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
  /// Tags by the function's name: of the class's own methods once it was
  /// numbered, and of those that another model calls through an interface.
  TagsByName Methods;
  TagsByName Originals;         ///< the same of those of instrumented methods
  std::set<std::string> Tagged; ///< methods that have an executor with tags
  bool IsNumbered = false;
  bool OriginalsAreNumbered = false;
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
    std::lock_guard<std::mutex> Guard(Lock);
    KnownClass &Known = find(Class);
    if (Known.Parts.empty())
      Known.Parts = std::move(Parts);
    Known.IsNoted = true;
  }

  std::optional<MethodTags> tagsOf(const c10::ClassTypePtr &Class,
                                   const std::string &Name) {
    std::string Text;
    std::optional<MethodTags> Result;
    {
      std::lock_guard<std::mutex> Guard(Lock);
      KnownClass &Known = find(Class);
      auto It = Known.Methods.find(Name);
      if (It == Known.Methods.end() && !Known.IsNumbered) {
        Text = number(Known);
        It = Known.Methods.find(Name);
      }
      if (It != Known.Methods.end()) {
        Result = It->second;
        Known.Tagged.insert(Name);
      }
    }
    if (!Text.empty())
      registerModel(Text);
    return Result;
  }

  std::optional<MethodTags> tagsOfOriginal(const c10::ClassTypePtr &Class,
                                           const std::string &Name,
                                           format::SiteId Root) {
    std::lock_guard<std::mutex> Guard(Lock);
    KnownClass &Known = find(Class);
    if (!Known.Originals.count(Name) && !Known.OriginalsAreNumbered)
      numberOriginals(Known, Root.model());
    auto It = Known.Originals.find(Name);
    if (It == Known.Originals.end() || It->second.Root != Root)
      return std::nullopt;
    return It->second;
  }

  bool wasTagged(const c10::ClassTypePtr &Class, const std::string &Name) {
    std::lock_guard<std::mutex> Guard(Lock);
    auto It = Classes.find(Class.get());
    return It != Classes.end() && It->second.Tagged.count(Name);
  }

  /// Changes when a class was forgotten.
  uint64_t generation() const {
    return Generation.load(std::memory_order_acquire);
  }

private:
  bool isNoted(const c10::ClassType &Class) {
    std::lock_guard<std::mutex> Guard(Lock);
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

  /// Numbers the methods of a class and publishes their tags. Returns the
  /// manifest's text; empty if the class is not to be profiled.
  std::string number(KnownClass &Known) {
    Known.IsNumbered = true;
    std::optional<InstrumentOptions> Choice = chooseSites(*Known.Class);
    if (!Choice)
      return std::string();
    HeldClasses Parts = partsOf(Known);
    NumberedMethods Numbered = numberClass(Known.Class, Parts.Classes, *Choice);
    publish(Known, Numbered, &KnownClass::Methods);
    return printManifest(Numbered.Numbering.Table);
  }

  /// The same for the originals of an instrumented class of the model \p Id.
  void numberOriginals(KnownClass &Known, uint64_t Id) {
    Known.OriginalsAreNumbered = true;
    std::optional<InstrumentOptions> Choice = sitesOfModel(Id);
    if (!Choice)
      return;
    HeldClasses Parts = partsOf(Known);
    publish(Known,
            torchprof::numberOriginals(Known.Class, Parts.Classes, *Choice),
            &KnownClass::Originals);
  }

  static HeldClasses partsOf(const KnownClass &Known) {
    HeldClasses Parts;
    Parts.add("", Known.Class);
    for (const KnownClass::Part &Part : Known.Parts)
      Parts.add(Part.Path, Part.Class.lock());
    return Parts;
  }

  void publish(KnownClass &Known, const NumberedMethods &Numbered,
               TagsByName KnownClass::*To) {
    for (size_t I = 0; I < Numbered.Methods.size(); ++I) {
      const MethodGraph &Method = Numbered.Methods[I];
      // References to Known stay valid: the table moves nothing.
      KnownClass &Owner =
          Method.Owner == Known.Class ? Known : find(Method.Owner);
      (Owner.*To).insert_or_assign(Method.Name, tagsOfMethod(Numbered, I));
    }
  }

  std::mutex Lock;
  std::unordered_map<const c10::ClassType *, KnownClass> Classes;
  std::atomic<uint64_t> Generation{1};
};

} // namespace

/// Warns, unless this text was said before.
static void warnOnce(const std::string &Text) {
  static std::mutex Lock;
  static auto &Said = *new std::set<std::string>;
  {
    std::lock_guard<std::mutex> Guard(Lock);
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

bool wasTagged(const c10::ClassTypePtr &Class, const std::string &Name) {
  return ModelTable::get().wasTagged(Class, Name);
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
  NumberedMethods Numbered =
      numberMethods({std::move(Function)}, *Choice, Name);
  registerModel(printManifest(Numbered.Numbering.Table));
  return tagsOfMethod(Numbered, 0);
}

std::optional<MethodTags> tagsOf(const std::shared_ptr<Graph> &Body,
                                 const std::string &Name) {
  c10::ClassTypePtr Class;
  if (!Body->inputs().empty())
    Class = Body->inputs()[0]->type()->cast<c10::ClassType>();
  if (Class && !isOwnFunction(*Class, Name))
    Class = nullptr;
  // LibTorch runs these while it loads or saves the object, which may be a
  // model that the host has not had in hand yet.
  if (Class && isStateMethod(Name))
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
