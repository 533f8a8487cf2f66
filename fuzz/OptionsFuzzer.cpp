//===- OptionsFuzzer.cpp - anything as the runtime's environment ----------===//
//
// Each line of the input is a variable of the environment and, for a host that
// sets options itself, a name and a value.
//
//===----------------------------------------------------------------------===//

#include "../runtime/lib/Options.h"

#include <cstddef>
#include <sstream>
#include <vector>

using namespace torchprof;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::istringstream Input({reinterpret_cast<const char *>(Data), Size});
  std::vector<std::string> Lines;
  for (std::string Line; std::getline(Input, Line);)
    Lines.push_back(Line.substr(0, Line.find('\0')));
  std::vector<const char *> Environment;
  Options Set;
  for (const std::string &Line : Lines) {
    Environment.push_back(Line.c_str());
    size_t Equals = Line.find('=');
    if (Equals != std::string::npos)
      Set.set(Line.substr(0, Equals), Line.substr(Equals + 1));
  }
  Environment.push_back(nullptr);
  Options().readEnvironment(Environment.data());
  return 0;
}
