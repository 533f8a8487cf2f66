//===- SourceText.cpp - find the lines of a model's text faster -----------===//
//
// To know where a line begins, LibTorch looks through the text of a model's
// file character by character; 1.13 does so anew for each variable that one arm
// of an `if` defines, because it prepares an error message. That takes up to
// two thirds of the time in which a large instrumented model is loaded. The
// dynamic linker gives LibTorch this search instead of its own: a program that
// has it exports it, because LibTorch's library asks for the symbol. It returns
// the same numbers.
//
//===----------------------------------------------------------------------===//

#include <torch/csrc/jit/frontend/source_range.h>

#include <string_view>

namespace torch::jit {

/// Calls nothing of LibTorch, so that any program can be preloaded with it.
size_t StringCordView::find(const std::string &Text, size_t Start) const {
  if (Text.empty())
    return 0;
  bool IsOnePiece = size() && piece(0).size() == size();
  if (!IsOnePiece && Text.size() > 1)
    return str().find(Text, Start);
  size_t Begin = 0;
  for (size_t I = 0; Begin < size(); Begin += piece(I++).size()) {
    std::string_view Piece(piece(I).data(), piece(I).size());
    if (Start >= Begin + Piece.size())
      continue;
    size_t Found = Piece.find(Text, Start > Begin ? Start - Begin : 0);
    if (Found != std::string_view::npos)
      return Begin + Found;
  }
  return std::string::npos;
}

} // namespace torch::jit
