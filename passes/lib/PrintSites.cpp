//===- PrintSites.cpp - the table of sites for people and programs --------===//

#include "torchprof/Passes.h"

#include <iomanip>
#include <ostream>

namespace torchprof {

static std::string nameOf(const Manifest &Table, const ManifestSite &Site) {
  const std::string &Name = Table.string(Site.Name);
  if (Site.Flags & (SF_Root | SF_Module))
    return Name;
  return Name.empty() ? Name : "%" + Name;
}

/// The innermost frame outside of torch's own code, because that is the same
/// line for every convolution. Torch's frame if there is no other.
static std::string sourceOf(const Manifest &Table, const ManifestSite &Site) {
  SourcePosition Place = Site.Source;
  SourcePosition Chosen = Place;
  for (uint32_t S = Site.Scope; S != NoIndex; S = Table.Scopes[S].Parent) {
    bool IsTorch =
        Table.string(Place.File).find("/torch/") != std::string::npos;
    if (Place.Line != 0 && (Chosen.Line == 0 || !IsTorch)) {
      Chosen = Place;
      if (!IsTorch)
        break;
    }
    Place = Table.Scopes[S].Call;
  }
  if (Chosen.Line == 0)
    return std::string();
  return Table.string(Chosen.File) + ":" + std::to_string(Chosen.Line);
}

void printSites(const Manifest &Table, std::ostream &Out) {
  std::vector<unsigned> Depth(Table.Sites.size());
  for (size_t I = 0; I < Table.Sites.size(); ++I) {
    const ManifestSite &Site = Table.Sites[I];
    if (Site.Parent != NoIndex)
      Depth[I] = Depth[Site.Parent] + 1;
    Out << std::setw(5) << I << "  " << std::string(2 * Depth[I], ' ')
        << Table.string(Site.Kind);
    if (std::string Name = nameOf(Table, Site); !Name.empty())
      Out << ' ' << Name;
    if (std::string Path = Table.modulePath(Site.Scope); !Path.empty())
      Out << " in " << Path;
    if (Site.Flags & SF_Async)
      Out << " async";
    if (Site.Flags & SF_Vanished)
      Out << " vanished";
    if (!Site.Producers.empty()) {
      Out << " from";
      for (uint32_t Producer : Site.Producers)
        Out << ' ' << Producer;
    }
    if (std::string Source = sourceOf(Table, Site); !Source.empty())
      Out << " at " << Source;
    Out << '\n';
  }
}

static void printJsonString(const std::string &Text, std::ostream &Out) {
  Out << '"';
  for (unsigned char C : Text) {
    if (C == '"' || C == '\\')
      Out << '\\' << C;
    else if (C < 0x20)
      Out << "\\u" << std::hex << std::setw(4) << std::setfill('0')
          << unsigned(C) << std::dec << std::setfill(' ');
    else
      Out << C;
  }
  Out << '"';
}

static void printJsonFrames(const Manifest &Table, const ManifestSite &Site,
                            std::ostream &Out) {
  SourcePosition Place = Site.Source;
  const char *Separator = "";
  Out << '[';
  for (uint32_t S = Site.Scope; S != NoIndex; S = Table.Scopes[S].Parent) {
    Out << Separator << "{\"function\":";
    printJsonString(Table.string(Table.Scopes[S].Function), Out);
    Out << ",\"class\":";
    printJsonString(Table.string(Table.Scopes[S].Class), Out);
    Out << ",\"file\":";
    printJsonString(Table.string(Place.File), Out);
    Out << ",\"line\":" << Place.Line << ",\"text\":";
    printJsonString(Table.string(Place.Text), Out);
    Out << '}';
    Separator = ",";
    Place = Table.Scopes[S].Call;
  }
  Out << ']';
}

void printSitesJson(const Manifest &Table, std::ostream &Out) {
  Out << "{\"model_id\":" << Table.ModelId << ",\"sites\":[";
  for (size_t I = 0; I < Table.Sites.size(); ++I) {
    const ManifestSite &Site = Table.Sites[I];
    Out << (I ? ",\n" : "\n") << "{\"index\":" << I << ",\"parent\":";
    if (Site.Parent == NoIndex)
      Out << "null";
    else
      Out << Site.Parent;
    Out << ",\"kind\":";
    printJsonString(Table.string(Site.Kind), Out);
    Out << ",\"overload\":";
    printJsonString(Table.string(Site.Overload), Out);
    Out << ",\"name\":";
    printJsonString(Table.string(Site.Name), Out);
    Out << ",\"module\":";
    printJsonString(Table.modulePath(Site.Scope), Out);
    Out << ",\"flags\":" << Site.Flags << ",\"producers\":[";
    for (size_t P = 0; P < Site.Producers.size(); ++P)
      Out << (P ? "," : "") << Site.Producers[P];
    Out << "],\"frames\":";
    printJsonFrames(Table, Site, Out);
    Out << '}';
  }
  Out << "\n]}\n";
}

} // namespace torchprof
