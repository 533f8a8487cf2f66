//===- PlaceMeasures.cpp - measures by place ------------------------------===//

#include "PlaceMeasures.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

/// Number of a measure among those known.
static size_t placeNumber(const KnownMeasure &K) {
  return static_cast<size_t>(&K - knownMeasures().begin());
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

static void combine(UInt128 &To, MeasureFold Fold, UInt128 Amount) {
  To = Fold == MeasureFold::Sum ? To + Amount : std::max(To, Amount);
}

void report::addMeasures(PlaceMeasures &To, const SiteTable &Sites, uint32_t S,
                         bool IsDirect, bool WithTimes) {
  To.resize(knownMeasures().size());
  for (MeasureId M = 0; M < Sites.measures().size(); ++M) {
    const KnownMeasure *K = findKnownMeasure(Sites.measures()[M].Id);
    const MeasureTotal &Own = Sites.measured(M, S);
    if (!K || Own.Count == 0 ||
        (K->Unit == MeasureUnit::Nanoseconds && !WithTimes))
      continue;
    PlaceMeasure &P = To[placeNumber(*K)];
    P.IsKnown = true;
    UInt128 Amount = K->Fold == MeasureFold::Sum ? Sites.self(M, S).Amount
                                                 : UInt128(Own.Max);
    combine(P.Total, K->Fold, Amount);
    if (IsDirect)
      combine(P.Self, K->Fold, Amount);
  }
}

void report::addInner(PlaceMeasures &To, const PlaceMeasures &Inner) {
  To.resize(knownMeasures().size());
  for (size_t I = 0; I < Inner.size(); ++I) {
    To[I].IsKnown |= Inner[I].IsKnown;
    combine(To[I].Total, knownMeasures()[I].Fold, Inner[I].Total);
  }
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// Two columns for each number of bytes that is the difference of two measures.
static void addDerived(std::vector<PlaceColumn> &Columns,
                       const DerivedMeasure &D, const PlaceWords &Words) {
  size_t More = placeNumber(D.More), Less = placeNumber(D.Less);
  auto Add = [&](const Twine &Prefix, const Twine &Title, StringRef Words,
                 UInt128 PlaceMeasure::*Amount) {
    Columns.push_back(
        {TableColumn::make(
             (Prefix + measureColumnId(D.Id, MeasureUnit::Bytes)).str(),
             Title.str(), ValueType::Bytes),
         (D.Help + Words).str(),
         [=](const PlaceMeasures &M) {
           if (M.empty() || !M[More].IsKnown)
             return Value();
           return Value::bytesLess(static_cast<uint64_t>(M[More].*Amount),
                                   static_cast<uint64_t>(M[Less].*Amount));
         },
         D.Less.Id});
  };
  Add("", D.Title, Words.Total, &PlaceMeasure::Total);
  Add("self_", "self " + D.Title, Words.Self, &PlaceMeasure::Self);
}

std::vector<PlaceColumn> report::placeColumns(const PlaceWords &Words) {
  std::vector<PlaceColumn> Columns;
  for (const KnownMeasure &K : knownMeasures()) {
    size_t Number = placeNumber(K);
    auto Add = [&](const Twine &Prefix, const Twine &Title, StringRef Words,
                   UInt128 PlaceMeasure::*Amount) {
      Columns.push_back(
          {TableColumn::make((Prefix + measureColumnId(K.Id, K.Unit)).str(),
                             Title.str(), measureValueType(K.Unit)),
           (K.Help + Words).str(),
           [=, Unit = K.Unit](const PlaceMeasures &M) {
             if (M.empty() || !M[Number].IsKnown)
               return Value();
             return measureValue(Unit, M[Number].*Amount);
           },
           K.Id});
    };
    bool IsPeak = K.Fold == MeasureFold::Peak;
    Add("", K.Title, IsPeak ? Words.Peak : Words.Total, &PlaceMeasure::Total);
    if (!IsPeak)
      Add("self_", "self " + K.Title, Words.Self, &PlaceMeasure::Self);
    for (const DerivedMeasure &D : derivedMeasures())
      if (D.Less.Of == K.Of)
        addDerived(Columns, D, Words);
  }
  return Columns;
}

std::vector<std::string> report::shownPlaceColumns() {
  std::vector<TableMeasure> All;
  for (const KnownMeasure &K : knownMeasures())
    All.push_back({K.Id.str(), K.Unit, K.Fold});
  std::vector<std::string> Ids = shownMeasureColumns(All);
  erase_if(Ids, [](StringRef Id) { return Id == "wait_ns"; });
  return Ids;
}
