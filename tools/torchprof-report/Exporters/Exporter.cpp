//===- Exporter.cpp - the registry of exporters ---------------------------===//

#include "Exporter.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

static std::map<std::string, Exporter> &registry() {
  static std::map<std::string, Exporter> Exporters;
  return Exporters;
}

ExporterRegistration::ExporterRegistration(const Exporter &E) {
  registry().emplace(E.Name.str(), E);
}

Expected<Exporter> report::findExporter(StringRef Name) {
  auto It = registry().find(Name.str());
  if (It != registry().end())
    return It->second;
  std::string Names;
  for (const auto &[Known, E] : registry())
    Names += (Names.empty() ? "" : ", ") + Known;
  return createStringError(inconvertibleErrorCode(),
                           "--to: unknown format '" + Name + "'; there are " +
                               Names);
}

std::vector<Exporter> report::allExporters() {
  std::vector<Exporter> Exporters;
  for (const auto &[Name, E] : registry())
    Exporters.push_back(E);
  return Exporters;
}
