//===- Measure.h - what is recorded beside host time ------------*- C++ -*-===//
//
// A measure is one more number per span: CPU time, bytes, a count. A profile
// says which ones it holds; the report adds up any of them and gives it
// columns. What is known about a measure beyond that (its title, how to record
// it) is a row of knownMeasures().
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_MEASURE_H
#define TORCHPROF_REPORT_MEASURE_H

#include "../Profile/Aggregate.h"
#include "Table.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace torchprof::report {

using format::MeasureUnit;

/// How the numbers of several spans become one. Sum: they are added; a site's
/// self is its own without its children's. Peak: the largest counts; there is
/// no self.
using MeasureFold = format::MeasureSum;

/// A measure of a profile.
struct TableMeasure {
  std::string Id; ///< "cpu"
  MeasureUnit Unit = MeasureUnit::Nanoseconds;
  MeasureFold Fold = MeasureFold::Sum;

  bool operator==(const TableMeasure &) const = default;
};

/// Number of a measure in a SiteTable.
using MeasureId = uint32_t;

/// The number of a measure among \p Measures; None if it is not there.
llvm::Optional<MeasureId> numberOf(llvm::ArrayRef<TableMeasure> Measures,
                                   llvm::StringRef Id);

/// What one lane measured for one slot.
struct MeasureCell {
  uint64_t Count = 0; ///< spans measured; may be fewer than those timed
  uint64_t Sum = 0;
  uint64_t Max = 0;
  uint64_t Nested = 0; ///< of the runs and regions directly inside
  uint64_t Time = 0;   ///< host ticks of the spans measured
};

/// Cells added up.
struct MeasureTotal {
  uint64_t Count = 0;
  UInt128 Sum = 0;
  uint64_t Max = 0;
  UInt128 Nested = 0;
  UInt128 Time = 0;

  /// Adds a MeasureCell or another total.
  template <typename T> void add(const T &Other) {
    Count += Other.Count;
    Sum += Other.Sum;
    Max = std::max(Max, Other.Max);
    Nested += Other.Nested;
    Time += Other.Time;
  }
};

/// How the report speaks of a measure.
struct MeasureWords {
  format::MeasureId Of;
  llvm::StringLiteral Title;
  llvm::StringLiteral Help;
  /// In the summary without being asked for, if it was recorded.
  bool IsShown = true;
  /// Of a time: the id, title and meaning of what it lacks of the host time
  /// of the same spans. Empty if that says nothing.
  llvm::StringLiteral RestId = "", RestTitle = "", RestHelp = "";
  /// The same of the number of calls that were measured, which may be fewer
  /// than were timed. Measures that are read together have one such column.
  llvm::StringLiteral CallsId = "", CallsTitle = "", CallsHelp = "";
};

/// A row of Measures.def, with its words.
struct KnownMeasure : MeasureWords {
  llvm::StringLiteral Id;
  MeasureUnit Unit;
  MeasureFold Fold;
  llvm::StringLiteral Switch; ///< what makes the runtime record it
};

/// All measures of this version, in the order of Measures.def.
llvm::ArrayRef<KnownMeasure> knownMeasures();
/// The one of a name, null if there is none.
const KnownMeasure *findKnownMeasure(llvm::StringRef Id);

/// What one measure of bytes is above another.
struct DerivedMeasure {
  llvm::StringLiteral Id, Title, Help;
  const KnownMeasure &More, &Less;
};

llvm::ArrayRef<DerivedMeasure> derivedMeasures();

/// The id of a measure's column: "cpu_ns", "alloc_bytes", "allocs".
std::string measureColumnId(llvm::StringRef Id, MeasureUnit Unit);

/// The type of its values.
ValueType measureValueType(MeasureUnit Unit);

/// A number of a measure as a value.
Value measureValue(MeasureUnit Unit, UInt128 Number);

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_MEASURE_H
