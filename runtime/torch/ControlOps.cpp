//===- ControlOps.cpp - torch.ops.torchprof.* for hosts in Python ---------===//
//
// torchprof.h as operators. They can be called from TorchScript too.
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"
#include "torchprof/torchprof.h"

#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/operator.h>

namespace torchprof {

using torch::jit::Operation;
using torch::jit::Operator;
using torch::jit::Stack;

static std::string popText(Stack &S) {
  return torch::jit::pop(S).toStringRef();
}
static int64_t popInt(Stack &S) { return torch::jit::pop(S).toInt(); }

static void fileOp(Stack &S) {
  const char *Path = torchprof_file();
  S.emplace_back(std::string(Path ? Path : ""));
}

static void snapshotOp(Stack &S) {
  std::string Path = popText(S);
  S.emplace_back(
      int64_t(torchprof_snapshot(Path.empty() ? nullptr : Path.c_str())));
}

static void waitSnapshotOp(Stack &S) {
  int64_t Timeout = popInt(S), Above = popInt(S);
  S.emplace_back(int64_t(torchprof_wait_snapshot(
      uint64_t(Above < 0 ? 0 : Above), uint64_t(Timeout < 0 ? 0 : Timeout))));
}

static void setOptionOp(Stack &S) {
  std::string Value = popText(S), Name = popText(S);
  S.emplace_back(int64_t(torchprof_set_option(Name.c_str(), Value.c_str())));
}

static void regionBeginOp(Stack &S) {
  std::string Name = popText(S);
  calibrateBeforeFirstRun();
  S.emplace_back(
      int64_t(torchprof_region_begin(torchprof_region(Name.c_str()))));
}

static void regionEndOp(Stack &S) {
  int64_t Begin = popInt(S);
  std::string Name = popText(S);
  torchprof_region_end(torchprof_region(Name.c_str()), uint64_t(Begin));
}

static void statsOp(Stack &S) {
  torchprof_stats Stats;
  torchprof_get_stats(&Stats, sizeof(Stats));
  c10::Dict<std::string, int64_t> Dict;
#define TORCHPROF_STAT(NAME) Dict.insert(#NAME, int64_t(Stats.NAME));
  TORCHPROF_STAT(begins)
  TORCHPROF_STAT(count)
  TORCHPROF_STAT(cut)
  TORCHPROF_STAT(lanes)
  TORCHPROF_STAT(cells)
  TORCHPROF_STAT(file_bytes)
#define TORCHPROF_COUNTER(ENUMERATOR, NAME, SHOWN, OF, MEANING, TEXT)          \
  TORCHPROF_STAT(NAME)
#include "torchprof/format/Counters.def"
#undef TORCHPROF_STAT
  S.emplace_back(std::move(Dict));
}

static Operator control(const char *Schema, void (*Function)(Stack &)) {
  return Operator(Schema, Operation(Function),
                  c10::AliasAnalysisKind::CONSERVATIVE);
}

static const torch::jit::RegisterOperators ControlOps({
    control("torchprof::start() -> ()", [](Stack &) { torchprof_start(); }),
    control("torchprof::stop() -> ()", [](Stack &) { torchprof_stop(); }),
    control("torchprof::reset() -> ()", [](Stack &) { torchprof_reset(); }),
    control("torchprof::reset_thread() -> ()",
            [](Stack &) { torchprof_reset_thread(); }),
    control("torchprof::lane() -> int",
            [](Stack &S) { S.emplace_back(torchprof_lane()); }),
    control("torchprof::step() -> ()", [](Stack &) { torchprof_step(); }),
    control("torchprof::flush() -> int",
            [](Stack &S) { S.emplace_back(int64_t(torchprof_flush())); }),
    control("torchprof::snapshots() -> int",
            [](Stack &S) { S.emplace_back(int64_t(torchprof_snapshots())); }),
    control("torchprof::snapshot(str path=\"\") -> int", snapshotOp),
    control("torchprof::wait_snapshot(int above, int timeout_ms) -> int",
            waitSnapshotOp),
    control("torchprof::file() -> str", fileOp),
    control("torchprof::set_option(str name, str value) -> int", setOptionOp),
    control("torchprof::region_begin(str name) -> int", regionBeginOp),
    control("torchprof::region_end(str name, int begin) -> ()", regionEndOp),
    control("torchprof::calibrate(float seconds=0.5) -> int",
            [](Stack &S) {
              double Seconds = torch::jit::pop(S).toDouble();
              S.emplace_back(int64_t(torchprof_calibrate(Seconds)));
            }),
    control("torchprof::stats() -> Dict(str, int)", statsOp),
});

} // namespace torchprof
