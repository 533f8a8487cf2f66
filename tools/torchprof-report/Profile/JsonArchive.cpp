//===- JsonArchive.cpp - values read from JSON ----------------------------===//

#include "JsonArchive.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

JsonReader::JsonReader(JsonReader &Outer, StringRef Key)
    : V(Outer.O ? Outer.O->get(Key) : nullptr), Error(Outer.Error),
      Outer(&Outer), Key(Key) {
  Outer.Known.push_back(Key);
}

JsonReader::JsonReader(JsonReader &Outer, size_t Index)
    : V(nullptr), Error(Outer.Error), Outer(&Outer), Index(Index) {
  const json::Array *A = Outer.V->getAsArray();
  if (A && Index < A->size())
    V = &(*A)[Index];
}

std::string JsonReader::path() const {
  if (!Outer)
    return "";
  std::string Path = Outer->path();
  if (Key.empty())
    return Path + "[" + std::to_string(Index) + "]";
  return Path + (Path.empty() ? "" : ".") + Key.str();
}

void JsonReader::fail(const Twine &Cause) const {
  if (!Error.empty())
    return;
  std::string Path = path();
  Error = (Path.empty() ? Cause : Path + ": " + Cause).str();
}

std::string JsonReader::found() const {
  std::string Text;
  raw_string_ostream(Text) << *V;
  if (Text.size() > 40)
    Text = json::fixUTF8(StringRef(Text).take_front(37)) + "...";
  return Text;
}

void JsonReader::mapObject(function_ref<void(JsonReader &)> Map) {
  O = V->getAsObject();
  if (!O)
    return fail("expected an object, found " + found());
  Map(*this);
  std::set<StringRef> Unknown;
  for (const auto &Member : *O)
    if (!is_contained(Known, StringRef(Member.first)))
      Unknown.insert(Member.first);
  if (!Unknown.empty())
    fail("unknown member '" + *Unknown.begin() + "'");
}

void JsonReader::each(StringRef Key, function_ref<void(JsonReader &)> Visit) {
  JsonReader List(*this, Key);
  if (!List.V)
    return;
  const json::Array *A = List.V->getAsArray();
  if (!A)
    return List.fail("expected an array, found " + List.found());
  for (size_t I = 0; I < A->size() && Error.empty(); ++I) {
    JsonReader Element(List, I);
    Visit(Element);
  }
}

void JsonReader::eachMember(StringRef Key,
                            function_ref<void(StringRef, JsonReader &)> Visit) {
  JsonReader M(*this, Key);
  if (!M.V)
    return;
  M.O = M.V->getAsObject();
  if (!M.O)
    return M.fail("expected an object, found " + M.found());
  std::set<StringRef> Names;
  for (const auto &Member : *M.O)
    Names.insert(Member.first);
  for (StringRef Name : Names) {
    JsonReader Inner(M, Name);
    Visit(Name, Inner);
  }
}

/// A number, or the digits of a large one.
template <typename T>
static Optional<T> numberOf(const json::Value &V, Optional<T> Plain) {
  Optional<StringRef> Digits = V.getAsString();
  if (!Digits)
    return Plain;
  T Large;
  return Digits->getAsInteger(10, Large) ? Optional<T>() : Large;
}

bool JsonReader::isExact(uint64_t Number) const {
  if (Number <= LargestJsonNumber || V->getAsString())
    return true;
  fail("numbers above " + Twine(LargestJsonNumber) + " have to be strings");
  return false;
}

int64_t JsonReader::signedNumber() const {
  Optional<int64_t> N = numberOf(*V, V->getAsInteger());
  if (N && (*N < 0 || isExact(static_cast<uint64_t>(*N))))
    return *N;
  fail("expected a whole number, found " + found());
  return 0;
}

uint64_t JsonReader::number(uint64_t Limit) const {
  Optional<uint64_t> N = numberOf(*V, V->getAsUINT64());
  if (N && isExact(*N) && *N <= Limit)
    return *N;
  fail("expected a whole number" +
       (Limit == UINT64_MAX ? std::string()
                            : " of at most " + std::to_string(Limit)) +
       ", found " + found());
  return 0;
}

StringRef JsonReader::text() const {
  if (Optional<StringRef> S = V->getAsString())
    return *S;
  fail("expected a string, found " + found());
  return "";
}

void JsonReader::value(bool &Out, uint64_t) {
  if (Optional<bool> B = V->getAsBoolean())
    Out = *B;
  else
    fail("expected true or false, found " + found());
}

uint32_t JsonReader::numberForWord(ArrayRef<StringRef> Words) const {
  Optional<uint64_t> N = V->getAsUINT64();
  if (N && *N <= UINT32_MAX)
    return static_cast<uint32_t>(*N);
  fail("expected one of " + join(Words, ", ") + ", found " + found());
  return 0;
}

JsonReader::TupleReader::TupleReader(JsonReader &Array) : Array(Array) {
  if (!Array.V->getAsArray())
    Array.fail("expected an array, found " + Array.found());
}

void JsonReader::TupleReader::finish() const {
  const json::Array *A = Array.V->getAsArray();
  if (A && A->size() != Used)
    Array.fail("expected " + Twine(Used) + " numbers, found " +
               Twine(A->size()));
}
