//===- Exporter.h - the registry of exporters -------------------*- C++ -*-===//
//
// An exporter is one file: a function that writes profiles in one format, and
// one ExporterRegistration. There is a page docs/export-*.md for each format.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_EXPORTER_H
#define TORCHPROF_REPORT_EXPORTER_H

#include "../Report/Roofline.h"
#include "../Report/Runs.h"
#include "../Report/Totals.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace torchprof::report {

/// What the area of a stack stands for.
enum class Weight { SelfNs, Calls, DeviceNs };

/// Its name on the command line.
constexpr const char *weightName(Weight W) {
  return W == Weight::Calls      ? "calls"
         : W == Weight::DeviceNs ? "device"
                                 : "self_ns";
}

/// What a picture says of it.
constexpr const char *weightTitle(Weight W) {
  return W == Weight::Calls      ? "calls"
         : W == Weight::DeviceNs ? "time of devices"
                                 : "self time";
}

struct ExportInput {
  const SiteTable &Sites;
  const Selection &Selected;
  const RunLatencies &Runs;
  Totals All;
  /// The only file, for what cannot be added up; null if there are several.
  const Profile *Single = nullptr;
  const SlotToSite *SlotsOfSingle = nullptr;
  Roof Under = {}; ///< what the machine does at most, as far as it is known
  Weight StackWeight = Weight::SelfNs;
  /// A timeline made from mean times instead of a trace.
  bool FromAggregate = false;
  std::string Title = {};
};

/// An option of `export` that not every format has a use for.
enum ExportOption : unsigned {
  HasWeight = 1,
  HasTitle = 2,
  HasAggregate = 4, ///< a timeline can be made up
  HasPeaks = 8
};

struct Exporter {
  llvm::StringLiteral Name;
  llvm::StringLiteral Help;
  /// False for a format of bytes, which a terminal should not get.
  bool Text;
  llvm::Error (*Write)(const ExportInput &In, llvm::raw_ostream &OS);
  unsigned Options; ///< of ExportOption; others are refused
  /// Shows the operators inside of nodes by themselves. Else they are part of
  /// their nodes, whose self time is all that is shown.
  bool Operators = true;
};

/// An exporter registered by a static object.
struct ExporterRegistration {
  explicit ExporterRegistration(const Exporter &E);
};

/// Finds an exporter. The error lists the names that exist.
llvm::Expected<Exporter> findExporter(llvm::StringRef Name);

/// All exporters, sorted by name.
std::vector<Exporter> allExporters();

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_EXPORTER_H
