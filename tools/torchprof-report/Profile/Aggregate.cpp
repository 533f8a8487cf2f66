//===- Aggregate.cpp - cells added up -------------------------------------===//

#include "Aggregate.h"
#include "torchprof/format/Fold.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace torchprof;
using namespace torchprof::report;

template <typename CellType>
static bool readAnyCell(const CellType &Source, CellType &Copy, bool Live) {
  if (!Live) {
    Copy = Source;
    return Copy.Word % 2 == 0;
  }
  if (format::copyLiveCell(Copy, Source))
    return true;
  format::copyWords(&Copy, &Source, sizeof(Copy));
  Copy.Word |= 1;
  return false;
}

bool report::readCell(const format::Cell &Source, format::Cell &Copy,
                      bool Live) {
  return readAnyCell(Source, Copy, Live);
}

bool report::readCell(const format::VariantCell &Source,
                      format::VariantCell &Copy, bool Live) {
  return readAnyCell(Source, Copy, Live);
}

bool report::readCell(const MeasuredSlot &Source, MeasuredSlot &Copy, bool) {
  return readAnyCell(Source, Copy, /*Live=*/false);
}

format::Cell report::emptyCell(format::Slot Site, uint32_t Epoch) {
  format::Cell C = {};
  C.Site = Site;
  C.Epoch = Epoch;
#define TORCHPROF_CELL_FIELD(NAME, JSON, INITIAL, COMBINE, MEANING)            \
  C.NAME = INITIAL;
#include "torchprof/format/CellFields.def"
  return C;
}

void report::recordSample(format::Cell &C, uint64_t Ticks) {
  if (C.Word == 0)
    C.Min = UINT64_MAX; // a zeroed cell is welcome too
  format::LogRecord NoLog;
  foldRecord(C, NoLog, 0, format::LogKind::Span, Ticks);
  C.Folded = 0; // there is no record
}

UInt128 report::scaled(UInt128 Ticks, long double Scale) {
  if (Scale == 1)
    return Ticks;
  return static_cast<UInt128>(static_cast<long double>(Ticks) * Scale + 0.5L);
}

void report::addMeasure(MeasuredSlot &To, const MeasuredSlot &From,
                        format::MeasureSum How, double Scale) {
  using llvm::SaturatingAdd;
  auto Time = static_cast<uint64_t>(scaled(From.Time, Scale));
  To.Max = std::max(To.Max, From.Max);
  To.Sum = How == format::MeasureSum::Peak ? std::max(To.Sum, From.Sum)
                                           : SaturatingAdd(To.Sum, From.Sum);
  To.Time = SaturatingAdd(To.Time, Time);
  To.Nested = SaturatingAdd(To.Nested, From.Nested);
  To.Word += From.Word;
}

void Aggregate::add(const format::Cell &C, double Scale, bool WithHistogram,
                    bool GoesOn) {
  uint64_t CellCount = C.Word / 2;
  Begins += C.Begins;
  Cut += C.Cut;
  UInt128 CellSquares = UInt128(C.SquaresHigh) << 64 | C.SquaresLow;
  Sum += scaled(C.Sum, Scale);
  Squares += scaled(CellSquares, (long double)Scale * Scale);
  Nested += scaled(C.Nested, Scale);
  Gradients += scaled(C.Gradients, Scale);
  Pairs += C.Pairs;
  if (CellCount == 0)
    return;
  size_t Room = First.empty() || (GoesOn && First.size() == Count)
                    ? format::FirstSamples - First.size()
                    : 0;
  Count += CellCount;
  auto One = [&](uint64_t Ticks) {
    return static_cast<uint64_t>(scaled(Ticks, Scale));
  };
  Min = std::min(Min, One(C.Min));
  Max = std::max(Max, One(C.Max));
  // A cell that others were added up to may have fewer than its spans.
  for (size_t I = 0; I < Room && I < CellCount && C.First[I] >= C.Min; ++I)
    First.push_back(One(C.First[I]));
  if (!WithHistogram)
    return;
  Histogram.resize(format::HistogramBuckets);
  for (unsigned I = 0; I < format::HistogramBuckets; ++I) {
    uint64_t Samples = C.Histogram[I];
    if (Samples == 0)
      continue;
    unsigned Bucket = I;
    if (Scale != 1)
      Bucket = format::histogramBucket(
          static_cast<uint64_t>(format::histogramMiddle(I) * Scale + 0.5));
    Histogram[Bucket] += Samples;
  }
}

