//===- Compare.cpp - a model as LibTorch can optimize it ------------------===//

#include "Compare.h"

#include "../common/Messages.h"
#include "../common/Printable.h"
#include "../common/ToolSupport.h"
#include "CompareBridge.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace torchprof;

/// What a form is called.
static std::string nameOf(ModelForm Form, const FormResult &Result) {
  switch (Form) {
  case ModelForm::Original:
    return "original";
  case ModelForm::Frozen:
    return "frozen";
  case ModelForm::Optimized:
    return "optimize_for_inference";
  case ModelForm::HalfThreads:
  case ModelForm::OneThread:
    break;
  }
  return "original, " + std::to_string(Result.Threads) +
         (Result.Threads == 1 ? " thread" : " threads");
}

/// The middle of the latencies, in ms.
static double median(ArrayRef<uint64_t> Sorted) {
  return static_cast<double>(Sorted[(Sorted.size() - 1) / 2]) / 1e6;
}

int torchprof::compareModel(StringRef Path, ModelHolder &Model,
                            const RunRequest &Run) {
  std::vector<uint64_t> Latencies[ModelFormCount];
  FormResult Results[ModelFormCount];
  CompareRequest Request;
  Request.Run = Run;
  Request.Latency = [](ModelForm Form, uint64_t Ns, void *Context) {
    static_cast<std::vector<uint64_t> *>(Context)[unsigned(Form)].push_back(Ns);
  };
  Request.Context = Latencies;
  if (Outcome Failed = compareForms(Model, Request, Results))
    return reportOutcome(Path, Failed);
  for (std::vector<uint64_t> &Of : Latencies)
    sort(Of);
  outs() << printable(Path) << ": " << Run.Runs
         << (Run.Runs == 1 ? " run" : " runs")
         << " of each in turns, nothing recorded\n\n"
         << left_justify("", 24) << right_justify("min", 12)
         << right_justify("median", 12) << right_justify("speed-up", 10)
         << "\n";
  std::vector<std::string> Notes;
  for (ModelForm Form : ModelForms) {
    auto I = unsigned(Form);
    if (!Results[I].Threads)
      continue;
    const std::string Name = nameOf(Form, Results[I]);
    outs() << left_justify(Name, 24);
    if (Latencies[I].empty()) {
      outs() << right_justify("-", 12) << right_justify("-", 12)
             << right_justify("-", 10) << '\n';
      Notes.push_back(Name + ": " + Results[I].WhyNot.c_str());
      continue;
    }
    double Here = median(Latencies[I]);
    outs() << format("%9.3f ms%9.3f ms%9.2fx\n",
                     static_cast<double>(Latencies[I].front()) / 1e6, Here,
                     median(Latencies[0]) / Here);
    if (StringRef Difference = Results[I].Difference.c_str();
        !Difference.empty())
      Notes.push_back(Name +
                      ": it does not compute the same: " + Difference.str());
  }
  outs() << '\n';
  for (const std::string &Note : Notes)
    outs() << "note: " << printable(Note) << '\n';
  return ExitFine;
}
