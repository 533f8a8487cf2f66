//===- OutputFile.cpp - output files that replace nothing precious --------===//

#include "OutputFile.h"

#include "PageMark.h"
#include "torchprof/format/Records.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

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
  if (std::string Reason = whyNotReplaced(Path, Inputs); !Reason.empty())
    return Reason;
  if (Force)
    return "";
  std::string Reason = whyNotOfKind(Path, Kind);
  return Reason.empty() ? "" : Reason + "; --force replaces it";
}

std::string whyNotOfKind(StringRef Path, FileKind Kind) {
  fs::file_status Found;
  if (fs::status(Path, Found) || Found.getSize() == 0)
    return "";
  auto [Name, Magic] = factsOf(Kind);
  auto Start = llvm::MemoryBuffer::getFileSlice(
      Path, std::min<uint64_t>(Found.getSize(), Magic.size()), 0);
  if (Start && (*Start)->getBuffer() == Magic)
    return "";
  return std::string("exists and is not a ") + Name;
}

std::string whyNotReplaced(StringRef Path, llvm::ArrayRef<std::string> Inputs) {
  for (const std::string &Input : Inputs)
    if (fs::equivalent(Path, Input))
      return "is an input, which is never replaced";
  return "";
}

std::vector<std::string> filesOfInputs(llvm::ArrayRef<std::string> Specs) {
  std::vector<std::string> Files;
  for (StringRef Spec : Specs) {
    Spec = Spec.ltrim(' ');
    if (Spec.consume_front("@"))
      Files.push_back(Spec.str());
  }
  return Files;
}

// llvm::sys::fs::TempFile would replace each percent sign of the directory's
// name, too.
std::string OutputFile::open(StringRef Path) {
  FinalPath = Path.str();
  StringRef Suffix = ".tmp";
  std::string Name = (Path + ".XXXXXX" + Suffix).str();
  Descriptor =
      mkostemps(Name.data(), static_cast<int>(Suffix.size()), O_CLOEXEC);
  if (Descriptor < 0)
    return std::generic_category().message(errno);
  TemporaryPath = Name;
  llvm::sys::RemoveFileOnSignal(Name);
  // It can only be read by its owner yet.
  (void)fs::setPermissions(Descriptor, fs::perms(0666 & ~fs::getUmask()));
  return "";
}

OutputFile::~OutputFile() {
  if (TemporaryPath.empty())
    return;
  fs::remove(TemporaryPath);
  llvm::sys::DontRemoveFileOnSignal(TemporaryPath);
  if (Descriptor >= 0)
    close(Descriptor);
}

std::string OutputFile::keep() {
  // Some file systems tell only now that a write has failed.
  if (close(std::exchange(Descriptor, -1)) != 0)
    return std::generic_category().message(errno);
  if (std::error_code Error = fs::rename(TemporaryPath, FinalPath))
    return Error.message();
  llvm::sys::DontRemoveFileOnSignal(TemporaryPath);
  TemporaryPath.clear();
  return "";
}

} // namespace torchprof
