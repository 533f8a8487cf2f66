//===- NodeAdvice.cpp - rules of advice about nodes -----------------------===//

#include "NodeAdvice.h"
#include "DeviceColumns.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

/// True if freezing may fold a batch norm behind such a node into it; none into
/// a transposed convolution.
static bool takesBatchNorm(StringRef Kind) {
  return StringSwitch<bool>(Kind)
      .Cases("aten::conv1d", "aten::conv2d", "aten::conv3d",
             "aten::_convolution", true)
      .Default(false);
}

Finding report::batchNorms(const Evidence &In) {
  FoundNodes Nodes(In);
  if (In.Sites.isTrained())
    return {};
  eachNode(In, [&](uint32_t S) {
    if (In.Sites.kind(S) == "aten::batch_norm" &&
        any_of(In.Sites.producers(S),
               [&](uint32_t P) { return takesBatchNorm(In.Sites.kind(P)); }))
      Nodes.add(S, In.selfNs(S));
  });
  return Nodes.found();
}

static bool isConversion(StringRef Kind) {
  return StringSwitch<bool>(Kind)
      .Cases("aten::to", "aten::_to_copy", "aten::type_as", "aten::contiguous",
             "aten::clone", true)
      .Default(false);
}

Finding report::conversions(const Evidence &In) {
  FoundNodes Nodes(In);
  eachNode(In, [&](uint32_t S) {
    if (isConversion(In.Sites.kind(S)))
      Nodes.add(S, In.selfNs(S));
  });
  return Nodes.found();
}

namespace {
/// The calls of a node whose signatures were recorded.
struct RecordedCalls {
  UInt128 Ticks = 0; ///< of the host
  uint64_t Count = 0;
};
} // namespace

/// Calls \p Visit with each signature of each selected node whose work for one
/// call is known, and all recorded calls of the node.
template <typename Function>
static void eachWork(const Evidence &In, Function Visit) {
  eachNode(In, [&](uint32_t S) {
    RecordedCalls Recorded;
    for (const SiteVariant &V : In.Sites.variants(S)) {
      Recorded.Ticks += V.Sum;
      Recorded.Count += V.Count;
    }
    for (const SiteVariant &V : In.Sites.variants(S)) {
      Signature Of = parseSignature(V.Signature);
      if (Optional<Work> One = workOf(In.Sites.kind(S), Of))
        Visit(S, V, Of, *One, Recorded);
    }
  });
}

/// The same with what the calls took of what computed them, and their limit:
/// those for which both are known. Both are of all calls of the node.
template <typename Function>
static void eachUnderRoof(const Evidence &In, Function Visit) {
  if (!In.Under.isKnown())
    return;
  eachWork(In, [&](uint32_t S, const SiteVariant &V, const Signature &,
                   const Work &One, const RecordedCalls &Recorded) {
    SiteWork Calls;
    Calls.add(In.Sites, S, V.Signature, V.Count, V.Sum);
    Optional<Bound> Limit = boundOf(Calls, In.Under);
    if (!Limit || !Calls.Time)
      return;
    // A device's time is no share of the host's.
    auto OfAll = [&](double Ns) {
      return Calls.Parts.front().OnDevice
                 ? Ns * static_cast<double>(In.Sites.measured(S).Count) /
                       static_cast<double>(Recorded.Count)
                 : In.ofAllCalls(S, Ns, Recorded.Ticks);
    };
    Limit->Ns = OfAll(Limit->Ns);
    Visit(S, One, *Limit, OfAll(In.ns(Calls.Time)));
  });
}

static double bytesOf(ArrayRef<Operand> Operands) {
  double Sum = 0;
  for (const Operand &O : Operands)
    Sum += O.isTensor() ? O.bytes().getValueOr(0) : bytesOf(O.Elements);
  return Sum;
}

