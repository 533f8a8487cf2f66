//===- Measures.h - what is measured beside time ----------------*- C++ -*-===//
//
// A source is one object that is asked at the begin and at the end of a span;
// it knows one measure or several that are read together. Sources are asked
// only in runs in which they are switched on: the lane then sends its probes
// down the cold path, so that a node pays nothing for measures that are off.
//
// Sources are made once per recording and live as long; they are called by the
// lane's owner and must not block or throw.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_MEASURES_H
#define TORCHPROF_MEASURES_H

#include "Lane.h"
#include "Operands.h"

#include <memory>
#include <vector>

namespace torchprof {

/// Measures that are read together. Arrays below have a number for each of
/// them, in the order of Ids.
class MeasureSource {
public:
  explicit MeasureSource(std::initializer_list<format::MeasureId> Ids)
      : Ids(Ids) {}
  virtual ~MeasureSource() = default;

  /// Called when an outermost run begins. False if there is nothing to be read
  /// any more: no span is measured then.
  virtual bool beginRun() { return true; }
  /// Writes readings at the begin of a span, given back to onEnd().
  virtual void onBegin(uint64_t *Readings) = 0;
  /// Makes the readings at a span's begin the span's values.
  virtual void onEnd(uint64_t *Readings) = 0;

  const std::vector<format::MeasureId> Ids;
};

class DeviceTime;
class Ranges;
struct MeasureInfo;

/// What a lane knows of a slot and a measure. Begin is that of a source's first
/// measure.
struct MeasureEntry {
  format::MeasureCell *Data = nullptr;
  uint64_t Begin = 0;   ///< tick of the span that is measured, 0 if none
  uint64_t Reading = 0; ///< at its begin
};

/// What beginSpan() has done.
enum class SpanMeasures {
  None,    ///< nothing: the span is not measured in this run
  Unknown, ///< nothing: the lane does not know the slot yet
  Begun,   ///< readings were made
};

/// The sources of one recording; the time of devices, which comes later than
/// spans end; and other tools that are told of the spans.
class Measures {
public:
  /// Makes the sources that \p Program asks for.
  Measures(ProfileFile &File, PageSource &Pages, const Host &Program);
  ~Measures();

  /// True if a source was asked for, and its measures can be had.
  bool exist() const { return !Sources.empty() || Device || Marked; }

  /// Device time, null unless it is measured.
  DeviceTime *device() const { return Device.get(); }

  /// True if every run is measured.
  bool inEveryRun() const { return Every == 1; }

  /// Decides whether the run that begins on the lane is measured, and whether
  /// shapes are told apart in it if \p WithShapes.
  void beginRun(Lane &L, bool WithShapes);

  /// Asks the sources before a span begins. \p Of: a node's operands, if they
  /// are known.
  SpanMeasures beginSpan(Lane &L, format::Slot Site, bool IsRoot,
                         const Operands &Of = {});
  /// Files the tick \p Begin of a span for which readings were made.
  void spanBegan(Lane &L, format::Slot Site, uint64_t Begin);
  /// Books the values of a span that was recorded with \p Ticks. True if it was
  /// measured: LastMeasured holds its values.
  bool endSpan(Lane &L, format::Slot Site, uint64_t Begin, uint64_t Ticks);
  /// Forgets a span that is not recorded after all.
  void cutSpan(format::Slot Site, uint64_t Begin);
  /// Adds the values in LastMeasured to those nested in \p Outer.
  void addNested(Lane &L, format::Slot Outer);

private:
  /// A source, and where its measures stand among all of them.
  struct Place {
    std::unique_ptr<MeasureSource> Source;
    unsigned First;
    unsigned count() const { return unsigned(Source->Ids.size()); }
  };

  void addSource(std::unique_ptr<MeasureSource> Source);
  void askSources(MeasureEntry *Entries);
  /// The entries of a slot, one per measure; null if there are none.
  MeasureEntry *entries(const Lane &L, format::Slot Site) const;
  /// The cell of an entry, of this epoch; null if none can be had.
  format::MeasureCell *cell(Lane &L, MeasureEntry &M, format::Slot Site,
                            unsigned Measure);
  bool makeEntries(Lane &L);

  ProfileFile &File;
  PageSource &Pages;
  std::vector<Place> Sources;
  std::unique_ptr<DeviceTime> Device;
  std::unique_ptr<Ranges> Marked;
  std::vector<const MeasureInfo *> Infos; ///< of all sources' measures
  bool EverySite;
  uint64_t Every;
};

} // namespace torchprof

#endif // TORCHPROF_MEASURES_H
