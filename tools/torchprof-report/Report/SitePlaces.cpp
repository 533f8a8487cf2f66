//===- SitePlaces.cpp - what sites are called and where they stand --------===//
//
// A dynamic site stands where the site stands that it lies over.
//
//===----------------------------------------------------------------------===//

#include "SiteTable.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

std::string SiteTable::modulePath(uint32_t S) const {
  const Site &Place = place(S);
  return Place.Origin->modulePath(Place.Index);
}

StringRef SiteTable::className(uint32_t S) const {
  const Site &Place = place(S);
  return Place.Origin->className(Place.Index);
}

std::vector<Frame> SiteTable::frames(uint32_t S) const {
  const Site &Place = place(S);
  std::vector<Frame> Frames = Place.Origin->frames(Place.Index);
  for (Frame &F : Frames)
    F.File = Prefix.cut(F.File).str();
  return Frames;
}

StringRef SiteTable::signature(uint32_t Root) const {
  return Sites[Root].Origin->signature(Sites[Root].Index);
}

const Manifest *SiteTable::manifest(uint32_t S) const {
  return place(S).Origin->manifest();
}

uint32_t SiteTable::scope(uint32_t S) const {
  const Site &Place = place(S);
  return Place.Origin->scope(Place.Index);
}

std::vector<uint32_t> SiteTable::producers(uint32_t S) const {
  std::vector<uint32_t> Producers;
  uint32_t First = S - Sites[S].Index;
  for (uint32_t Producer : Sites[S].Origin->producers(Sites[S].Index))
    Producers.push_back(First + Producer);
  return Producers;
}

std::string SiteTable::source(uint32_t S) const {
  const Site &Place = place(S);
  SourceLine Found = Place.Origin->source(Place.Index);
  if (Found.File.empty())
    return "?";
  return (Prefix.cut(Found.File) + ":" + Twine(Found.Line)).str();
}

const ModelNames &SiteTable::modelNames() const {
  if (!NamesOfModels)
    NamesOfModels = std::make_unique<ModelNames>(*this);
  return *NamesOfModels;
}

std::string SiteTable::fullName(uint32_t S) const {
  std::string Name = name(S).str();
  if (uint32_t Node = nodeOf(S); Node != S)
    Name += (" of " + name(Node)).str();
  return Name;
}

std::string SiteTable::label(uint32_t S) const {
  if (Sites[S].isModule())
    return className(S).str();
  if (Sites[S].Gradient)
    return (kind(S) + " " + name(S)).str();
  if (Sites[S].isRoot())
    return methodName(S);
  return (Sites[S].isRegion() ? name(S) : kind(S)).str();
}
