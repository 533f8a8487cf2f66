//===- FrameworkCalls.cpp - labels and operators that LibTorch calls ------===//
//
// LibTorch calls us at the begin and the end of what it records for profilers:
// for labels of the host (record_function) in the whole process, for operators
// on a thread while it is in a run whose operators are recorded, or computes a
// gradient after it.
//
// A callback of a thread goes along to what the thread's runs continue on other
// threads. It is taken away when the run ends, and else when the thread's next
// run begins: after an exception no end is seen.
//
//===----------------------------------------------------------------------===//

#include "FrameworkCalls.h"

#include "Calibrate.h"
#include "DynamicSpans.h"
#include "FrameworkWatch.h"
#include "Lane.h"
#include "Options.h"
#include "PairOperands.h"
#include "Probe.h"
#include "Process.h"
#include "ThreadCallback.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <optional>
#include <utility>

namespace torchprof {

namespace {

/// Memory of objects that come and go in the order of a stack, thread by
/// thread: at hand without a lock, one load away.
class OperatorMemory {
public:
  static void *take(size_t Bytes) {
    if (!First || !First->Next) [[unlikely]]
      return ::operator new(Bytes);
    return std::exchange(First, First->Next);
  }
  static void give(void *Memory) {
    if (!First) [[unlikely]]
      begin();
    if (First == &Over) [[unlikely]]
      return ::operator delete(Memory);
    First = new (Memory) Place{First};
  }

private:
  struct Place {
    Place *Next; ///< null in Empty and Over
  };
  /// Frees what is left when its thread ends.
  struct EndOfThread {
    ~EndOfThread() {
      while (First->Next)
        ::operator delete(std::exchange(First, First->Next));
      First = &Over;
    }
  };

  /// Before the thread's first one is kept.
  static void begin() {
    static thread_local EndOfThread End;
    (void)&End; // makes it
    First = &Empty;
  }

  static Place Empty, Over;
  /// The newest one that is free; null if none has come back yet.
  static __thread Place *First __attribute__((tls_model("initial-exec")));
};
OperatorMemory::Place OperatorMemory::Empty, OperatorMemory::Over;
__thread OperatorMemory::Place *OperatorMemory::First;

/// What the begin of a label leaves for its end.
struct OpenLabel : at::ObserverContext {
  DynamicSpan Span;
};

/// The same of an operator.
struct OpenOperator : at::ObserverContext {
  explicit OpenOperator(format::Slot Site) : Span(Site) {}
  FrameSpan Span;

