//===- Measures.h - what is measured beside time ----------------*- C++ -*-===//
//
// A source of a measure is one object that is asked at the begin and at the end
// of a span. Sources are asked only in runs in which they are switched on: the
// lane then sends its probes down the cold path, so that a node pays nothing
// for measures that are off.
//
// Sources are made once per recording and live as long; they are called by the
// lane's owner and must not block or throw.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_MEASURES_H
#define TORCHPROF_MEASURES_H

#include "Lane.h"

#include <memory>
#include <vector>

namespace torchprof {

/// One kind of measure.
class MeasureSource {
public:
  explicit MeasureSource(format::MeasureId Id) : Id(Id) {}
  virtual ~MeasureSource() = default;

  /// A reading at the begin of a span, given back to onEnd().
  virtual uint64_t onBegin() = 0;
  /// The value of the span that began at the reading \p AtBegin.
  virtual uint64_t onEnd(uint64_t AtBegin) = 0;
  /// Called at the end of a run: values that were not ready at their spans'
  /// ends may be filed now.
  virtual void resolve(Lane &) {}

  const format::MeasureId Id;
};

/// What a lane knows of a slot and a measure.
struct MeasureEntry {
  format::MeasureCell *Data = nullptr;
  uint64_t Begin = 0;   ///< tick of the span that is measured, 0 if none
  uint64_t Reading = 0; ///< at its begin
};

/// The sources of one recording.
class Measures {
public:
  /// Makes the sources that \p Program asks for.
  Measures(ProfileFile &File, PageSource &Pages, const Host &Program);

  bool exist() const { return !Sources.empty(); }

  /// Decides whether the run that begins on the lane is measured.
  void beginRun(Lane &L);
  /// Lets values that are ready by now be filed.
  void endRun(Lane &L);

  /// Asks the sources before a span begins. False if its site is not measured
  /// in this run.
  bool beginSpan(Lane &L, format::Slot Site, bool IsRoot);
  /// Files the tick \p Begin of a span for which beginSpan() was true.
  void spanBegan(Lane &L, format::Slot Site, uint64_t Begin);
  /// Books the values of a span that was recorded with \p Ticks. True if it was
  /// measured: LastMeasured holds its values.
  bool endSpan(Lane &L, format::Slot Site, uint64_t Begin, uint64_t Ticks);
  /// Adds the values in LastMeasured to those nested in \p Outer.
  void addNested(Lane &L, format::Slot Outer);

private:
  MeasureEntry *entry(Lane &L, format::Slot Site, unsigned Source) const;
  format::MeasureCell *cell(Lane &L, format::Slot Site, unsigned Source);
  bool makeEntries(Lane &L);

  ProfileFile &File;
  PageSource &Pages;
  std::vector<std::unique_ptr<MeasureSource>> Sources;
  bool EverySite;
  uint64_t Every;
};

} // namespace torchprof

#endif // TORCHPROF_MEASURES_H
