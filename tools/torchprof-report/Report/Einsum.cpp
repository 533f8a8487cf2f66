//===- Einsum.cpp - what an Einstein summation computes -------------------===//

#include "Einsum.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace {

/// A letter, or the negative number from the end of a dimension that "..."
/// stands for.
using Label = int;

/// The sizes of an operand. What is not there has the size 1.
class Sizes {
public:
  double of(Label L) const {
    auto It = ByLabel.find(L);
    return It == ByLabel.end() ? 1 : It->second;
  }
  void set(Label L, double Size) {
    double &Known = ByLabel.emplace(L, Size).first->second;
    if (Known == 1) // is broadcast
      Known = Size;
  }
  void drop(Label L) { ByLabel.erase(L); }
  double elements() const {
    double Product = 1;
    for (auto [L, Size] : ByLabel)
      Product *= Size;
    return Product;
  }
  const std::map<Label, double> &labels() const { return ByLabel; }

private:
  std::map<Label, double> ByLabel;
};

/// The summation while it is computed.
class Summation {
public:
  bool read(StringRef Equation, ArrayRef<Operand> Operands);
  Contractions contract();

private:
  bool addTerm(StringRef Term, const Operand &O);
  bool readOutput(StringRef Term);
  void sumAlone(Sizes &S, ArrayRef<Label> Of);
  Sizes multiply(Sizes A, Sizes B, size_t Last);
  bool isKept(Label L, size_t Last) const {
    return Output.count(L) || LastTerm.at(L) > Last;
  }

  std::vector<Sizes> Terms;
  std::map<Label, size_t> LastTerm; ///< that has the label
  std::map<Label, unsigned> Uses;   ///< in all terms
  std::set<Label> Output;
  Contractions Done;
};

} // namespace

bool Summation::addTerm(StringRef Term, const Operand &O) {
  if (!O.isTensor() || !O.HasSizes)
    return false;
  auto [Front, Back] = Term.split("...");
  bool HasEllipsis = Term.contains("...");
  size_t Named = Front.size() + Back.size(), Rank = O.Sizes.size();
  if (HasEllipsis ? Named > Rank : Named != Rank)
    return false;
  std::vector<Label> Labels(Front.begin(), Front.end());
  for (size_t Rest = Rank - Named; Rest > 0; --Rest)
    Labels.push_back(-static_cast<Label>(Rest));
  Labels.insert(Labels.end(), Back.begin(), Back.end());
  Sizes &S = Terms.emplace_back();
  for (size_t I = 0; I < Rank; ++I) {
    if ((Labels[I] >= 0 && !isAlpha(static_cast<char>(Labels[I]))) ||
        O.Sizes[I] < 0)
      return false;
    S.set(Labels[I], static_cast<double>(O.Sizes[I]));
    LastTerm[Labels[I]] = Terms.size() - 1;
    ++Uses[Labels[I]];
  }
  return true;
}

bool Summation::readOutput(StringRef Term) {
  if (Term.contains("..."))
    for (auto [L, Count] : Uses)
      if (L < 0)
        Output.insert(L);
  auto [Front, Back] = Term.split("...");
  for (char Letter : (Front + Back).str())
    if (!Uses.count(Letter) || !Output.insert(Letter).second)
      return false;
  return true;
}

bool Summation::read(StringRef Equation, ArrayRef<Operand> Operands) {
  std::string Text = Equation.str();
  erase_value(Text, ' ');
  auto [Inputs, Rest] = StringRef(Text).split("->");
  SmallVector<StringRef, 4> Named;
  Inputs.split(Named, ',');
  if (Named.size() != Operands.size())
    return false;
  for (size_t I = 0; I < Named.size(); ++I)
    if (!addTerm(Named[I], Operands[I]))
      return false;
  if (StringRef(Text).contains("->"))
    return readOutput(Rest);
  // What occurs once, and what "..." stands for.
  for (auto [L, Count] : Uses)
    if (L < 0 || Count == 1)
      Output.insert(L);
  return true;
}

void Summation::sumAlone(Sizes &S, ArrayRef<Label> Of) {
  double Before = S.elements();
  for (Label L : Of)
    S.drop(L);
  if (S.elements() != Before)
    Done.OtherOps += Before;
}

/// The product of two operands, of which \p Last is the last that is in it,
/// over what nothing behind it needs.
Sizes Summation::multiply(Sizes A, Sizes B, size_t Last) {
  std::vector<Label> OnlyA, OnlyB, Both;
  Sizes All = A;
  for (auto [L, Size] : B.labels())
    All.set(L, Size);
  for (auto [L, Size] : All.labels()) {
    if (isKept(L, Last))
      continue;
    bool InA = A.of(L) != 1, InB = B.of(L) != 1;
    if (InA || InB) // else there is nothing to sum up
      (InA && InB ? Both : InA ? OnlyA : OnlyB).push_back(L);
  }
  sumAlone(A, OnlyA);
  sumAlone(B, OnlyB);
  for (Label L : OnlyA)
    All.drop(L);
  for (Label L : OnlyB)
    All.drop(L);
  double Products = All.elements();
  for (Label L : Both)
    All.drop(L);
  (Both.empty() ? Done.OtherOps : Done.Flops) +=
      Both.empty() ? Products : 2 * Products;
  return All;
}

Contractions Summation::contract() {
  Sizes Result = Terms.front();
  std::vector<Label> Alone;
  for (auto [L, Size] : Result.labels())
    if (!isKept(L, 0))
      Alone.push_back(L);
  sumAlone(Result, Alone);
  for (size_t I = 1; I < Terms.size(); ++I)
    Result = multiply(std::move(Result), Terms[I], I);
  return Done;
}

Optional<Contractions> report::contractionsOf(StringRef Equation,
                                              ArrayRef<Operand> Operands) {
  Summation S;
  if (Operands.empty() || !S.read(Equation, Operands))
    return None;
  return S.contract();
}
