//===- RangeFile.h - what the stand-ins write -------------------*- C++ -*-===//
//
// A line per call, indented by the ranges around it, to the file that RANGES
// names.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_TEST_RANGEFILE_H
#define TORCHPROF_TEST_RANGEFILE_H

#include <cstdio>
#include <cstdlib>

class RangeFile {
public:
  /// \p Tool, the first word of each line.
  explicit RangeFile(const char *Tool)
      : Tool(Tool), File(std::fopen(std::getenv("RANGES"), "w")) {}

  void push(const char *Name) { line(2 * depth()++, Name); }
  void pop() { line(2 * --depth(), "end"); }

private:
  void line(int Indent, const char *Text) {
    std::fprintf(File, "%s %*s%s\n", Tool, Indent, "", Text);
    std::fflush(File);
  }
  static int &depth() {
    thread_local int Depth = 0;
    return Depth;
  }

  const char *Tool;
  FILE *File;
};

#endif // TORCHPROF_TEST_RANGEFILE_H
