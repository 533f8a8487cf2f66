//===- TorchBridge.cpp - load and save models -----------------------------===//

#include "TorchModel.h"

#include "DeviceLibraries.h"
#include "InputFile.h"
#include "KeptErrorBuffer.h"
#include "torchprof/Passes.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/serialization/export.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/version.h>

#include <cctype>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

namespace torchprof {

using namespace torch::jit;
using caffe2::serialize::PyTorchStreamReader;

/// True for "RuntimeError: the cause", which comes after a traceback. What a
/// traced model has there for code, "model.py(3): forward", is not like it.
static bool namesException(std::string_view Line) {
  size_t Size = 0;
  while (Size < Line.size() &&
         (isalnum(static_cast<unsigned char>(Line[Size])) ||
          Line[Size] == '_' || Line[Size] == '.'))
    ++Size;
  return Size > 0 && Line.substr(Size).starts_with(": ");
}

std::string causeOf(const std::string &What) {
  constexpr std::string_view Usual = "RuntimeError: ";
  std::istringstream Lines(What);
  std::string Line, Cause;
  bool InTraceback = false;
  while (std::getline(Lines, Line)) {
    if (Line.starts_with("Exception raised from"))
      break;
    if (Line.starts_with("Traceback of TorchScript")) {
      // What came before says only that there is one.
      InTraceback = true;
      Cause.clear();
    } else if (InTraceback) {
      InTraceback = !namesException(Line);
    }
    if (InTraceback || !Cause.empty())
      continue;
    if (Line.starts_with(Usual))
      Line.erase(0, Usual.size());
    Cause = Line.erase(0, Line.find_first_not_of(" \t"));
  }
  while (!Cause.empty() &&
         std::string_view(" .:").find(Cause.back()) != std::string_view::npos)
    Cause.pop_back();
  return Cause.empty() ? "the model raised an exception without a text" : Cause;
}

bool asksForGradients(const std::string &Cause) {
  return Cause.find("does not require grad") != std::string::npos;
}

Outcome guarded(const std::function<Outcome()> &Body) {
  try {
    return Body();
  } catch (const InstrumentError &E) {
    return failure(2, E.what());
  } catch (const c10::Error &E) {
    return failure(2, causeOf(E.what_without_backtrace()));
  } catch (const std::exception &E) {
    return failure(2, causeOf(E.what()));
  } catch (...) {
    return failure(2, NoStdException);
  }
}

void freeModel(Model *M) { delete M; }

const char *torchVersion() { return TORCH_VERSION; }

Outcome loadLibrary(const char *Path) {
  // The loader looks for a name without a slash only where it is told to.
  std::string Name = Path;
  std::error_code Ignored;
  if (Name.find('/') == std::string::npos &&
      std::filesystem::is_regular_file(Name, Ignored))
    Name = "./" + Name;
  // Never closed: what registered itself must stay.
  if (!dlopen(Name.c_str(), RTLD_NOW | RTLD_GLOBAL))
    return failure(2, std::string("cannot load the library: ") + dlerror());
  return {};
}

/// Names of the extra files in an archive, empty if it cannot be listed.
static void listExtraFiles(PyTorchStreamReader &Reader, ExtraFilesMap &Files) {
  const std::string Prefix = "extra/";
  for (const std::string &Record : Reader.getAllRecords())
    if (Record.starts_with(Prefix))
      Files[Record.substr(Prefix.size())];
}

/// Adds to a load error what the user can do about it.
static Outcome explainLoadError(Outcome Failed) {
  std::string Text = Failed.Message.c_str();
  auto Contains = [&](const char *Part) {
    return Text.find(Part) != std::string::npos;
  };
  if (Contains("PytorchStreamReader failed"))
    return failure(2, "truncated or damaged archive: " + Text);
  // Of prim::ConstantMKLDNNTensor.
  if (Contains("required keyword attribute 'value' is undefined"))
    return failure(2, "the model is one of optimize_for_inference, of which "
                      "LibTorch saves no oneDNN constants: take the frozen "
                      "model, or attach to the process that optimizes it");
  if (Contains("Unknown builtin op") || Contains("Unknown type name"))
    return failure(2, Text + "; a library that defines it is loaded with "
                             "--load=LIB.so");
  if (Contains("CUDA") || Contains("cuda") || Contains("NVIDIA"))
    return failure(2, Text + "; --map-device=cpu moves the model's tensors");
  return Failed;
}

/// Why an archive holds no model's code where torch.jit.save puts it.
static const char *whyNoModel(PyTorchStreamReader &Archive) {
  return Archive.hasRecord(".data/version")
             ? "a torch.package archive: load its model with "
               "torch.package.PackageImporter and save that with torch.jit.save"
             : "an archive without code: save the model with torch.jit.save, "
               "not torch.save";
}

/// Opens what looks like a model's archive, and notes in \p M what else is in
/// it.
static Outcome openArchive(const char *Path, Model &M,
                           std::unique_ptr<PyTorchStreamReader> &Archive) {
  uint64_t Size;
  if (const char *Reason = whyUnreadable(Path, Size))
    return failure(2, Reason);
  if (Size == 0)
    return failure(2, "the file is empty");
  char Magic[2] = {};
  std::ifstream(Path, std::ios::binary).read(Magic, 2);
  if (Magic[0] != 'P' || Magic[1] != 'K')
    return failure(2, "not a TorchScript archive (a zip file)");
  return guarded([&]() -> Outcome {
    try {
      Archive = std::make_unique<PyTorchStreamReader>(std::string(Path));
      if (!Archive->hasRecord("constants.pkl"))
        return failure(2, whyNoModel(*Archive));
      listExtraFiles(*Archive, M.ExtraFiles);
      M.HasBytecode = Archive->hasRecord("bytecode.pkl");
      M.HasDebugHandles = Archive->hasRecord("mobile_debug_handles.pkl");
      return {};
    } catch (const c10::Error &E) {
      return failure(2, "truncated or damaged archive: " +
                            causeOf(E.what_without_backtrace()));
    }
  });
}

/// Moves all attributes that are tensors. Module::to() does so in place, which
/// not every device allows.
static void moveTensors(const Module &Root, c10::Device Device) {
  for (Module Part : Root.modules())
    for (const auto &Attribute : Part.named_attributes(/*recurse=*/false)) {
      if (!Attribute.value.isTensor() || !Attribute.value.toTensor().defined())
        continue;
      at::Tensor Old = Attribute.value.toTensor();
      at::Tensor New = Old.detach().to(Device);
      New.set_requires_grad(Old.requires_grad());
      Part.setattr(Attribute.name, New);
    }
}

/// The device of the first tensor that is not on the CPU.
static c10::optional<c10::Device> deviceOf(const Module &Root) {
  for (const at::Tensor &Tensor : Root.parameters())
    if (!Tensor.device().is_cpu())
      return Tensor.device();
  for (const at::Tensor &Tensor : Root.buffers())
    if (!Tensor.device().is_cpu())
      return Tensor.device();
  return c10::nullopt;
}

/// The device of the first tensor among the constants of a graph that is not on
/// the CPU.
static c10::optional<c10::Device> deviceOfConstants(const Block *In) {
  c10::optional<c10::Device> Found;
  for (const Node *N : In->nodes()) {
    if (N->kind() == prim::Constant)
      if (auto Constant = toIValue(N->output()))
        Constant->visit([&Found](const c10::IValue &Part) {
          if (!Found && Part.isTensor() && Part.toTensor().defined() &&
              !Part.toTensor().device().is_cpu())
            Found = Part.toTensor().device();
          return Found.has_value();
        });
    for (const Block *Inner : N->blocks())
      if (!Found)
        Found = deviceOfConstants(Inner);
    if (!Found && N->hasAttribute(attr::Subgraph))
      Found = deviceOfConstants(N->g(attr::Subgraph)->block());
    if (Found)
      break;
  }
  return Found;
}

/// The same of all methods: freezing makes constants of parameters and buffers.
static c10::optional<c10::Device> deviceOfConstants(const Module &Root) {
  for (const Module &Part : Root.modules())
    for (const Method &M : Part.get_methods())
      if (auto Found = deviceOfConstants(M.graph()->block()))
        return Found;
  return c10::nullopt;
}

/// True if \p Text is what a pickle calls a device: "cuda:0".
static bool namesDevice(std::string_view Text) {
  size_t Colon = Text.find(':');
  if (Colon == 0 || Colon == Text.npos ||
      Text.find_first_not_of("0123456789", Colon + 1) != Text.npos ||
      Colon + 1 == Text.size())
    return false;
  try {
    return !c10::Device(std::string(Text)).is_cpu();
  } catch (const std::exception &) {
    return false;
  }
}

/// True if a pickle has a string that names a device. Each place that could be
/// a string is looked at, whatever stands before.
static bool hasDevice(std::string_view Pickle) {
  constexpr size_t LongestName = 32;
  uint32_t Size;
  constexpr size_t HeadBytes = 1 + sizeof(Size); // BINUNICODE, 'X'
  for (size_t I = Pickle.find('X'); I != Pickle.npos;
       I = Pickle.find('X', I + 1)) {
    std::string_view Rest = Pickle.substr(I);
    if (Rest.size() < HeadBytes)
      return false;
    memcpy(&Size, Rest.data() + 1, sizeof(Size));
    if (Size <= LongestName && Size <= Rest.size() - HeadBytes &&
        namesDevice(Rest.substr(HeadBytes, Size)))
      return true;
  }
  return false;
}

/// True if an archive has tensors that were saved on another device than the
/// CPU.
static bool isOnDevice(PyTorchStreamReader &Archive) {
  bool Found = false;
  Outcome Read = guarded([&]() -> Outcome {
    for (const char *Pickle : {"data.pkl", "constants.pkl"}) {
      auto [Data, Size] = Archive.getRecord(Pickle);
      Found |= hasDevice({static_cast<const char *>(Data.get()), Size});
    }
    return {};
  });
  return !Read && Found;
}

Outcome loadModel(const char *Path, const char *Device, Model **Result,
                  BeforeLoad Before) {
  auto M = std::make_unique<Model>();
  M->Name = std::filesystem::path(Path).stem().string();
  // Stays open until LibTorch has read it again: an attached process takes a
  // reader with another one inside for no load.
  std::unique_ptr<PyTorchStreamReader> Archive;
  if (Outcome Failed = openArchive(Path, *M, Archive))
    return Failed;
  if (Before.Call)
    if (Outcome Failed = Before.Call(isOnDevice(*Archive), Before.Context))
      return Failed;
  DeviceLibraries Parts;
  auto Load = [&]() -> Outcome {
    c10::optional<c10::Device> Target;
    if (Device)
      Target = c10::Device(Device);
    if (Target && !Target->is_cpu())
      Parts = loadDeviceLibraries();
    // Other devices are not known to all versions of load().
    bool LoadsThere = Target && (Target->is_cpu() || Target->is_cuda());
    M->Root = load(std::string(Path), LoadsThere ? Target : c10::nullopt,
                   M->ExtraFiles);
    if (Target && !LoadsThere)
      moveTensors(M->Root, *Target);
    c10::optional<c10::Device> On = Target ? Target : deviceOf(M->Root);
    if (!On && isOnDevice(*Archive))
      On = deviceOfConstants(M->Root);
    if (On)
      M->On = *On;
    return {};
  };
  Outcome Loaded = guarded(Load);
  // It may have been saved with tensors on a device.
  if (Loaded && !Device) {
    Parts = loadDeviceLibraries();
    if (Parts.HasMore)
      Loaded = guarded(Load);
  }
  if (Loaded && !Parts.Failure.empty() && (Device || isOnDevice(*Archive)))
    Loaded = failure(2, Loaded.Message.c_str() +
                            ("; LibTorch's libraries for devices cannot be "
                             "loaded: " +
                             Parts.Failure));
  if (Loaded)
    return explainLoadError(std::move(Loaded));
  *Result = M.release();
  return {};
}

Outcome saveModel(const Model &M, const char *Path) {
  KeptErrorBuffer File(Path);
  Outcome Saved = guarded([&]() -> Outcome {
    // Through a stream, because LibTorch would name the directory inside
    // the archive after the temporary file.
    std::ostream Out(&File);
    if (M.HasBytecode) {
      // Otherwise methods that are called through an interface have none.
      enableMobileInterfaceCallExport();
      M.Root._save_for_mobile(Out, M.ExtraFiles, M.HasDebugHandles);
    } else {
      M.Root.save(Out, M.ExtraFiles);
    }
    return {};
  });
  int Error = File.close();
  if (Error && !Saved) {
    Saved =
        failure(2, std::string("cannot write the output: ") + strerror(Error));
    Saved.IsOfOutput = true;
  }
  return Saved;
}

} // namespace torchprof
