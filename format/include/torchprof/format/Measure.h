//===- Measure.h - what is measured beside time -----------------*- C++ -*-===//
//
// Host time has cells of its own (Records.h). Other measures of a site have
// small cells in segments that say what they hold: a reader adds up and prints
// a measure that it does not know. A profile without them costs nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_MEASURE_H
#define TORCHPROF_FORMAT_MEASURE_H

#include "torchprof/format/Site.h"

#include <cstdint>

namespace torchprof::format {

enum class MeasureUnit : uint32_t { Nanoseconds = 1, Bytes = 2, Count = 3 };

/// How the values of two spans, or of two cells, become one.
enum class MeasureSum : uint32_t {
  Sum = 1,  ///< added: a parent's value holds its children's
  Peak = 2, ///< the larger one
};

/// The numbers of measures are part of the format and are not used again.
enum class MeasureId : uint32_t {
#define TORCHPROF_MEASURE(NAME, NUMBER, ID, WORD, UNIT, SUM, MEANING)          \
  NAME = NUMBER,
#include "torchprof/format/Measures.def"
};

/// How a measure that this version knows adds up.
constexpr MeasureSum sumOf(MeasureId Id) {
  switch (Id) {
#define TORCHPROF_MEASURE(NAME, NUMBER, ID, WORD, UNIT, SUM, MEANING)          \
  case MeasureId::NAME:                                                        \
    return MeasureSum::SUM;
#include "torchprof/format/Measures.def"
  }
  return MeasureSum::Sum;
}

/// The word of TORCHPROF_RECORD that switches a measure on.
constexpr const char *recordWord(MeasureId Id) {
  switch (Id) {
#define TORCHPROF_MEASURE(NAME, NUMBER, ID, WORD, UNIT, SUM, MEANING)          \
  case MeasureId::NAME:                                                        \
    return WORD;
#include "torchprof/format/Measures.def"
  }
  return "";
}

/// Measures that are read together share cells, up to so many.
inline constexpr unsigned MeasuresPerCell = 4;

/// One of the measures in a segment.
struct MeasureRecord {
  MeasureId Measure;
  MeasureUnit Unit;
  MeasureSum Sum;
  uint32_t Reserved;
  char Name[24]; ///< id of the measure, "cpu", NUL-terminated
};
static_assert(sizeof(MeasureRecord) == 40);

/// Head of a Measures segment: cells of measures that are read together, on one
/// lane. Used grows (release) after a cell's Slot is set.
struct MeasuresRecord {
  uint32_t Count;  ///< number of measures, 1 to MeasuresPerCell
  uint32_t Stride; ///< bytes from one cell to the next, sizeof(MeasureCell)
  uint32_t Capacity;
  uint32_t Used;
  MeasureRecord Measures[MeasuresPerCell];
};
static_assert(sizeof(MeasuresRecord) == 176);

/// What one slot measured on one lane, by the number of the measure in the
/// segment's head. One writer; Word as in Cell. What each span changes lies in
/// the first line.
struct MeasureCell {
  Slot Site;
  uint32_t Epoch;                ///< as in Cell
  uint64_t Word;                 ///< 2 * number of spans measured, odd while
                                 ///< updating
  uint64_t Time;                 ///< host ticks of the spans that were measured
  uint64_t Sum[MeasuresPerCell]; ///< of all spans; of a Peak measure the
                                 ///< largest
  uint64_t Reserved;
  uint64_t Max[MeasuresPerCell];    ///< largest of one span
  uint64_t Nested[MeasuresPerCell]; ///< value of the runs that started directly
                                    ///< inside
};
static_assert(sizeof(MeasureCell) == 128);

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_MEASURE_H
