//===- Svg.cpp - a flame graph as a picture -------------------------------===//
//
// Drawn here, so that it is a picture wherever an SVG is one: in a README, a
// document, a viewer. Where scripts run, the one inside adds zoom and search.
// Frames too narrow to be seen are not drawn: of a deep model most are, and a
// drawn frame takes 300 bytes. The script has the whole tree as data: it draws
// them when a zoom makes them wide enough, and finds them.
//
//===----------------------------------------------------------------------===//

#include "../../common/Printable.h"
#include "../Report/Table.h"
#include "BrowserParts.h"
#include "Stacks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Unicode.h"

#include <cmath>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace svg_export {

/// Pixels. The script reads them from the picture.
static constexpr double Width = 1200, Margin = 10, RowHeight = 18, Top = 58;
/// Of the search field and the button, which the script puts beside the title.
static constexpr double Controls = 280;
/// A letter of the title, 16 pixels and bold, next to one of a label.
static constexpr double TitleScale = 1.6;
/// What is narrower cannot be seen.
static constexpr double Narrowest = 0.2;

namespace {

/// A rectangle of the graph: shares of the whole, from 0 to 1.
struct Box {
  const StackTree &Node;
  unsigned Depth;
  double Begin;
  double Share;
};

} // namespace

static double pixels(double Share) { return Share * (Width - 2 * Margin); }

static void addBoxes(const StackTree &Node, unsigned Depth, double Begin,
                     double Whole, std::vector<Box> &Boxes) {
  double Share = static_cast<double>(Node.Weight) / Whole;
  if (pixels(Share) < Narrowest)
    return;
  Boxes.push_back({Node, Depth, Begin, Share});
  for (const StackTree &Child : Node.Children) {
    addBoxes(Child, Depth + 1, Begin, Whole, Boxes);
    Begin += static_cast<double>(Child.Weight) / Whole;
  }
}

/// From yellow to red with the share of the whole, as in the html page: HSL to
/// RGB by CSS Color 4, section 7.1.
static std::string colorOf(double Share) {
  double Heat = std::sqrt(Share);
  double Hue = 48 - 40 * Heat, Saturation = 0.9, Light = 0.78 - 0.14 * Heat;
  auto Channel = [&](double N) {
    double K = std::fmod(N + Hue / 30, 12);
    double A = Saturation * std::min(Light, 1 - Light);
    double Value = Light - A * std::max(-1.0, std::min({K - 3, 9 - K, 1.0}));
    return static_cast<unsigned>(std::lround(255 * Value));
  };
  std::string Text;
  raw_string_ostream(Text) << llvm::format("#%02x%02x%02x", Channel(0),
                                           Channel(8), Channel(4));
  return Text;
}

static std::string amountText(Weight W, uint64_t Amount) {
  if (W == Weight::Calls)
    return utostr(Amount) + (Amount == 1 ? " call" : " calls");
  return formatValue(Value::timeNs(static_cast<double>(Amount)), {},
                     TimeUnit::Auto);
}

/// How wide a letter of 12 pixels is at most in the fonts that the picture
/// names, or about, if it is none of ASCII. The script measures.
static double letterWidth(StringRef Letter) {
  if (Letter.size() > 1) // East Asian letters take two columns, accents none
    switch (sys::unicode::columnWidthUTF8(Letter)) {
    case 0:
      return 0;
    case 2:
      return 12;
    default:
      return 10;
    }
  char C = Letter.front();
  auto IsOneOf = [C](StringRef Letters) { return Letters.contains(C); };
  if (IsOneOf("mW@%"))
    return 12.9;
  if (IsOneOf("wM#+<=>^~"))
    return 10.4;
  if (IsOneOf("ABCDGHKNOQRSUVXZ&"))
    return 9.5;
  if (IsOneOf(" !\"'(),-./:;IJ[\\]fijlrt|"))
    return 5.6;
  return 7.7;
}

/// The beginning of \p Text that has room, empty if that says nothing. \p Text
/// is printable, so it is UTF-8.
static std::string fitting(StringRef Text, double Room) {
  double Dots = 2 * letterWidth("."), Used = 0;
  size_t End = 0, Cut = 0; // Cut leaves room for the dots
  while (End < Text.size()) {
    StringRef Letter =
        Text.substr(End, getNumBytesForUTF8(static_cast<UTF8>(Text[End])));
    Used += letterWidth(Letter);
    if (Used > Room)
      return Cut ? (Text.take_front(Cut) + "..").str() : std::string();
    End += Letter.size();
    if (Used + Dots <= Room)
      Cut = End;
  }
  return Text.str();
}