  static void *operator new(size_t Bytes) {
    return OperatorMemory::take(Bytes);
  }
  static void operator delete(void *Place) { OperatorMemory::give(Place); }
};

/// What LibTorch is watched for. Set once, before it calls.
std::atomic<bool> WatchesLabels = false;
std::atomic<uint64_t> OperatorsEvery = 0; ///< 0: never

/// The calling thread's callback for operators.
thread_local ThreadCallback OperatorsHere;
thread_local uint64_t RunsHere = 0;
thread_local bool AreOperatorsDue = false;
/// The same of the run that began last on any thread. For a thread that runs
/// nothing itself, such as one of the engine's.
std::atomic<bool> AreOperatorsDueElsewhere = false;

} // namespace

static std::unique_ptr<at::ObserverContext>
labelBegins(const at::RecordFunction &Call) try {
  calibrateBeforeFirstRun(); // not in the label, whose time it would be
  auto Open = std::make_unique<OpenLabel>();
  Open->Span = beginLabel(Call.name());
  return Open;
} catch (const std::bad_alloc &) {
  count(format::Counter::LostNoMemory);
  return nullptr;
}

static void labelEnds(const at::RecordFunction &, at::ObserverContext *Open) {
  if (Open)
    endLabel(static_cast<OpenLabel *>(Open)->Span);
}

/// True if the name is that of an operator, which lies in the dispatcher; else
/// it may be on the stack.
static bool isOfDispatcher(const at::RecordFunction &Call) {
  return Call.operator_name().has_value();
}

static std::unique_ptr<at::ObserverContext>
operatorBegins(const at::RecordFunction &Call) try {
  const char *Name = Call.name();
  std::optional<format::Slot> Site = knownOperator(Name);
  if (!Site) [[unlikely]]
    Site = operatorSite(Name, isOfDispatcher(Call));
  if (*Site == format::NoSlot)
    return nullptr;
  return std::make_unique<OpenOperator>(*Site);
} catch (const std::bad_alloc &) {
  count(format::Counter::LostNoMemory);
  return nullptr;
}

static void operatorEnds(const at::RecordFunction &,
                         at::ObserverContext *Open) {
  if (!Open)
    return;
  FrameSpan &Span = static_cast<OpenOperator *>(Open)->Span;
  // One that ends on another thread ends for its own with the span around it.
  if (!Span.endsHere())
    return count(format::Counter::LostNoMemory);
  Span.end();
}

namespace {
/// Learns that the dispatcher lets an operator go, before it does.
class GoneOperators : public c10::OpRegistrationListener {
  void onOperatorRegistered(const c10::OperatorHandle &) override {}
  void onOperatorDeregistered(const c10::OperatorHandle &) override {
    operatorNamesGone();
  }
};
} // namespace

static void listenForGoneOperators() {
  // For good: operators may go as long as there is a dispatcher.
  static auto *Listening = new c10::RegistrationHandleRAII(
      c10::Dispatcher::singleton().addRegistrationListener(
          std::make_unique<GoneOperators>()));
  (void)Listening;
}

//===----------------------------------------------------------------------===//
// The watch
//===----------------------------------------------------------------------===//

static void begin(const Options &Opts) try {
  if (!Opts.Enabled)
    return;
  if (hasWord(Opts.Record, "ops")) {
    listenForGoneOperators();
    OperatorsEvery = Opts.OpsEvery;
  }
  if (hasWord(Opts.Record, "labels") && !WatchesLabels.exchange(true))
    at::addGlobalCallback(at::RecordFunctionCallback(labelBegins, labelEnds)
                              .scopes({at::RecordScope::USER_SCOPE}));
} catch (const std::exception &) {
  // No memory for a callback: labels are not seen.
}

void leaveOperators() noexcept { OperatorsHere.remove(); }

/// True if LibTorch calls us for operators here: for the thread itself, or for
/// a run of another one that continues here.
static bool areOperatorsWatched() {
  const auto &All = at::get_record_function_tls_().sorted_tls_callbacks_;
  return std::any_of(All.begin(), All.end(), [](const auto &Entry) {
    return Entry.callback_.start() == operatorBegins;
  });
}

bool watchOperators() noexcept try {
  bool AreDue = RunsHere
                    ? AreOperatorsDue
                    : AreOperatorsDueElsewhere.load(std::memory_order_relaxed);
  if (!AreDue || areOperatorsWatched())
    return false;
  OperatorsHere.add(at::RecordFunctionCallback(operatorBegins, operatorEnds)
                        .scopes({at::RecordScope::FUNCTION}));
  return true;
} catch (const std::exception &) {
  return false; // no memory for a callback: its operators are not seen
}

static void operatorsOfRun() {
  uint64_t Every = OperatorsEvery.load(std::memory_order_relaxed);
  if (!Every)
    return;
  AreOperatorsDue = RunsHere++ % Every == 0;
  AreOperatorsDueElsewhere.store(AreOperatorsDue, std::memory_order_relaxed);
  if (AreOperatorsDue)
    watchOperators();
  else
    leaveOperators();
}

static void runEnded() {
  if (OperatorsEvery.load(std::memory_order_relaxed))
    leaveOperators();
}

static void runBegins() {
  leavePairs(); // of a run that an exception ended
  operatorsOfRun();
}

static constexpr FrameworkWatch Watch{begin, runBegins, runEnded, pairBegins,
                                      pairEnded};
static const bool IsNamed = (setFrameworkWatch(&Watch), true);

} // namespace torchprof
