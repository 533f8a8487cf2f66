//===- ManifestClass.h - the manifest as a model's attribute ----*- C++ -*-===//
//
// The TorchBind class `torchprof.Manifest`: constructed from the manifest's
// text, method text() -> str, pickled as its text. Making one, and so loading
// a model that holds one, registers the model with the collector.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_MANIFESTCLASS_H
#define TORCHPROF_MANIFESTCLASS_H

namespace torchprof {

/// Tells the collector which framework this is and what its interpreter adds
/// to the cost of a pair of probes. Once per process; cheap afterwards.
void introduceFramework();

} // namespace torchprof

#endif // TORCHPROF_MANIFESTCLASS_H
