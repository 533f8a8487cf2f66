//===- SourcePrefix.cpp - directories left out of source paths ------------===//

#include "SourcePrefix.h"
#include "Origin.h"

#include "llvm/ADT/Optional.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

SourcePrefix::SourcePrefix(std::vector<std::string> Directories) {
  for (const std::string &Directory : Directories)
    if (StringRef Cut = StringRef(Directory).rtrim('/'); !Cut.empty())
      this->Directories.push_back(Cut.str());
}

StringRef SourcePrefix::cut(StringRef File) const {
  for (const std::string &Directory : Directories)
    if (StringRef Rest = File; Rest.consume_front(Directory) &&
                               Rest.consume_front("/") && !Rest.empty())
      return Rest;
  return File;
}

std::string SourcePrefix::common(
    ArrayRef<std::pair<uint32_t, std::shared_ptr<const Manifest>>> Models) {
  Optional<StringRef> Common; // ends with a slash, or is empty
  auto Add = [&](StringRef File) {
    if (File.empty() || isFrameworkFile(File))
      return;
    StringRef Directory = File.take_front(File.rfind('/') + 1);
    if (!Common)
      Common = Directory;
    while (!Directory.startswith(*Common))
      Common =
          Common->drop_back().take_front(Common->drop_back().rfind('/') + 1);
  };
  for (const auto &[First, M] : Models) {
    for (const ManifestSite &S : M->Sites)
      Add(M->string(S.Source.File));
    for (const ManifestScope &S : M->Scopes)
      Add(M->string(S.Call.File));
  }
  return Common ? Common->str() : "";
}
