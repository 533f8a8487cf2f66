//===- ColumnSet.h - tables whose columns have names ------------*- C++ -*-===//
//
// A table is rows of some struct and a set of columns: for each its id, what
// people see, its meaning, and a function from a row to a value. --columns,
// --list-columns, --sort, CSV and JSON all use the ids, so a number has one
// name wherever it appears.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_COLUMNSET_H
#define TORCHPROF_REPORT_COLUMNSET_H

#include "Table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Error.h"

#include <functional>

namespace torchprof::report {

/// An unknown name after \p Option. Names what exists, and the nearest of it.
llvm::Error unknownName(llvm::StringRef Option, llvm::StringRef Found,
                        llvm::ArrayRef<std::string> Known);

/// The name of \p Known that a typing mistake may have been made of, or that
/// only goes on behind what was found; empty if none is near.
llvm::StringRef nearestName(llvm::StringRef Found,
                            llvm::ArrayRef<std::string> Known);

/// Below, above or equal 0: what sort order \p A has to \p B. Numbers from the
/// largest, texts from the first; what is not known comes last.
int compareValues(const Value &A, const Value &B);

/// A column of rows of type \p RowT; \p ContextT is what else its values need.
template <typename RowT, typename ContextT> struct ColumnOf {
  TableColumn Shape;
  std::string Help;
  std::function<Value(const RowT &, const ContextT &)> Get;
  bool NeedsHistogram = false;
  /// Shown unasked only if the profile has gradients, see LineTable.h.
  bool OfGradients = false;
  /// The same of a measure, by its id; empty if of none.
  llvm::StringRef OfMeasure = {};
  /// The same of what ran beside its parent.
  bool OfAsync = false;

  llvm::StringRef id() const { return Shape.Id; }
};

template <typename RowT, typename ContextT> class ColumnSet {
public:
  using Column = ColumnOf<RowT, ContextT>;
  using Choice = std::vector<const Column *>;

  ColumnSet(std::vector<Column> Columns) : Columns(std::move(Columns)) {}
  ColumnSet(const ColumnSet &) = delete; // choices point into it
  ColumnSet(ColumnSet &&) = default;

  const Column *find(llvm::StringRef Id) const {
    for (const Column &C : Columns)
      if (C.Shape.Id == Id)
        return &C;
    return nullptr;
  }

  /// The columns with these ids. The error lists the ids that exist.
  llvm::Expected<Choice> choose(llvm::ArrayRef<std::string> Ids,
                                llvm::StringRef Option) const {
    Choice Chosen;
    for (const std::string &Id : Ids) {
      Chosen.push_back(find(Id));
      if (!Chosen.back())
        return unknownName(Option, Id, ids());
    }
    return Chosen;
  }

  Choice all() const {
    Choice Chosen;
    for (const Column &C : Columns)
      Chosen.push_back(&C);
    return Chosen;
  }

  /// Sorts by each key in turn; the key "order" and all ties keep the rows'
  /// order. The error lists the keys that exist.
  llvm::Error sort(std::vector<RowT> &Rows, llvm::ArrayRef<std::string> Keys,
                   const ContextT &Context) const {
    Choice Chosen;
    for (const std::string &Key : Keys) {
      if (Key == "order")
        break;
      Chosen.push_back(find(Key));
      if (!Chosen.back()) {
        std::vector<std::string> Known = ids();
        Known.insert(Known.begin(), "order");
        return unknownName("--sort", Key, Known);
      }
    }
    struct Sortable {
      std::vector<Value> Keys;
      size_t Index;
    };
    std::vector<Sortable> Order;
    for (const RowT &R : Rows) {
      Sortable &S = Order.emplace_back();
      S.Index = Order.size() - 1;
      for (const Column *C : Chosen)
        S.Keys.push_back(C->Get(R, Context));
    }
    llvm::stable_sort(Order, [](const Sortable &A, const Sortable &B) {
      for (size_t I = 0; I < A.Keys.size(); ++I)
        if (int Result = compareValues(A.Keys[I], B.Keys[I]))
          return Result < 0;
      return false;
    });
    std::vector<RowT> Sorted;
    Sorted.reserve(Rows.size());
    for (const Sortable &S : Order)
      Sorted.push_back(std::move(Rows[S.Index]));
    Rows = std::move(Sorted);
    return llvm::Error::success();
  }

  /// Puts the rows' values into \p T, which gets these columns.
  static void fill(Table &T, llvm::ArrayRef<RowT> Rows, const Choice &Chosen,
                   const ContextT &Context) {
    for (const Column *C : Chosen)
      T.Columns.push_back(C->Shape);
    for (const RowT &R : Rows) {
      std::vector<Value> &Values = T.Rows.emplace_back();
      for (const Column *C : Chosen)
        Values.push_back(C->Get(R, Context));
    }
  }

  /// A table of the columns' ids and meanings.
  Table list() const {
    Table T;
    T.Columns = {TableColumn::text("id", "id"),
                 TableColumn::text("help", "meaning")};
    for (const Column &C : Columns)
      T.Rows.push_back({Value::text(C.Shape.Id), Value::text(C.Help)});
    return T;
  }

private:
  std::vector<std::string> ids() const {
    std::vector<std::string> Ids;
    for (const Column &C : Columns)
      Ids.push_back(C.Shape.Id);
    return Ids;
  }

  std::vector<Column> Columns;
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_COLUMNSET_H