static void printBox(const Box &B, Weight W, raw_ostream &OS) {
  double X = Margin + pixels(B.Begin), Wide = pixels(B.Share);
  double Y = Top + B.Depth * RowHeight;
  std::string Name = printable(B.Node.Name);
  OS << "<g><title>";
  printHTMLEscaped(Name, OS);
  OS << ": " << amountText(W, B.Node.Weight)
     << llvm::format(", %.2f%%</title><rect x=\"%.2f\" y=\"%.0f\" "
                     "width=\"%.2f\" height=\"%.0f\" rx=\"1\" fill=\"",
                     100 * B.Share, X, Y, Wide, RowHeight - 1)
     << colorOf(B.Share)
     << llvm::format("\"/><text x=\"%.1f\" y=\"%.0f\">", X + 3, Y + 13);
  printHTMLEscaped(fitting(Name, Wide - 6), OS);
  OS << "</text></g>\n";
}

namespace {

/// The tree as JSON: {"weight": "self_ns", "tree": [0, 4000000, [1, 1000000],
/// [1, 3000000]], "names": ["forward", "aten::relu"]}. A frame is the number of
/// its name, its weight and the frames below it.
class TreeData {
public:
  TreeData(const StackTree &Tree, Weight W) {
    json::OStream J(OS);
    J.object([&] {
      J.attribute("weight", weightName(W));
      J.attributeArray("tree", [&] { frame(Tree, J); });
      J.attributeArray("names", [&] {
        for (StringRef Name : Names)
          J.value(Name);
      });
    });
  }

  /// Without a ">", so that it does not end a section of characters.
  std::string text() const {
    std::string Text;
    for (char C : Json)
      if (C == '>')
        Text += "\\u003e";
      else
        Text += C;
    return Text;
  }

private:
  void frame(const StackTree &Node, json::OStream &J) {
    auto [Known, IsNew] =
        Numbers.try_emplace(printable(Node.Name), Numbers.size());
    if (IsNew)
      Names.push_back(Known->getKey());
    J.value(Known->getValue());
    J.value(Node.Weight);
    for (const StackTree &Child : Node.Children)
      J.array([&] { frame(Child, J); });
  }

  StringMap<unsigned> Numbers;
  std::vector<StringRef> Names; ///< by number; the map has the text
  std::string Json;
  raw_string_ostream OS{Json};
};

} // namespace

static Error write(const ExportInput &In, raw_ostream &OS) {
  StackTree Tree = flameTree(In);
  std::vector<Box> Boxes;
  addBoxes(Tree, 0, 0, std::max<double>(1, static_cast<double>(Tree.Weight)),
           Boxes);
  unsigned Depth = 0;
  for (const Box &B : Boxes)
    Depth = std::max(Depth, B.Depth);
  double Height = Top + (Depth + 1) * RowHeight + Margin;

  OS << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
     << llvm::format("<svg xmlns=\"http://www.w3.org/2000/svg\" "
                     "width=\"%.0f\" height=\"%.0f\" "
                     "viewBox=\"0 0 %.0f %.0f\" ",
                     Width, Height, Width, Height)
     << llvm::format("data-margin=\"%.0f\" data-top=\"%.0f\" "
                     "data-row=\"%.0f\" data-narrowest=\"%.1f\" "
                     "data-controls=\"%.0f\">\n",
                     Margin, Top, RowHeight, Narrowest, Controls)
     << "<title>";
  printHTMLEscaped(printable(In.Title), OS);
  OS << "</title>\n<style>\n"
        "text { font: 12px Verdana, \"DejaVu Sans\", sans-serif; "
        "fill: #1c2127; pointer-events: none; }\n"
        "#title { font-size: 16px; font-weight: bold; }\n"
        "#details { fill: #5f6b7c; }\n"
        "#frames g:hover rect { stroke: #1c2127; stroke-width: 0.8; }\n"
        "</style>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
     << llvm::format("<text id=\"title\" x=\"%.0f\" y=\"24\">", Margin);
  printHTMLEscaped(
      fitting(printable(In.Title), (pixels(1) - Controls - 10) / TitleScale),
      OS);
  OS << llvm::format("</text>\n<text id=\"details\" x=\"%.0f\" y=\"46\">",
                     Margin)
     << weightTitle(In.StackWeight) << ", "
     << amountText(In.StackWeight, Tree.Weight)
     << "</text>\n<g id=\"frames\">\n";
  for (const Box &B : Boxes)
    printBox(B, In.StackWeight, OS);
  // The scripts have no "]]>", which would end the section.
  OS << "</g>\n<script id=\"tree\" type=\"application/json\"><![CDATA["
     << TreeData(Tree, In.StackWeight).text() << "]]></script>\n"
     << "<script><![CDATA[\n"
     << browser::FormatScript() << browser::PictureScript()
     << "]]></script>\n</svg>\n";
  return Error::success();
}

static ExporterRegistration Registration({"svg",
                                          "a flame graph to zoom and search",
                                          true, write, HasWeight | HasTitle});

} // namespace svg_export
