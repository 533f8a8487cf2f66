//===- Html.cpp - the whole report as one page ----------------------------===//
//
// Self-contained: no network, no other files. The libraries are those of
// tools/report-html.
//
//===----------------------------------------------------------------------===//

#include "../../common/PageMark.h"
#include "../../common/Printable.h"
#include "BrowserData.h"
#include "BrowserParts.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace html_export {

static Error write(const ExportInput &In, raw_ostream &OS) {
  if (!browser::missing().empty())
    return createStringError(
        inconvertibleErrorCode(),
        "--to=html: this torchprof-report was built without the parts for the "
        "browser (" +
            browser::missing() + "); install npm and build again");
  Expected<std::string> Data = pageData(In);
  if (!Data)
    return Data.takeError();
  OS << PageMark << "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
     << "<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\">\n<title>";
  printHTMLEscaped(printable(In.Title), OS);
  OS << "</title>\n";
  for (StringRef Style : {browser::TabulatorStyle(), browser::FlameGraphStyle(),
                          browser::FlameStyle(), browser::PageStyle()})
    OS << "<style>\n" << Style << "\n</style>\n";
  OS << "</head>\n<body>\n" << browser::PageBody();
  for (StringRef Script : {browser::D3Script(), browser::FlameGraphScript(),
                           browser::TabulatorScript(), browser::FormatScript(),
                           browser::SummaryScript(), browser::AdviceScript(),
                           browser::RooflineScript(), browser::MemoryScript(),
                           browser::FlameScript()})
    OS << "<script>\n" << Script << "\n</script>\n";
  OS << "<script id=\"data\" type=\"application/json\">" << *Data
     << "</script>\n<script>\n"
     << browser::PageScript() << "</script>\n</body>\n</html>\n";
  return Error::success();
}

static ExporterRegistration
    Registration({"html", "the whole report as one page", true, write,
                  HasWeight | HasTitle | HasPeaks});

} // namespace html_export
