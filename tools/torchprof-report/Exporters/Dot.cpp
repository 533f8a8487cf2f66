//===- Dot.cpp - the dataflow as a heat graph -----------------------------===//
//
// Nodes in clusters of modules, and these in those of models if there are
// several, edges from producer to consumer, each node colored by its share of
// the time. For Graphviz: dot -Tsvg.
//
//===----------------------------------------------------------------------===//

#include "../../common/Printable.h"
#include "../Report/SiteKey.h"
#include "../Report/Table.h"
#include "Exporter.h"

#include "llvm/Support/Format.h"

#include <cmath>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace dot_export {

static std::string escape(StringRef Text) {
  std::string Out;
  for (char C : printable(Text)) {
    if (C == '"' || C == '\\')
      Out += '\\';
    Out += C;
  }
  return Out;
}

namespace {

class DotWriter {
public:
  DotWriter(const ExportInput &In, raw_ostream &OS)
      : In(In), Sites(In.Sites), Keys(siteKeys(Sites)), OS(OS) {}
  void write();

private:
  struct Cluster {
    std::vector<uint32_t> Members;
    std::map<std::string, Cluster> Children;
  };

  bool shown(uint32_t S) const {
    return !Sites[S].Dynamic && !Sites[S].isRoot() && Sites.reached(S) &&
           In.Selected.matches(Sites, S);
  }
  void node(uint32_t S, unsigned Level);
  void cluster(const Cluster &C, StringRef Name, unsigned Level);

  const ExportInput &In;
  const SiteTable &Sites;
  std::vector<SiteKey> Keys; ///< ids that do not change with the model
  raw_ostream &OS;
  unsigned Clusters = 0;
};

} // namespace

void DotWriter::node(uint32_t S, unsigned Level) {
  auto Self = static_cast<double>(Sites.self(S).Amount);
  // What ran beside its parent has no share of the runs' time.
  double Share = Sites[S].Async ? 0 : In.All.share(Self);
  std::string ShareText = "asynchronous";
  if (!Sites[S].Async)
    ShareText = formatValue(In.All.shareValue(Self), {}, TimeUnit::Auto);
  // The square root makes small shares differ; HSV from pale to red.
  double Heat = std::sqrt(std::min(Share, 100.0) / 100);
  OS.indent(Level * 2) << "n" << S << " [label=\"" << escape(Sites.kind(S))
                       << "\\n"
                       << escape(Sites.name(S)) << "\\n"
                       << formatTime(Sites.clock().toNs(Self)) << ", "
                       << ShareText << "\", fillcolor=\""
                       << llvm::format("%.3f %.3f 1.000", 0.12 * (1 - Heat),
                                       0.08 + 0.92 * Heat)
                       << "\", id=\"" << escape(Keys[S].text()) << "\"];\n";
}

void DotWriter::cluster(const Cluster &C, StringRef Name, unsigned Level) {
  if (Level > 1) {
    OS.indent(Level * 2 - 2) << "subgraph cluster" << Clusters++ << " {\n";
    OS.indent(Level * 2) << "label=\"" << escape(Name) << "\";\n";
  }
  for (uint32_t S : C.Members)
    node(S, Level);
  for (const auto &[Child, Inner] : C.Children)
    cluster(Inner, Child, Level + 1);
  if (Level > 1)
    OS.indent(Level * 2 - 2) << "}\n";
}

void DotWriter::write() {
  OS << "digraph torchprof {\n"
     << "  label=\"" << escape(In.Title) << "\";\n"
     << "  node [shape=box, style=filled, fontname=\"Helvetica\"];\n"
     << "  fontname=\"Helvetica\"; color=\"gray60\";\n";
  Cluster Root;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (!shown(S))
      continue;
    Cluster *C = &Root;
    if (StringRef Model = Sites.modelNames().ofSeveral(Sites, S);
        !Model.empty())
      C = &C->Children[Model.str()];
    std::string Module = Sites.modulePath(S);
    for (std::string_view Name : moduleNames(Module))
      C = &C->Children[std::string(Name)];
    C->Members.push_back(S);
  }
  cluster(Root, "", 1);
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (!shown(S))
      continue;
    std::set<uint32_t> Drawn;
    for (uint32_t Producer : Sites.producers(S))
      if (shown(Producer) && Drawn.insert(Producer).second)
        OS << "  n" << Producer << " -> n" << S << ";\n";
  }
  OS << "}\n";
}

static Error write(const ExportInput &In, raw_ostream &OS) {
  DotWriter(In, OS).write();
  return Error::success();
}

static ExporterRegistration Registration(
    {"dot", "the dataflow as a heat graph, for Graphviz", true, write, HasTitle,
     /*Operators=*/false});

} // namespace dot_export
