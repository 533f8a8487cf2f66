//===- MeasuredPart.cpp - how many of the calls were measured -------------===//

#include "MeasuredPart.h"
#include "WorkColumns.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

// Some calls are never measured: those that begin on one thread and end on
// another. Few of them are not worth a note.
static constexpr double FewMissing = 0.1;

/// The words that switch on what people may take for sums of all calls, each
/// with a measure that has a number for every call that was measured.
static constexpr struct {
  StringLiteral Word, Measure;
} Words[] = {{"cpu", "cpu"}, {"memory", "alloc"}};

static bool isOf(StringRef ColumnId, StringRef Switch) {
  ColumnId.consume_front("self_");
  auto Shows = [&](const KnownMeasure &K, StringRef Id) {
    return K.Switch == Switch && ColumnId == measureColumnId(Id, K.Unit);
  };
  return any_of(knownMeasures(),
                [&](const KnownMeasure &K) {
                  return Shows(K, K.Id) ||
                         (!K.RestId.empty() && Shows(K, K.RestId));
                }) ||
         any_of(derivedMeasures(),
                [&](const DerivedMeasure &D) { return Shows(D.Less, D.Id); });
}

/// Adds a note if \p Measured says of what is selected that only a part of its
/// calls was. What was never measured was not meant to be.
template <typename Function>
static void addNote(std::vector<std::string> &Notes, StringRef What,
                    const SiteTable &Sites, const Selection &Selected,
                    StringRef Meaning, Function Measured) {
  uint64_t Part = 0, All = 0;
  for (uint32_t S = 0; S < Sites.size(); ++S) {
    if (Sites[S].Dynamic || !Selected.matches(Sites, S))
      continue;
    if (uint64_t Calls = Measured(S)) {
      Part += Calls;
      All += std::max(Calls, Sites.measured(S).Count);
    }
  }
  if (static_cast<double>(All - Part) > FewMissing * static_cast<double>(All))
    Notes.push_back(("note: " + What + " recorded in " + utostr(Part) + " of " +
                     utostr(All) + " calls; " + Meaning)
                        .str());
}

std::vector<std::string> report::partNotes(ArrayRef<std::string> ColumnIds,
                                           const SiteTable &Sites,
                                           const Selection &Selected,
                                           StringRef Meaning) {
  std::vector<std::string> Notes;
  for (const auto &[Word, Measure] : Words) {
    std::string Switch = ("TORCHPROF_RECORD=" + Word).str();
    Optional<MeasureId> M = numberOf(Sites.measures(), Measure);
    if (M && any_of(ColumnIds, [&](StringRef Id) { return isOf(Id, Switch); }))
      addNote(Notes, (Word + " was").str(), Sites, Selected, Meaning,
              [&](uint32_t S) { return Sites.measured(*M, S).Count; });
  }
  if (needWork(ColumnIds))
    addNote(Notes, "shapes were", Sites, Selected, Meaning, [&](uint32_t S) {
      uint64_t Calls = 0;
      for (const SiteVariant &V : Sites.variants(S))
        Calls += V.Count;
      return Calls;
    });
  return Notes;
}
