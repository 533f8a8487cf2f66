//===- RowNames.cpp - what a site is called in a row ----------------------===//

#include "RowNames.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

// The group of what is in no module and at no known place.
static constexpr StringLiteral OutsideName = "(outside)";

/// "model.py:12(forward)", as in the stacks of torch.profiler.
static std::string stackText(const SiteTable &Sites, uint32_t S,
                             unsigned Depth) {
  std::string Text;
  unsigned Used = 0;
  for (const Frame &F : Sites.frames(S)) {
    if (Depth && Used++ == Depth)
      break;
    if (!Text.empty())
      Text += " < ";
    Text += F.File.empty() ? "?" : F.File + ":" + std::to_string(F.Line);
    if (!F.Function.empty())
      Text += "(" + F.Function + ")";
  }
  return Text.empty() ? "?" : Text;
}

/// True if the rows are modules or places in the source.
static bool byPlace(GroupBy Group) {
  return Group == GroupBy::Module || Group == GroupBy::Class ||
         Group == GroupBy::Source || Group == GroupBy::Stack;
}

SiteNames report::namesOf(const SiteTable &Sites, uint32_t S,
                          const RowOptions &Options) {
  SiteNames N;
  N.Kind = Sites.kind(S).str();
  N.Name = Sites.fullName(S);
  N.Model = Sites.modelNames().of(Sites, S).str();
  N.ModelId = ModelNames::idOf(Sites, S);
  N.Method = ModelNames::methodAround(Sites, S).str();
  N.Module = Sites.modulePath(S);
  N.Class = Sites.className(S).str();
  N.Label = Sites[S].isModule() ? N.Kind : Sites.label(S);
  N.Source = Options.Group == GroupBy::Stack
                 ? stackText(Sites, S, Options.StackDepth)
                 : Sites.source(S);
  if (byPlace(Options.Group) && Sites[S].isOutside())
    (Options.Group == GroupBy::Module  ? N.Module
     : Options.Group == GroupBy::Class ? N.Class
                                       : N.Source) = OutsideName.str();
  switch (Options.Group) {
  case GroupBy::Node:
  case GroupBy::Shape:
  case GroupBy::Thread:
    break; // every site by itself, or not by names
  case GroupBy::Kind:
    N.Group = N.Kind;
    break;
  case GroupBy::Module:
    N.Group = N.Model + '\n' + N.Module;
    break;
  case GroupBy::Class:
    N.Group = N.Class;
    break;
  case GroupBy::Source:
  case GroupBy::Stack:
    N.Group = N.Source;
    break;
  case GroupBy::Method:
    // Everything of a method has the method's name.
    if (!Sites[S].isOutside())
      N.Name = Sites.methodName(Sites[S].Root);
    N.Group = (Sites[S].isOutside() ? "outside " : "method ") + N.Name;
    break;
  }
  if (Options.NamesApart)
    N.Group += '\n' + N.Label;
  return N;
}
