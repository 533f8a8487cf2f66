//===- Advice.cpp - what the figures show, and what to try ----------------===//

#include "Advice.h"
#include "MeasuredPart.h"
#include "NodeAdvice.h"
#include "RunAdvice.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {
struct Rule {
  StringLiteral Id;
  StringLiteral What;
  StringLiteral Try;
  StringLiteral Check;
  Finding (*Find)(const Evidence &);
};
} // namespace

static const Rule Rules[] = {
    {"launches", "nodes for which the device waits: launching is their time",
     "larger batches, fused operators, CUDA graphs, or torch.jit.freeze, which "
     "leaves fewer nodes",
     "torchprof-report summary --columns=kind,name,mean_ns,device_ns,"
     "launch_bound",
     launches},
    {"batch_norm", "batch norms behind convolutions",
     "model.eval() and torch.jit.freeze(model), which folds them into the "
     "convolutions",
     "torchprof-run --compare, or torchprof-report diff of both", batchNorms},
    {"far_from_roof",
     "products and convolutions far from what this machine did",
     "another number of threads, channels_last, or "
     "torch.jit.optimize_for_inference",
     "torchprof-report roofline --kinds; torchprof-run --compare, which tries "
     "fewer threads",
     farFromRoof},
    {"memory_bound", "nodes that wait for memory and compute little",
     "in-place forms, a fused operator, a smaller dtype",
     "torchprof-report roofline", memoryBound},
    {"small_nodes", "nodes on small tensors: LibTorch's overhead is their time",
     "larger batches, or torch.jit.freeze, which leaves fewer nodes",
     "torchprof-report summary --group-by=kind", smallNodes},
    {"conversions", "conversions and copies of tensors",
     "weights and inputs of one dtype, device and layout from the beginning",
     "torchprof-report summary --group-by=kind", conversions},
    {"outside_nodes", "runs outside of their nodes",
     "torch.jit.freeze(model), which looks up no parameters in modules",
     "torchprof-report summary: the line Unattributed", outsideOfNodes},
    {"plans", "plans that LibTorch made in the middle of runs",
     "a few calls with each shape before the model serves, and "
     "torch.no_grad() where no gradient is needed",
     "torchprof-report runs", plansInRuns},
    {"unused_gradients", "getting ready for gradients that nothing computed",
     "torch.no_grad() or torch.inference_mode(), in C++ torch::NoGradGuard or "
     "c10::InferenceMode; nodes become faster, too",
     "torchprof-run with and without --grad", unusedGradients},
    {"unasked_gradients",
     "backward of nodes that also computes gradients nobody asked for",
     "requires_grad_(False) on parameters that nobody trains, before the model "
     "runs or is saved",
     "torchprof-report diff of both", unaskedGradients},
    {"backward_plans", "plans that LibTorch made in backwards",
     "a few steps with each shape before the steps that count, and few shapes",
     "torchprof-report runs", plansInBackwards},
    {"waiting", "waiting for a processor or for another thread",
     "torch.set_num_threads or OMP_NUM_THREADS: no more threads than "
     "processors "
     "that nobody else uses",
     "torchprof-run --compare, which tries fewer threads; torchprof-report "
     "summary --columns=kind,name,total_ns,cpu_ns,wait_ns",
     waiting},
    {"slow_runs", "what runs took more than the median one, if twice as long",
     "fewer threads, or processors that nobody else uses; runs of other shapes "
     "are slower for a reason",
     "torchprof-report runs; TORCHPROF_RECORD=cpu, which tells working from "
     "waiting",
     slowRuns},
    {"first_runs", "first runs",
     "a few calls with each shape before the model serves",
     "torchprof-report runs", firstRuns},
};

Table report::makeAdvice(const SiteTable &Sites, const Selection &Selected,
                         const Roof &Under, double MinPercent) {
  Evidence In(Sites, Selected, Under);
  double TotalNs = In.ns(In.All.Total);
  struct Advice {
    const Rule *Of;
    Finding Found;
    double Ns;      ///< in runs and beside them
    double Percent; ///< what the runs have of it
  };
  std::vector<Advice> All;
  for (const Rule &R : Rules) {
    Finding F = R.Find(In);
    auto Percent = [&](double Ns) {
      return TotalNs > 0 ? 100 * Ns / TotalNs : 0;
    };
    // Forks may decide how long the runs are, so they do not make a rule
    // silent.
    double Ns = F.Ns + F.BesideNs, OfRuns = Percent(F.Ns);
    if (Ns > 0 && Percent(Ns) >= MinPercent)
      All.push_back({&R, std::move(F), Ns, OfRuns});
  }
  llvm::stable_sort(All, [](const Advice &A, const Advice &B) {
    return A.Percent > B.Percent;
  });
  auto ForMachines = [](TableColumn C) {
    C.ForMachines = true;
    return C;
  };
  Table T;
  T.Columns = {TableColumn::percent("pct_total", "% total"),
               TableColumn::time("time_ns", "time"),
               ForMachines(TableColumn::text("rule", "rule")),
               TableColumn::text("what", "is spent in"),
               ForMachines(TableColumn::text("where", "where")),
               ForMachines(TableColumn::text("try", "try")),
               ForMachines(TableColumn::text("check", "check"))};
  if (All.empty())
    T.Notes.push_back(In.All.Total
                          ? "nothing to advise: no rule is about that much of "
                            "the time"
                          : "nothing to advise: no run has ended");
  for (const Advice &A : All) {
    T.Rows.push_back({A.Found.Ns > 0 ? Value::percent(A.Percent) : Value(),
                      Value::timeNs(A.Ns), Value::text(A.Of->Id),
                      Value::text(A.Of->What), Value::text(A.Found.Where),
                      Value::text(A.Of->Try), Value::text(A.Of->Check)});
    T.Sites.push_back(A.Found.Sites);
    T.Notes.push_back((A.Of->What + ": " + A.Found.Where).str());
    T.Notes.push_back(("  try:   " + A.Of->Try).str());
    T.Notes.push_back(("  check: " + A.Of->Check).str());
  }
  for (std::string &Note : partNotes({"cpu_ns", "flops"}, Sites, Selected,
                                     "the others are taken to be like these"))
    T.Notes.push_back(std::move(Note));
  return T;
}
