//===- Svg.cpp - a flame graph to zoom and search -------------------------===//
//
// An SVG that draws itself in a browser: the same graph and library as in the
// html page, in a foreignObject. Self-contained.
//
//===----------------------------------------------------------------------===//

#include "BrowserData.h"
#include "BrowserParts.h"
#include "Stacks.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

/// A CDATA section cannot hold its own end, so that is split over two.
static void printCData(StringRef Text, raw_ostream &OS) {
  OS << "<![CDATA[\n";
  while (true) {
    auto [Head, Tail] = Text.split("]]>");
    OS << Head;
    if (Head.size() == Text.size())
      break;
    OS << "]]]]><![CDATA[>";
    Text = Tail;
  }
  OS << "\n]]>";
}

static unsigned depthOf(const StackTree &Tree) {
  unsigned Deepest = 0;
  for (const StackTree &Child : Tree.Children)
    Deepest = std::max(Deepest, depthOf(Child));
  return Deepest + 1;
}

static constexpr StringLiteral Controls = R"(
<div xmlns="http://www.w3.org/1999/xhtml" style="font:14px system-ui,sans-serif;color:#1c2127;padding:8px">
<p style="margin:0 0 8px"><b id="title"></b>
<input id="search" type="search" placeholder="search" style="margin-left:1em"/>
<button id="reset">reset</button></p>
<div id="chart"></div><p id="details" style="min-height:1.5em;color:#5f6b7c"></p></div>
)";

static Error write(const ExportInput &In, raw_ostream &OS) {
  if (Error E = checkBrowserParts("svg"))
    return E;
  // Rows of 20 pixels, and room for the controls.
  unsigned Height = depthOf(stackTree(foldStacks(In), "")) * 20 + 140;
  OS << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
     << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\" height=\""
     << Height << "\">\n<title>";
  printHTMLEscaped(In.Title, OS);
  OS << "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  for (StringRef Style : {browser::FlameGraphStyle(), browser::FlameStyle()}) {
    OS << "<style>";
    printCData(Style, OS);
    OS << "</style>\n";
  }
  OS << "<foreignObject width=\"100%\" height=\"100%\">" << Controls
     << "</foreignObject>\n";
  for (StringRef Script : {browser::D3Script(), browser::FlameGraphScript(),
                           browser::FormatScript(), browser::FlameScript()}) {
    OS << "<script>";
    printCData(Script, OS);
    OS << "</script>\n";
  }
  OS << "<script>";
  printCData(
      "(function () {\n  const data = " + flameData(In) +
          ";\n  const byId = (id) => document.getElementById(id);\n"
          "  byId(\"title\").textContent = document.querySelector(\"title\")"
          ".textContent;\n"
          "  torchprofFlame(data, { chart: byId(\"chart\"), details: "
          "byId(\"details\"),\n"
          "    search: byId(\"search\"), reset: byId(\"reset\") });\n"
          "  document.documentElement.dataset.ready = \"yes\";\n})();",
      OS);
  OS << "</script>\n</svg>\n";
  return Error::success();
}

static ExporterRegistration
    Registration({"svg", "a flame graph to zoom and search", true, write});
