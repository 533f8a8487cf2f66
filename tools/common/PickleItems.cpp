//===- PickleItems.cpp - lists of one element, as LibTorch reads them -----===//
//
// Opcodes: Python's Lib/pickletools.py. A pickle is a program for a stack, and
// a MARK belongs before the first byte of what makes the element: so for each
// value on the stack it is remembered where its making begins.
//
//===----------------------------------------------------------------------===//

#include "PickleItems.h"

#include <cstddef>
#include <map>
#include <vector>

namespace torchprof {

namespace {

class ItemMarker {
public:
  explicit ItemMarker(std::string_view Pickle) : Pickle(Pickle) {}

  std::optional<std::string> run() {
    while (At < Pickle.size() && Pickle[At] != '.')
      if (!step())
        return std::nullopt;
    if (At >= Pickle.size() || Marks.empty())
      return std::nullopt;
    return rewritten();
  }

private:
  /// Goes past an opcode; false if it is not known, or cannot be here.
  bool step();
  std::string rewritten() const;

  /// Goes past an opcode with \p Size more bytes.
  bool skip(size_t Size) {
    if (Size >= Pickle.size() - At)
      return false;
    At += 1 + Size;
    return true;
  }
  bool push(size_t More) {
    Starts.push_back(At);
    return skip(More);
  }
  /// Makes one value of the topmost \p Count.
  bool join(size_t Count) {
    if (Starts.size() < Count)
      return false;
    Starts.resize(Starts.size() - Count + 1);
    return skip(0);
  }
  /// Takes away what is above the last mark; \p Makes: a value of it.
  bool takeMarked(bool Makes) {
    if (OpenMarks.empty() || OpenMarks.back().Depth > Starts.size())
      return false;
    Starts.resize(OpenMarks.back().Depth);
    if (Makes)
      Starts.push_back(OpenMarks.back().At);
    OpenMarks.pop_back();
    return skip(0);
  }
  /// Takes the topmost \p Count values away, the elements of the one below
  /// them, and writes \p Several in the opcode's place.
  bool takeItem(size_t Count, char Several) {
    if (Starts.size() < Count + 1)
      return false;
    ++Marks[Starts[Starts.size() - Count]];
    Opcodes[At] = Several;
    Starts.resize(Starts.size() - Count);
    return skip(0);
  }
  /// The number in the \p Size bytes behind the opcode, the lowest first; more
  /// than the pickle has if they are not there.
  size_t number(size_t Size) const {
    if (Size >= Pickle.size() - At)
      return Pickle.size();
    size_t Number = 0;
    for (size_t I = Size; I > 0; --I)
      Number = Number << 8 | static_cast<unsigned char>(Pickle[At + I]);
    return Number;
  }
  /// Bytes of the two lines behind the opcode.
  size_t twoLines() const {
    size_t End = Pickle.find('\n', At);
    if (End != Pickle.npos)
      End = Pickle.find('\n', End + 1);
    return End == Pickle.npos ? Pickle.size() : End - At;
  }

  struct OpenMark {
    size_t At, Depth;
  };

  std::string_view Pickle;
  size_t At = 0;
  std::vector<size_t> Starts; ///< of the values on the stack
  std::vector<OpenMark> OpenMarks;
  std::map<size_t, size_t> Marks; ///< how many to put before a byte
  std::map<size_t, char> Opcodes; ///< what a byte becomes
};

} // namespace

bool ItemMarker::step() {
  switch (static_cast<unsigned char>(Pickle[At])) {
  case 0x80: // PROTO
    return skip(1);
  case 'N':  // NONE
  case 0x88: // NEWTRUE
  case 0x89: // NEWFALSE
  case ']':  // EMPTY_LIST
  case ')':  // EMPTY_TUPLE
  case '}':  // EMPTY_DICT
    return push(0);
  case 'K': // BININT1
  case 'h': // BINGET
    return push(1);
  case 'M': // BININT2
    return push(2);
  case 'J': // BININT
  case 'j': // LONG_BINGET
    return push(4);
  case 'G': // BINFLOAT
    return push(8);
  case 0x8a: // LONG1
    return push(1 + number(1));
  case 'X': // BINUNICODE
    return push(4 + number(4));
  case 'c': // GLOBAL
    return push(twoLines());
  case 'q': // BINPUT
    return skip(1);
  case 'r': // LONG_BINPUT
    return skip(4);
  case '(': // MARK
    OpenMarks.push_back({At, Starts.size()});
    return skip(0);
  case 't': // TUPLE
    return takeMarked(/*Makes=*/true);
  case 'e': // APPENDS
  case 'u': // SETITEMS
    return takeMarked(/*Makes=*/false);
  case 'Q':  // BINPERSID
  case 0x85: // TUPLE1
    return join(1);
  case 0x86: // TUPLE2
  case 'R':  // REDUCE
  case 'b':  // BUILD
    return join(2);
  case 0x87: // TUPLE3
    return join(3);
  case 'a': // APPEND
    return takeItem(1, 'e');
  case 's': // SETITEM
    return takeItem(2, 'u');
  default:
    return false;
  }
}

std::string ItemMarker::rewritten() const {
  std::string Text;
  auto Next = Marks.begin();
  for (size_t I = 0; I < Pickle.size(); ++I) {
    if (Next != Marks.end() && Next->first == I)
      Text.append(Next++->second, '(');
    auto Opcode = Opcodes.find(I);
    Text += Opcode == Opcodes.end() ? Pickle[I] : Opcode->second;
  }
  return Text;
}

std::optional<std::string> withItemsMarked(std::string_view Pickle) {
  return ItemMarker(Pickle).run();
}

} // namespace torchprof
