//===- RootOrders.cpp - the nodes of methods that run ---------------------===//

#include "RootOrders.h"

#include "torch/TableLock.h"

#include <unordered_map>

namespace torchprof {

namespace {
struct RootOrders {
  static RootOrders &get() {
    static auto &Table = *new RootOrders; // outlives the host's exit handlers
    return Table;
  }

  std::unordered_map<int64_t, std::weak_ptr<const NodeOrder>> ByRoot;
};
} // namespace

void rememberOrder(format::SiteId Root,
                   const std::shared_ptr<const NodeOrder> &Order) {
  RootOrders &Known = RootOrders::get();
  TableLock Lock;
  std::erase_if(Known.ByRoot,
                [](const auto &Row) { return Row.second.expired(); });
  Known.ByRoot.insert_or_assign(Root.number(), Order);
}

std::shared_ptr<const NodeOrder> orderOf(format::SiteId Root) {
  RootOrders &Known = RootOrders::get();
  TableLock Lock;
  auto It = Known.ByRoot.find(Root.number());
  return It == Known.ByRoot.end() ? nullptr : It->second.lock();
}

} // namespace torchprof
