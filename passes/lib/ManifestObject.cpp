//===- ManifestObject.cpp - the manifest inside a module ------------------===//

#include "ManifestObject.h"

#include <ATen/core/ivalue.h>
#include <torch/custom_class.h>

namespace torchprof {

using namespace torch::jit;

static c10::IValue makeObject(const Manifest &Table) {
  auto Class =
      torch::getCustomClass("__torch__.torch.classes.torchprof.Manifest");
  if (!Class)
    throw InstrumentError("expected the class torchprof.Manifest to be "
                          "registered, found none: load "
                          "libtorchprof_runtime.so");
  auto Object = c10::ivalue::Object::create(
      c10::StrongTypePtr(std::shared_ptr<CompilationUnit>(), Class),
      /*numSlots=*/1);
  Class->getMethod("__setstate__")({Object, printManifest(Table)});
  return Object;
}

void addManifest(Module &Root, const Manifest &Table) {
  c10::IValue Object = makeObject(Table);
  Root.register_attribute(ManifestAttribute, Object.type(), Object);
}

void replaceManifest(Module &Root, const Manifest &Table) {
  Root.setattr(ManifestAttribute, makeObject(Table));
}

bool readManifest(const Module &Root, Manifest &Table) {
  if (!Root.hasattr(ManifestAttribute))
    return false;
  c10::IValue Object = Root.attr(ManifestAttribute);
  std::string Text =
      Object.toObjectRef().type()->getMethod("text")({Object}).toStringRef();
  std::string Error;
  if (!parseManifest(Text, Table, Error))
    throw InstrumentError("expected a manifest that can be read, found a "
                          "damaged one: " +
                          Error);
  return true;
}

} // namespace torchprof
