//===- RequestHolder.h - site selection from the options --------*- C++ -*-===//

#ifndef TORCHPROF_TOOLS_REQUESTHOLDER_H
#define TORCHPROF_TOOLS_REQUESTHOLDER_H

#include "../common/GlobList.h"
#include "../common/ToolSupport.h"
#include "Actions.h"
#include "OptBridge.h"

namespace torchprof {

/// The site selection options as a request to the bridge. Owns the lists that
/// the request points to.
class RequestHolder {
public:
  RequestHolder()
      : Included(globsOf(options::Include)),
        Excluded(globsOf(options::Exclude)), Include(Included),
        Exclude(Excluded), Methods(options::Methods) {}

  SiteRequest get() const {
    SiteRequest Request;
    Request.AllNodes = options::Nodes == options::NodesValue::All;
    Request.ModuleLevel = options::Level == options::LevelValue::Module;
    Request.Include = Include.get();
    Request.Exclude = Exclude.get();
    Request.Methods = Methods.get();
    auto Note = [&Request](const llvm::cl::Option &Option) {
      if (Option.getNumOccurrences())
        Request.Given = Option.ArgStr.data();
    };
    Note(options::Nodes);
    Note(options::Level);
    Note(options::Include);
    Note(options::Exclude);
    Note(options::Methods);
    return Request;
  }

private:
  std::vector<std::string> Included, Excluded; ///< what the holders point into
  TextListHolder Include, Exclude, Methods;
};

} // namespace torchprof

#endif // TORCHPROF_TOOLS_REQUESTHOLDER_H
