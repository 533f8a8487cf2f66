//===- JsonArchive.h - one mapping for writing and reading JSON -*- C++ -*-===//
//
// A function template maps a record to JSON members, and is run with a
// JsonWriter to write them and with a JsonReader to read them, so that each
// member is named once:
//
//   template <class IO> void mapAnchor(IO &io, auto &A) {
//     io.member("ticks", A.Ticks);
//     io.optional("uncertainty_ns", A.UncertaintyNs);
//   }
//
// Names of members must live until their object has been mapped. A member that
// is missing leaves its variable as it is, so defaults are set
// before. An optional one is not written while it has its default. The reader
// reports the first error, with the path of the value, and members that no
// mapping asked for are errors. JSON holds UTF-8: other bytes in strings are
// written as U+FFFD. Numbers above LargestJsonNumber are strings of digits.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_JSONARCHIVE_H
#define TORCHPROF_REPORT_JSONARCHIVE_H

#include "EnumNames.h"
#include "JsonText.h"
#include "Profile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/JSON.h"

#include <concepts>
#include <utility>

namespace torchprof::report {

/// LLVM 14 reads every larger number as the next one, without a word.
inline constexpr uint64_t LargestJsonNumber = INT64_MAX - 1;

class JsonWriter {
public:
  static constexpr bool Reading = false;

  explicit JsonWriter(llvm::json::OStream &J) : J(J) {}

  template <typename T>
  void member(llvm::StringRef Key, const T &V, uint64_t = UINT64_MAX) {
    J.attributeBegin(Key);
    value(V);
    J.attributeEnd();
  }

  template <typename T>
  void optional(llvm::StringRef Key, const T &V,
                const std::type_identity_t<T> &Default = T()) {
    if (!(V == Default))
      member(Key, V);
  }

  template <size_t N> void member(llvm::StringRef Key, const char (&Text)[N]) {
    member(Key, fixedText(Text));
  }

  /// An enumerator by its word, or by its number if it has none.
  template <typename Enum> void choice(llvm::StringRef Key, Enum V) {
    llvm::StringRef Name = nameOf(V);
    if (Name.empty())
      member(Key, static_cast<uint32_t>(V));
    else
      member(Key, Name);
  }

  /// The words of the bits that are set; the rest as a number.
  template <typename Enum> void flags(llvm::StringRef Key, uint32_t Flags) {
    if (!Flags)
      return;
    J.attributeArray(Key, [&] {
      for (const EnumName<Enum> &E : EnumNames<Enum>) {
        if (Flags & E.Value)
          J.value(E.Name);
        Flags &= ~static_cast<uint32_t>(E.Value);
      }
      if (Flags)
        J.value(Flags);
    });
  }

  /// A member that is an object. Not written if not \p Present.
  template <typename Function>
  void object(llvm::StringRef Key, Function Map, bool Present = true) {
    if (Present)
      J.attributeObject(Key, [&] { Map(*this); });
  }

  /// An array of objects.
  template <typename Range, typename Function>
  void objects(llvm::StringRef Key, const Range &Items, Function Map) {
    objectsFrom(
        Key, [&](auto Visit) { llvm::for_each(Items, Visit); }, Map);
  }

  /// The same; ForEach calls what it is given with each item.
  template <typename Generator, typename Function>
  void objectsFrom(llvm::StringRef Key, Generator ForEach, Function Map) {
    J.attributeArray(Key, [&] {
      ForEach([&](const auto &Item) { J.object([&] { Map(*this, Item); }); });
    });
  }

  /// An array of arrays; Map names their elements with value().
  template <typename Range, typename Function>
  void tuples(llvm::StringRef Key, const Range &Items, Function Map) {
    J.attributeArray(Key, [&] {
      for (const auto &Item : Items)
        J.array([&] { Map(*this, Item); });
    });
  }

  /// An array of numbers.
  template <typename Range>
  void numbers(llvm::StringRef Key, const Range &Items) {
    J.attributeArray(Key, [&] {
      for (auto Item : Items)
        value(Item);
    });
  }

  /// An array of which only what is not 0 counts: an object from index to
  /// value.
  template <typename T, size_t N>
  void sparse(llvm::StringRef Key, const T (&Items)[N]) {
    J.attributeObject(Key, [&] {
      for (size_t I = 0; I < N; ++I)
        if (Items[I])
          member(std::to_string(I), Items[I]);
    });
  }

  /// A member that only people write.
  template <typename Function>
  void shorthand(llvm::StringRef, Function) const {}

  template <std::integral T> void value(T V, uint64_t = UINT64_MAX) {
    if (std::cmp_greater(V, LargestJsonNumber))
      J.value(std::to_string(V));
    else
      J.value(V);
  }
  void value(bool V) { J.value(V); }
  void value(format::Slot V) { J.value(format::number(V)); }
  void value(llvm::StringRef Text) { J.value(jsonText(Text)); }
  void value(const std::string &Text) { value(llvm::StringRef(Text)); }

private:
  llvm::json::OStream &J;
};

/// Reads one value; those inside it have readers that point to this one.
class JsonReader {
public:
  static constexpr bool Reading = true;

  /// Reads \p V and says in \p Error what is wrong with it.
  JsonReader(const llvm::json::Value *V, std::string &Error)
      : V(V), Error(Error) {}
  JsonReader(const JsonReader &) = delete;

  template <typename T>
  void member(llvm::StringRef Key, T &Out, uint64_t Limit = UINT64_MAX) {
    JsonReader M(*this, Key);
    if (M.V)
      M.value(Out, Limit);
  }

  template <typename T>
  void optional(llvm::StringRef Key, T &Out,
                const std::type_identity_t<T> & = T()) {
    member(Key, Out);
  }