void Aggregate::add(const Aggregate &Other) {
  Begins += Other.Begins;
  Count += Other.Count;
  Cut += Other.Cut;
  EndedElsewhere += Other.EndedElsewhere;
  Sum += Other.Sum;
  Squares += Other.Squares;
  Nested += Other.Nested;
  Gradients += Other.Gradients;
  Pairs += Other.Pairs;
  PairTicks += Other.PairTicks;
  Min = std::min(Min, Other.Min);
  Max = std::max(Max, Other.Max);
  if (First.empty())
    First = Other.First;
  if (Histogram.empty()) {
    Histogram = Other.Histogram;
    return;
  }
  for (size_t I = 0; I < Other.Histogram.size(); ++I)
    Histogram[I] += Other.Histogram[I];
}

/// Takes \p Part of \p Whole parts of \p Amount away, rounded down.
template <typename T>
static T takeShare(T &Amount, uint64_t Part, uint64_t Whole) {
  if (Part == Whole)
    return std::exchange(Amount, 0);
  // Amount * Part could have more than 128 bits.
  UInt128 All = Amount;
  T Share = static_cast<T>(All / Whole * Part + All % Whole * Part / Whole);
  Amount -= Share;
  return Share;
}

bool Aggregate::appendCells(format::Slot Site,
                            std::vector<format::Cell> &Cells) const {
  if ((Sum | Nested | Gradients) >> 64 || Count >> 63)
    return false;
  Aggregate Rest = *this;
  Rest.Begins -= std::min(Begins, EndedElsewhere);
  do {
    format::Cell C = {};
    uint64_t Samples = 0;
    bool Full = false;
    for (size_t I = 0; I < Rest.Histogram.size(); ++I) {
      C.Histogram[I] = static_cast<uint32_t>(
          std::min<uint64_t>(Rest.Histogram[I], UINT32_MAX));
      Rest.Histogram[I] -= C.Histogram[I];
      Samples += C.Histogram[I];
      Full |= Rest.Histogram[I] != 0;
    }
    // The last cell takes what a damaged histogram does not know of.
    if (!Full || Samples > Rest.Count)
      Samples = Rest.Count;
    C.Site = Site;
    C.Word = Samples * 2;
    C.Begins = takeShare(Rest.Begins, Samples, Rest.Count);
    C.Cut = std::exchange(Rest.Cut, 0);
    C.Sum = static_cast<uint64_t>(takeShare(Rest.Sum, Samples, Rest.Count));
    UInt128 Part = takeShare(Rest.Squares, Samples, Rest.Count);
    C.SquaresLow = static_cast<uint64_t>(Part);
    C.SquaresHigh = static_cast<uint64_t>(Part >> 64);
    C.Min = Min;
    C.Max = Max;
    C.Nested = std::exchange(Rest.Nested, 0);
    C.Gradients = std::exchange(Rest.Gradients, 0);
    C.Pairs = takeShare(Rest.Pairs, Samples, Rest.Count);
    std::copy(Rest.First.begin(), Rest.First.end(), C.First);
    Rest.First.clear();
    Rest.Count -= Samples;
    Cells.push_back(C);
  } while (Rest.Count);
  return true;
}

double Aggregate::mean() const {
  return Count ? static_cast<double>(Sum) / static_cast<double>(Count) : 0;
}

double Aggregate::squaredDeviations() const {
  if (Count < 2)
    return 0;
  // Sum of (x - mean)^2 = sum of x^2 - (sum of x)^2 / n.
  auto S = static_cast<long double>(Sum);
  long double Result = static_cast<long double>(Squares) -
                       S * S / static_cast<long double>(Count);
  return Result > 0 ? static_cast<double>(Result) : 0;
}

double Aggregate::standardDeviation() const {
  return Count ? std::sqrt(squaredDeviations() / static_cast<double>(Count))
               : 0;
}

double Aggregate::quantile(double Fraction) const {
  if (Count == 0 || Histogram.empty())
    return 0;
  uint64_t Samples = 0;
  for (uint64_t N : Histogram)
    Samples += N;
  auto Rank =
      static_cast<uint64_t>(std::ceil(Fraction * static_cast<double>(Samples)));
  Rank = std::max<uint64_t>(Rank, 1);
  uint64_t Seen = 0;
  for (unsigned I = 0; I < Histogram.size(); ++I) {
    Seen += Histogram[I];
    if (Seen < Rank)
      continue;
    double Value = I + 1 == format::HistogramBuckets
                       ? static_cast<double>(Max)
                       : format::histogramMiddle(I);
    return std::clamp(Value, static_cast<double>(Min),
                      static_cast<double>(std::max(Min, Max)));
  }
  return static_cast<double>(Max);
}
