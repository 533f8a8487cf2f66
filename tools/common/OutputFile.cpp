//===- OutputFile.cpp - output files that replace nothing precious --------===//

#include "OutputFile.h"

#include "PageMark.h"
#include "torchprof/format/Records.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

#include <cerrno>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
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

namespace {
/// Where the symbolic links at the end of a path lead to.
struct Target {
  std::string Path;
  /// It stands for what a process has open (/proc/self/fd/1).
  bool IsOpenFile = false;
  std::string Error; ///< why it is not known
};
} // namespace

/// The folder in which \p Path lies.
static std::string folderOf(StringRef Path) {
  StringRef Folder = llvm::sys::path::parent_path(Path);
  return Folder.empty() ? "." : Folder.str();
}

/// Follows links one by one, as the last file need not exist, and as the text
/// of a link of /proc need not name the file that it leads to.
static Target targetOf(StringRef Path) {
  constexpr unsigned MaxLinks = 40; // as the kernel
  std::filesystem::path Here = Path.str();
  for (unsigned Links = 0; Links < MaxLinks; ++Links) {
    std::error_code Error;
    std::filesystem::path Next = std::filesystem::read_symlink(Here, Error);
    if (Error) // as it is no link
      return {Here.string(), false, ""};
    struct statfs System;
    if (statfs(folderOf(Here.string()).c_str(), &System) == 0 &&
        System.f_type == PROC_SUPER_MAGIC)
      return {Here.string(), true, ""};
    Here = Here.parent_path() / Next;
  }
  return {"", false, std::generic_category().message(ELOOP)};
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
  Target To = targetOf(Path);
  if (!To.Error.empty())
    return To.Error;
  if (To.IsOpenFile)
    return "stands for an open file, which cannot be replaced";
  // A file that is there is replaced by one that is made beside it.
  Error = fs::access(folderOf(To.Path), fs::AccessMode::Write);
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

/// Opens what \p Path of /proc stands for, to go on where its owner is in it.
static int openOpenFile(StringRef Path) {
  int Number = 0;
  StringRef Name = llvm::sys::path::filename(Path);
  if (!Name.getAsInteger(10, Number) &&
      fs::equivalent(folderOf(Path), "/proc/self/fd"))
    return fcntl(Number, F_DUPFD_CLOEXEC, 0);
  return ::open(Path.str().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
}

// llvm::sys::fs::TempFile would replace each percent sign of the directory's
// name, too.
std::string OutputFile::open(StringRef Path) {
  Target To = targetOf(Path);
  if (!To.Error.empty())
    return To.Error;
  if (To.IsOpenFile) {
    Descriptor = openOpenFile(To.Path);
    return Descriptor < 0 ? std::generic_category().message(errno) : "";
  }
  FinalPath = To.Path;
  StringRef Suffix = ".tmp";
  std::string Name = FinalPath + ".XXXXXX" + Suffix.str();
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
  if (Descriptor >= 0)
    close(Descriptor);
  if (TemporaryPath.empty())
    return;
  fs::remove(TemporaryPath);
  llvm::sys::DontRemoveFileOnSignal(TemporaryPath);
}

std::string OutputFile::keep() {
  // Some file systems tell only now that a write has failed.
  if (close(std::exchange(Descriptor, -1)) != 0)
    return std::generic_category().message(errno);
  if (TemporaryPath.empty()) // an open file has its bytes
    return "";
  if (std::error_code Error = fs::rename(TemporaryPath, FinalPath))
    return Error.message();
  llvm::sys::DontRemoveFileOnSignal(TemporaryPath);
  TemporaryPath.clear();
  return "";
}

} // namespace torchprof
