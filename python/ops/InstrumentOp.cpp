//===- InstrumentOp.cpp - the passes as an operator for Python ------------===//
//
// torchprof::_instrument takes and returns archives, as bytes in tensors: what
// torch.jit.save writes and torch.jit.load reads. So Python needs neither a
// tool, nor temporary files, nor an extension module for its own version. A
// library of its own, because a host that only records does without the passes.
//
//===----------------------------------------------------------------------===//

#include "torchprof/Passes.h"

#include <ATen/Functions.h>
#include <caffe2/serialize/read_adapter_interface.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/serialization/export.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <cstring>

namespace torchprof {

using namespace torch::jit;

namespace {

/// Reads an archive out of a tensor of bytes, without a copy.
class TensorReader : public caffe2::serialize::ReadAdapterInterface {
public:
  explicit TensorReader(at::Tensor Bytes)
      : Bytes(std::move(Bytes)), Data(this->Bytes.data_ptr<uint8_t>()) {}

  size_t size() const override { return Bytes.numel(); }

  size_t read(uint64_t At, void *To, size_t Count,
              const char *) const override {
    Count = At < size() ? std::min<size_t>(Count, size() - At) : 0;
    std::memcpy(To, Data + At, Count);
    return Count;
  }

private:
  at::Tensor Bytes;
  const uint8_t *Data;
};

} // namespace

static at::Tensor saveToTensor(const Module &M) {
  auto Archive = std::make_unique<std::string>();
  ExportModule(M, [&](const void *Data, size_t Size) {
    Archive->append(static_cast<const char *>(Data), Size);
    return Size;
  });
  std::string *Owned = Archive.release();
  return at::from_blob(
      Owned->data(), {static_cast<int64_t>(Owned->size())},
      [Owned](void *) { delete Owned; }, at::kByte);
}

static std::vector<std::string> popTexts(Stack &S) {
  c10::IValue List = pop(S); // what toListRef() refers to
  std::vector<std::string> Texts;
  for (const c10::IValue &Text : List.toListRef())
    Texts.push_back(Text.toStringRef());
  return Texts;
}

template <typename T>
static T known(std::optional<T> Choice, const std::string &Word,
               const char *Expected) {
  if (!Choice)
    throw InstrumentError(std::string(Expected) + ", not '" + Word + "'");
  return *Choice;
}

static void instrumentArchive(Stack &S) {
  InstrumentOptions Options;
  Options.Methods = popTexts(S);
  Options.Exclude = popTexts(S);
  Options.Include = popTexts(S);
  std::string Level = pop(S).toStringRef();
  Options.Level = known(granularityOf(Level), Level,
                        "granularity must be 'op' or 'module'");
  std::string Nodes = pop(S).toStringRef();
  Options.Nodes =
      known(nodeChoiceOf(Nodes), Nodes, "nodes must be 'default' or 'all'");
  Options.ModelName = pop(S).toStringRef();
  Module Root = load(std::make_shared<TensorReader>(pop(S).toTensor()));
  Module Reloaded;
  InstrumentResult Result = instrumentAndReload(Root, Options, Reloaded);
  if (!Result.Problems.empty())
    throw InstrumentError(Result.Problems.front());
  S.emplace_back(saveToTensor(Root));
}

static const RegisterOperators Registered_(
    {Operator("torchprof::_instrument(Tensor archive, str name, str "
              "nodes, str granularity, str[] include, str[] "
              "exclude, str[] methods) -> Tensor",
              instrumentArchive, c10::AliasAnalysisKind::CONSERVATIVE)});

} // namespace torchprof
