//===- PassTable.cpp - the passes by name ---------------------------------===//
//
// Adapts each pass to the signature that the driver for graphs in text form
// calls. Such graphs belong to no model: their model id is 0, so that a site
// number is just its index, and their roots have no manifest.
//
//===----------------------------------------------------------------------===//

#include "ProbeOps.h"
#include "torchprof/Passes.h"

namespace torchprof {

using namespace torch::jit;
using Errors = std::vector<std::string>;
using GraphPointer = std::shared_ptr<Graph>;

static MethodGraph asMethod(const GraphPointer &Body) {
  MethodGraph Method;
  Method.Name = "graph";
  Method.Body = Body;
  return Method;
}

static Errors runInlineCalls(GraphPointer &Body, const SiteOptions &,
                             std::ostream &) {
  Manifest Table;
  ScopeMap Scopes;
  inlineCalls(asMethod(Body), Table, Scopes);
  return {};
}

static Errors runInsertProbes(GraphPointer &Body, const SiteOptions &Options,
                              std::ostream &) {
  if (ops::hasProbes(Body->block()))
    return {"the graph has probes already; run strip-probes first"};
  insertProbes(numberSites({asMethod(Body)}, {}, {}, Options),
               /*WithManifest=*/false);
  return {};
}

static Errors runPrintSites(GraphPointer &Body, const SiteOptions &Options,
                            std::ostream &Out) {
  printSites(numberSites({asMethod(Body)}, {}, {}, Options).Table, Out);
  return {};
}

static Errors runStripProbes(GraphPointer &Body, const SiteOptions &,
                             std::ostream &) {
  if (stripProbes(*Body) == 0)
    return {"the graph has no probes"};
  return {};
}

static Errors runVerifyProbes(GraphPointer &Body, const SiteOptions &,
                              std::ostream &) {
  return verifyProbes({asMethod(Body)});
}

const std::vector<PassInfo> &passes() {
  static const std::vector<PassInfo> Table = {
#define PASS(FLAG, FUNCTION, HELP) {FLAG, HELP, FUNCTION},
#include "../Passes.def"
  };
  return Table;
}

} // namespace torchprof
