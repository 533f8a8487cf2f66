//===- PlaceMeasures.h - measures by place ----------------------*- C++ -*-===//
//
// What the nodes in one place, a module or a line of source, measured beside
// time, and the columns that show it.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_PLACEMEASURES_H
#define TORCHPROF_REPORT_PLACEMEASURES_H

#include "Columns.h"
#include "SiteTable.h"

namespace torchprof::report {

/// What the nodes in one place measured.
struct PlaceMeasure {
  bool IsKnown = false; ///< one of them measured something
  UInt128 Self = 0; ///< of those written there directly; of a peak, the largest
  UInt128 Total = 0; ///< of all inside
};
/// By the number among knownMeasures(); empty if there is none.
using PlaceMeasures = std::vector<PlaceMeasure>;

/// Adds what site \p S measured without its children, as written there directly
/// or only as inside. \p WithTimes: false for what ran beside its parent, whose
/// times are no part of the place's, unlike its bytes and blocks.
void addMeasures(PlaceMeasures &To, const SiteTable &Sites, uint32_t S,
                 bool IsDirect, bool WithTimes);

/// Adds what a place inside measured.
void addInner(PlaceMeasures &To, const PlaceMeasures &Inner);

/// What columns say of the two amounts, behind the measure's help.
struct PlaceWords {
  llvm::StringRef Total, ///< ", of all nodes inside"
      Peak,              ///< ", of the nodes inside the largest"
      Self;              ///< ", of the nodes written in it directly"
};

/// A column of measures. \p OfMeasure as in ColumnOf.
struct PlaceColumn {
  TableColumn Shape;
  std::string Help;
  std::function<Value(const PlaceMeasures &)> Get;
  llvm::StringRef OfMeasure;
};
std::vector<PlaceColumn> placeColumns(const PlaceWords &Words);

/// The columns that nobody has to ask for, if their measures were recorded.
std::vector<std::string> shownPlaceColumns();

/// Appends the columns of the measures that \p Of, a member of a line, holds.
template <typename Line>
void addPlaceColumns(std::vector<ColumnOf<Line, RowContext>> &Columns,
                     PlaceMeasures Line::*Of, const PlaceWords &Words) {
  for (PlaceColumn &C : placeColumns(Words)) {
    Columns.push_back(
        {C.Shape, C.Help, [Get = C.Get, Of](const Line &L, const RowContext &) {
           return Get(L.*Of);
         }});
    Columns.back().OfMeasure = C.OfMeasure;
  }
}

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_PLACEMEASURES_H