Finding report::smallNodes(const Evidence &In) {
  constexpr double MostBytes = 32768, MostOps = 100000;
  FoundNodes Nodes(In);
  eachWork(In, [&](uint32_t S, const SiteVariant &V, const Signature &Of,
                   const Work &One, const RecordedCalls &Recorded) {
    // What moves nothing by its formula, such as a reshape, may be a copy.
    if (One.Bytes <= MostBytes && One.Flops + One.OtherOps <= MostOps &&
        bytesOf(Of.Inputs) <= MostBytes && bytesOf(Of.Outputs) <= MostBytes)
      Nodes.add(S, In.ofAllCalls(S, In.ns(V.Sum), Recorded.Ticks));
  });
  return Nodes.found();
}

Finding report::farFromRoof(const Evidence &In) {
  FoundNodes Nodes(In);
  eachUnderRoof(In, [&](uint32_t S, const Work &One, Bound Limit, double Ns) {
    if (One.Flops >= 1e6 && Ns > 4 * Limit.Ns)
      Nodes.add(S, Ns - Limit.Ns);
  });
  return Nodes.found();
}

Finding report::memoryBound(const Evidence &In) {
  FoundNodes Nodes(In);
  eachUnderRoof(In, [&](uint32_t S, const Work &One, Bound Limit, double Ns) {
    // Conversions have a rule of their own, and some copy nothing.
    if (One.Flops == 0 && Limit.IsMemory && 2 * Limit.Ns >= Ns &&
        !isConversion(In.Sites.kind(S)))
      Nodes.add(S, Ns);
  });
  return Nodes.found();
}

Finding report::launches(const Evidence &In) {
  FoundNodes Nodes(In);
  DeviceMeasures Of(In.Sites.measures());
  if (!Of)
    return {};
  eachNode(In, [&](uint32_t S) {
    const MeasureTotal &Time = In.Sites.measured(*Of.Time, S);
    auto Starved = static_cast<uint64_t>(In.Sites.self(*Of.Starved, S).Amount);
    if (isLaunchBound(In.ns(Time.Time), static_cast<double>(Time.Sum), Starved,
                      Time.Count))
      Nodes.add(S, In.selfNs(S));
  });
  return Nodes.found();
}

Finding report::waiting(const Evidence &In) {
  // Two readings of the CPU time take half a microsecond, which is none of it.
  constexpr double LeastNsOfACall = 20000;
  Optional<MeasureId> Cpu = numberOf(In.Sites.measures(), "cpu");
  if (!Cpu)
    return {};
  // Of what a node waited, the nodes inside of it have their part.
  std::vector<double> Waited(In.Sites.size());
  for (uint32_t S = 0; S < In.Sites.size(); ++S) {
    if (In.Sites[S].Dynamic || In.Sites[S].Async)
      continue;
    const MeasureTotal &Total = In.Sites.measured(*Cpu, S);
    double Ns = In.ns(Total.Time) - static_cast<double>(Total.Sum);
    Waited[S] += Ns;
    // A damaged profile may have a node in nothing.
    if (uint32_t Around = In.Sites[S].Parent;
        !In.Sites[S].isRoot() && Around != NoIndex)
      Waited[Around] -= Ns;
  }
  FoundNodes Nodes(In);
  eachNode(In, [&](uint32_t S) {
    const MeasureTotal &Total = In.Sites.measured(*Cpu, S);
    if (Waited[S] > 0 && In.Sites.kind(S) != "aten::wait" &&
        In.ns(Total.Time) >= LeastNsOfACall * static_cast<double>(Total.Count))
      Nodes.add(S, In.ofAllCalls(S, Waited[S], Total.Time));
  });
  return Nodes.found();
}

Finding report::unaskedGradients(const Evidence &In) {
  FoundNodes Nodes(In);
  eachNode(In, [&](uint32_t S) {
    uint64_t Unused = 0;
    for (uint32_t Gradient : In.Sites.backward(S))
      if (In.Sites.name(Gradient) == format::GradientUnusedName)
        Unused += In.Sites.measured(Gradient).Count;
    // Several of a call's gradients may be unused.
    GradientSum All = In.Sites.backwardOf(S);
    if (uint64_t Calls = std::min(Unused, All.Calls))
      Nodes.add(S, In.ns(All.Self) * static_cast<double>(Calls) /
                       static_cast<double>(All.Calls));
  });
  return Nodes.found();
}
