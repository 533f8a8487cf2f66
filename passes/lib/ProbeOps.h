//===- ProbeOps.h - the probes as nodes -------------------------*- C++ -*-===//
//
// Symbols and inputs of the probe nodes.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_PASSES_PROBEOPS_H
#define TORCHPROF_PASSES_PROBEOPS_H

#include "torchprof/GraphAccess.h"

namespace torchprof::ops {

inline torch::jit::Symbol begin() {
  static const auto S = torch::jit::Symbol::fromQualString("torchprof::begin");
  return S;
}

inline torch::jit::Symbol end() {
  static const auto S = torch::jit::Symbol::fromQualString("torchprof::end");
  return S;
}

inline torch::jit::Symbol enter() {
  static const auto S = torch::jit::Symbol::fromQualString("torchprof::enter");
  return S;
}

/// Stands alone, without a site: see followGradModes().
inline torch::jit::Symbol followGradMode() {
  static const auto S =
      torch::jit::Symbol::fromQualString("torchprof::follow_grad_mode");
  return S;
}

/// The same: see leaveBeforeRaises().
inline torch::jit::Symbol leave() {
  static const auto S = torch::jit::Symbol::fromQualString("torchprof::leave");
  return S;
}

/// begin(site) or enter(manifest, site).
inline bool opens(const torch::jit::Node *N) {
  return N->kind() == begin() || N->kind() == enter();
}

inline bool closes(const torch::jit::Node *N) { return N->kind() == end(); }

inline bool isProbe(const torch::jit::Node *N) {
  return opens(N) || closes(N) || N->kind() == followGradMode() ||
         N->kind() == leave();
}

/// True if there is one in \p Body or in what it forks.
inline bool hasProbes(const torch::jit::Block *Body) {
  for (const torch::jit::Node *N : Body->nodes()) {
    if (isProbe(N))
      return true;
    for (const torch::jit::Block *Inner : N->blocks())
      if (hasProbes(Inner))
        return true;
    if (const torch::jit::Graph *Forked = forkedGraph(N);
        Forked && hasProbes(Forked->block()))
      return true;
  }
  return false;
}

/// The site number's value: the last input of every probe.
inline torch::jit::Value *site(torch::jit::Node *N) {
  return N->inputs().empty() ? nullptr : N->inputs().back();
}

} // namespace torchprof::ops

#endif // TORCHPROF_PASSES_PROBEOPS_H
