//===- Inputs.cpp - how fuzzers hold files --------------------------------===//

#include "Inputs.h"
#include "torchprof/format/Manifest.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

using namespace torchprof;

static constexpr size_t LongestRun = 256;

std::string fuzz::unpackZeros(std::string_view Packed) {
  std::string File;
  for (size_t I = 0; I < Packed.size(); ++I) {
    if (Packed[I] != '\0' || I + 1 == Packed.size()) {
      File += Packed[I];
      continue;
    }
    File.append(static_cast<unsigned char>(Packed[++I]) + size_t(1), '\0');
  }
  return File;
}

std::string fuzz::packZeros(std::string_view File) {
  std::string Packed;
  while (!File.empty()) {
    if (File.front() != '\0') {
      Packed += File.front();
      File.remove_prefix(1);
      continue;
    }
    size_t End = File.substr(0, LongestRun).find_first_not_of('\0');
    size_t Run =
        End != std::string_view::npos ? End : std::min(LongestRun, File.size());
    Packed += '\0';
    Packed += static_cast<char>(Run - 1);
    File.remove_prefix(Run);
  }
  return Packed;
}

void fuzz::repairManifests(std::string &File) {
  constexpr std::string_view Begin = "torchprof-manifest ", End = "\nend ";
  constexpr size_t Digits = 16;
  for (size_t At = 0; (At = File.find(Begin, At)) != std::string::npos;) {
    size_t Last = File.find(End, At);
    if (Last == std::string::npos || File.size() - Last < End.size() + Digits)
      return;
    char Sum[Digits + 1];
    std::snprintf(Sum, sizeof(Sum), "%016" PRIx64,
                  hashText(std::string_view(File).substr(At, Last + 1 - At)));
    At = Last + End.size();
    File.replace(At, Digits, Sum, Digits);
  }
}
