//===- OutputFile.cpp - output files that replace nothing precious --------===//

#include "OutputFile.h"

#include "PageMark.h"
#include "torchprof/format/Records.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace torchprof {

using llvm::StringRef;
namespace fs = llvm::sys::fs;

namespace {
struct KindFacts {
  const char *Name;
  StringRef Magic; ///< with which each file begins
};
} // namespace

static KindFacts factsOf(FileKind Kind) {
  switch (Kind) {
  case FileKind::Model: // a zip archive
    return {"model", StringRef("PK\x03\x04", 4)};
  case FileKind::Profile:
    return {"profile", StringRef(format::FileMagic, sizeof(format::FileMagic))};
  case FileKind::Page:
    break;
  }
  return {"page of torchprof-report", PageMark};
}

std::string whyNotWritable(StringRef Path, FileKind Kind, bool Force,
                           llvm::ArrayRef<std::string> Inputs) {
  fs::file_status Found;
  std::error_code Error = fs::status(Path, Found);
  bool IsNew = Error == std::errc::no_such_file_or_directory;
  if (Error && !IsNew)
    return Error.message();
  if (Found.type() == fs::file_type::directory_file)
    return std::make_error_code(std::errc::is_a_directory).message();
  if (!IsNew && Found.type() != fs::file_type::regular_file)
    return "not a regular file";
  // A file that is there is replaced by one that is made beside it.
  StringRef Directory = llvm::sys::path::parent_path(Path);
  Error =
      fs::access(Directory.empty() ? "." : Directory, fs::AccessMode::Write);
  if (Error)
    return Error.message();
  if (IsNew)
    return "";
  for (const std::string &Input : Inputs)
    if (fs::equivalent(Path, Input))
      return "is an input, which is never replaced";
  if (Force || Found.getSize() == 0)
    return "";
  auto [Name, Magic] = factsOf(Kind);
  auto Start = llvm::MemoryBuffer::getFileSlice(
      Path, std::min<uint64_t>(Found.getSize(), Magic.size()), 0);
  if (Start && (*Start)->getBuffer() == Magic)
    return "";
  return std::string("exists and is not a ") + Name + "; --force replaces it";
}

/// What went wrong, without the name of the temporary file.
static std::string textOf(llvm::Error Failed) {
  return llvm::errorToErrorCode(std::move(Failed)).message();
}

std::string OutputFile::open(StringRef Path) {
  FinalPath = Path.str();
  llvm::Expected<fs::TempFile> Created = fs::TempFile::create(
      Path + ".%%%%%%.tmp", fs::all_read | fs::owner_write);
  if (!Created)
    return textOf(Created.takeError());
  File.emplace(std::move(*Created));
  return "";
}

OutputFile::~OutputFile() {
  if (File)
    llvm::consumeError(File->discard());
}

std::string OutputFile::keep() {
  llvm::Error Failed = File->keep(FinalPath);
  File.reset();
  return Failed ? textOf(std::move(Failed)) : "";
}

} // namespace torchprof