  template <typename Enum> void choice(llvm::StringRef Key, Enum &Out) {
    JsonReader M(*this, Key);
    if (M.V)
      Out = M.choose<Enum>();
  }

  template <typename Enum> void flags(llvm::StringRef Key, uint32_t &Flags) {
    each(Key, [&](JsonReader &Flag) {
      Flags |= static_cast<uint32_t>(Flag.choose<Enum>());
    });
  }

  template <typename Function>
  void object(llvm::StringRef Key, Function Map, bool = true) {
    JsonReader M(*this, Key);
    if (M.V)
      M.mapObject(Map);
  }

  template <typename T, typename Function>
  void objects(llvm::StringRef Key, std::vector<T> &Items, Function Map) {
    each(Key, [&](JsonReader &Element) {
      T Item{};
      Element.mapObject([&](JsonReader &io) { Map(io, Item); });
      Items.push_back(std::move(Item));
    });
  }

  template <typename T, typename Function>
  void tuples(llvm::StringRef Key, std::vector<T> &Items, Function Map) {
    each(Key, [&](JsonReader &Element) {
      T Item{};
      TupleReader io(Element);
      Map(io, Item);
      io.finish();
      Items.push_back(Item);
    });
  }

  template <typename T>
  void numbers(llvm::StringRef Key, std::vector<T> &Items) {
    each(Key,
         [&](JsonReader &Element) { Element.value(Items.emplace_back()); });
  }

  template <typename T, size_t N>
  void sparse(llvm::StringRef Key, T (&Items)[N]) {
    eachMember(Key, [&](llvm::StringRef Name, JsonReader &M) {
      size_t I = 0;
      if (Name.getAsInteger(10, I) || I >= N)
        M.fail("expected a number below " + llvm::Twine(N) + ", found '" +
               Name + "'");
      else
        M.value(Items[I]);
    });
  }

  /// Calls \p Visit with each number of an array.
  template <typename Function>
  void shorthand(llvm::StringRef Key, Function Visit) {
    each(Key, [&](JsonReader &Element) {
      uint64_t Number = 0;
      Element.value(Number);
      Visit(Number);
    });
  }

  template <std::integral T> void value(T &Out, uint64_t Limit = UINT64_MAX) {
    Out = static_cast<T>(
        number(std::min<uint64_t>(Limit, std::numeric_limits<T>::max())));
  }
  void value(bool &Out, uint64_t = 0);
  void value(format::Slot &Out, uint64_t = 0) {
    Out = format::Slot(static_cast<uint32_t>(number(UINT32_MAX)));
  }
  void value(std::string &Out, uint64_t = 0) { Out = text().str(); }
  void value(int64_t &Out, uint64_t = 0) { Out = signedNumber(); }
  template <size_t N> void value(char (&Out)[N], uint64_t = 0) {
    setFixedText(Out, text());
  }

  bool has(llvm::StringRef Key) const { return O && O->get(Key); }

  /// Reports an error at this value. The first one stays.
  void fail(const llvm::Twine &Cause) const;
  /// Reports an error at a member.
  void fail(llvm::StringRef Key, const llvm::Twine &Cause) {
    JsonReader(*this, Key).fail(Cause);
  }

  /// Maps the value as an object: Map(*this), then all of it must be known.
  void mapObject(llvm::function_ref<void(JsonReader &)> Map);

private:
  /// Reads the elements of an array in order.
  class TupleReader {
  public:
    static constexpr bool Reading = true;

    explicit TupleReader(JsonReader &Array);
    template <typename T> void value(T &Out, uint64_t Limit = UINT64_MAX) {
      JsonReader Element(Array, Used++);
      if (Element.V)
        Element.value(Out, Limit);
    }
    void finish() const;

  private:
    friend JsonReader;
    JsonReader &Array;
    size_t Used = 0;
  };

  /// The reader of a member, whose value may be missing.
  JsonReader(JsonReader &Outer, llvm::StringRef Key);
  /// The reader of an array's element.
  JsonReader(JsonReader &Outer, size_t Index);

  void each(llvm::StringRef Key, llvm::function_ref<void(JsonReader &)> Visit);
  /// Visits the members of an object sorted by name: JSON gives them no order.
  void
  eachMember(llvm::StringRef Key,
             llvm::function_ref<void(llvm::StringRef, JsonReader &)> Visit);
  uint64_t number(uint64_t Limit) const;
  /// False, with an error, if the value may have been another one in the text.
  bool isExact(uint64_t Number) const;
  int64_t signedNumber() const;
  llvm::StringRef text() const;

  template <typename Enum> Enum choose() const {
    llvm::SmallVector<llvm::StringRef, 8> Names;
    for (const EnumName<Enum> &E : EnumNames<Enum>)
      Names.push_back(E.Name);
    if (llvm::Optional<llvm::StringRef> Name = V->getAsString())
      if (const auto *E = llvm::find(Names, *Name); E != Names.end())
        return EnumNames<Enum>[E - Names.begin()].Value;
    return static_cast<Enum>(numberForWord(Names));
  }
  /// The number of an enumerator without a word.
  uint32_t numberForWord(llvm::ArrayRef<llvm::StringRef> Words) const;

  std::string path() const;
  std::string found() const;

  const llvm::json::Value *V;
  std::string &Error;
  const JsonReader *Outer = nullptr;
  llvm::StringRef Key;                   ///< in an object
  size_t Index = 0;                      ///< in an array, if Key is empty
  const llvm::json::Object *O = nullptr; ///< while it is mapped as one
  llvm::SmallVector<llvm::StringRef, 16> Known; ///< members asked for
};

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_JSONARCHIVE_H
