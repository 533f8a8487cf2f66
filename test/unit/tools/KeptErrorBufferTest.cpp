//===- KeptErrorBufferTest.cpp - what LibTorch writes models through ------===//

#include "KeptErrorBuffer.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>

#include <unistd.h>

using namespace torchprof;

namespace {

/// Larger than any buffer.
const std::string Large(1 << 20, 'x');

class KeptErrorBufferTest : public testing::Test {
protected:
  ~KeptErrorBufferTest() override { std::filesystem::remove(Path); }

  std::string written() const {
    std::stringstream Text;
    Text << std::ifstream(Path, std::ios::binary).rdbuf();
    return Text.str();
  }

  const std::string Path =
      testing::TempDir() + "kept-error-buffer-" + std::to_string(getpid());
};

// By single characters, too, and by texts that do not fit any more.
TEST_F(KeptErrorBufferTest, WritesAllInOrder) {
  std::string Expected;
  std::ofstream(Path) << "older";
  KeptErrorBuffer File(Path.c_str());
  std::ostream Out(&File);
  for (int I = 0; I < 30000; ++I) {
    std::string Number = std::to_string(I);
    Out << Number;
    Out.put(',');
    Expected += Number + ",";
  }
  Out << Large << "end" << std::flush;
  Out.put('\n');
  EXPECT_EQ(File.close(), 0);
  EXPECT_EQ(written(), Expected + Large + "end\n");
}

// A writer must not learn of it: LibTorch's would end the process.
TEST_F(KeptErrorBufferTest, TellsOfAnErrorInTheEnd) {
  for (bool IsLarge : {true, false}) {
    KeptErrorBuffer File("/dev/full");
    std::ostream Out(&File);
    Out << (IsLarge ? Large : "small") << std::flush;
    for (int I = 0; I < 100000; ++I)
      Out.put('x');
    Out << Large;
    EXPECT_TRUE(Out.good());
    EXPECT_EQ(File.close(), ENOSPC);
    EXPECT_EQ(File.close(), ENOSPC);
  }
}

TEST_F(KeptErrorBufferTest, ErrorsOfTheLastBytesAreTold) {
  KeptErrorBuffer File("/dev/full");
  std::ostream(&File) << "small";
  EXPECT_EQ(File.close(), ENOSPC);
}

TEST_F(KeptErrorBufferTest, WhatCannotBeOpenedIsAnError) {
  KeptErrorBuffer File((Path + "/x").c_str());
  std::ostream Out(&File);
  Out << Large;
  EXPECT_TRUE(Out.good());
  EXPECT_EQ(File.close(), ENOENT);
}

} // namespace
