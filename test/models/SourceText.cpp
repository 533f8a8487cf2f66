//===- SourceText.cpp - find the lines of a model's text faster -----------===//
//
// LibTorch 1.13 prepares an error message for each variable that one arm of an
// `if` defines, and for each of them copies the text of the whole file and
// looks for the ends of its lines, character by character. That takes two
// thirds of the time in which a large instrumented model is loaded. Preloaded
// into a test, this library replaces the search by one that gives the same
// numbers sooner. Later versions search fast; for them the library is empty.
//
//===----------------------------------------------------------------------===//

#ifdef TORCHPROF_SLOW_SOURCE_TEXT

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

#endif
