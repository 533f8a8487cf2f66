//===- ProfileFacts.cpp - what is told of a profile at a glance -----------===//

#include "ProfileFacts.h"

#include "torchprof/format/Segments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace torchprof {

using namespace llvm;

namespace {

/// Reads the header, then segment by segment.
class FactsReader {
public:
  void read(const format::FileHeader &Head) {
    Facts.IsOpen = Head.State == format::FileState::Open;
    Facts.IsSnapshot = Head.State == format::FileState::Snapshot;
  }

  void read(const format::SegmentHeader &Head) {
    using namespace format;
    switch (Head.Type) {
    case SegmentType::Process: {
      const ProcessRecord &R =
          ConstSegmentOf<SegmentType::Process>(&Head).record();
      Facts.Start = R.StartRealtimeNs;
      Facts.EndTicks = R.EndTicks;
      Facts.Command.assign(R.Command, strnlen(R.Command, sizeof(R.Command)));
      break;
    }
    case SegmentType::Manifest:
      Models.push_back(ConstSegmentOf<SegmentType::Manifest>(&Head).record());
      break;
    case SegmentType::Runs:
      Runs.push_back(ConstSegmentOf<SegmentType::Runs>(&Head).record());
      break;
    case SegmentType::Log:
      Facts.Records += ConstSegmentOf<SegmentType::Log>(&Head).record().Written;
      break;
    default:
      break;
    }
  }

  /// \p IsWhole: all segments were read.
  ProfileFacts take(bool IsWhole) {
    Facts.IsWhole = IsWhole;
    // A child of fork knows the models of its parent, too.
    for (const format::ModelRecord &Model : Models)
      if (any_of(Runs, [&](const format::RunsRecord &Run) {
            return Run.Count && Run.Site >= Model.FirstSlot &&
                   Run.Site - Model.FirstSlot < Model.SiteCount;
          }))
        Facts.Models.push_back(Model.ModelId);
    llvm::sort(Facts.Models);
    return std::move(Facts);
  }

private:
  ProfileFacts Facts;
  std::vector<format::ModelRecord> Models;
  std::vector<format::RunsRecord> Runs;
};

} // namespace

/// True for who may have written what the command's processes have: this user
/// and, where files belong to whoever mounted the disk, the owner of the
/// directory. What root starts may become anybody.
static bool isWriter(uid_t User, StringRef Path) {
  if (geteuid() == 0 || User == geteuid())
    return true;
  struct stat Directory;
  return stat(sys::path::parent_path(Path).str().c_str(), &Directory) == 0 &&
         User == Directory.st_uid;
}

/// Says why an open file is none of the command's profiles; null if it may be.
static const char *whyNotWritten(int Descriptor, StringRef Path) {
  struct stat Found;
  if (fstat(Descriptor, &Found) != 0)
    return strerror(errno);
  if (!S_ISREG(Found.st_mode))
    return "not a regular file";
  if (!isWriter(Found.st_uid, Path))
    return "another user's file";
  return nullptr;
}

static ProfileFacts factsIn(StringRef Bytes) {
  using namespace format;
  FactsReader Reader;
  if (Bytes.size() < sizeof(FileHeader))
    return Reader.take(false);
  FileHeader Head;
  std::memcpy(&Head, Bytes.data(), sizeof(Head));
  Reader.read(Head);
  if (Head.FileBytes < PageBytes || Head.FileBytes > Bytes.size())
    return Reader.take(false);
  for (StringRef Rest = Bytes.slice(PageBytes, Head.FileBytes);
       !Rest.empty();) {
    if (Rest.size() < PageBytes)
      return Reader.take(false);
    auto *Segment = reinterpret_cast<const SegmentHeader *>(Rest.data());
    if (Segment->Magic != SegmentMagic || Segment->Bytes < PageBytes ||
        Segment->Bytes > Rest.size())
      return Reader.take(false);
    Reader.read(*Segment);
    Rest = Rest.drop_front(Segment->Bytes);
  }
  return Reader.take(true);
}

Expected<ProfileFacts> factsOf(StringRef Path) {
  auto Wrong = [](const char *Reason) {
    return createStringError(inconvertibleErrorCode(), Reason);
  };
  // Who may write to the directory can put anything there: a pipe whose other
  // end nobody opens, or a link to a device without an end.
  int Descriptor =
      open(Path.str().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (Descriptor < 0)
    return Wrong(errno == ELOOP ? "a symbolic link" : strerror(errno));
  auto Close = make_scope_exit([&] { close(Descriptor); });
  if (const char *Reason = whyNotWritten(Descriptor, Path))
    return Wrong(Reason);
  auto File = MemoryBuffer::getOpenFile(Descriptor, Path, /*FileSize=*/-1,
                                        /*RequiresNullTerminator=*/false);
  if (!File)
    return errorCodeToError(File.getError());
  return factsIn((*File)->getBuffer());
}

} // namespace torchprof
