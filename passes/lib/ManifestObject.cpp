//===- ManifestObject.cpp - the manifest inside a module ------------------===//

#include "ManifestObject.h"

#include "ModuleMethods.h"

#include <ATen/core/ivalue.h>
#include <torch/custom_class.h>

namespace torchprof {

using namespace torch::jit;

static c10::IValue makeObject(const std::string &Text) {
  auto Class =
      torch::getCustomClass("__torch__.torch.classes.torchprof.Manifest");
  if (!Class)
    throw InstrumentError("the class torchprof.Manifest is not registered; "
                          "load libtorchprof_runtime.so");
  auto Object = c10::ivalue::Object::create(
      c10::StrongTypePtr(std::shared_ptr<CompilationUnit>(), Class),
      /*numSlots=*/1);
  Class->getMethod("__setstate__")({Object, Text});
  return Object;
}

std::vector<c10::ClassTypePtr> carriersOf(const Module &Root) {
  std::vector<c10::ClassTypePtr> Classes;
  for (const OwnedFunction &Kept : keptFunctions(Root))
    if (Classes.empty() || Classes.back() != Kept.Class)
      Classes.push_back(Kept.Class);
  return Classes;
}

void setManifest(Module &Root, const std::vector<c10::ClassTypePtr> &Classes,
                 const std::string &Text) {
  c10::IValue Object = makeObject(Text);
  for (const c10::ClassTypePtr &Class : Classes) {
    // A class may have several instances, and each needs a value for every
    // attribute of the class.
    for (Module &Part : instancesOf(Root, Class))
      Part.register_attribute(ManifestAttribute, Object.type(), Object);
  }
}

void removeManifest(Module &Root,
                    const std::vector<c10::ClassTypePtr> &Classes) {
  for (const c10::ClassTypePtr &Class : Classes) {
    auto Slot = Class->findAttributeSlot(ManifestAttribute);
    if (!Slot)
      continue;
    std::vector<Module> Parts = instancesOf(Root, Class);
    Class->unsafeRemoveAttribute(ManifestAttribute);
    for (const Module &Part : Parts)
      Part._ivalue()->unsafeRemoveSlot(*Slot);
  }
}

bool readManifest(const Module &Root, Manifest &Table) {
  if (!Root.hasattr(ManifestAttribute))
    return false;
  c10::IValue Object = Root.attr(ManifestAttribute);
  std::string Text =
      Object.toObjectRef().type()->getMethod("text")({Object}).toStringRef();
  std::string Error;
  if (!parseManifest(Text, Table, Error))
    throw InstrumentError(Error);
  return true;
}

} // namespace torchprof
