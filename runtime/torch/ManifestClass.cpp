//===- ManifestClass.cpp - the manifest as a model's attribute ------------===//
//
// The TorchBind class `torchprof.Manifest`: constructed from the manifest's
// text, method text() -> str, pickled as its text. Making one, and so loading
// a model that holds one, registers the model with the collector.
//
// Nothing here fails: a model with a damaged or newer manifest loads and runs
// and is not recorded; text() still returns what was stored.
//
//===----------------------------------------------------------------------===//

#include "Control.h"
#include "Framework.h"

#include <torch/custom_class.h>

namespace torchprof {

namespace {

class Manifest : public torch::CustomClassHolder {
public:
  explicit Manifest(std::string StoredText) : Text(std::move(StoredText)) {
    introduceFramework();
    // A model that is still being instrumented has a blank one.
    if (!Text.empty())
      addModel(Text);
  }
  std::string text() const { return Text; }

private:
  std::string Text;
};

const auto RegisteredClass =
    torch::class_<Manifest>("torchprof", "Manifest")
        .def(torch::init<std::string>())
        .def("text", &Manifest::text)
        .def_pickle(
            [](const c10::intrusive_ptr<Manifest> &Self) {
              return Self->text();
            },
            [](std::string Text) {
              return c10::make_intrusive<Manifest>(std::move(Text));
            });

} // namespace

} // namespace torchprof
