//===- ProfileFacts.cpp - what is told of a profile at a glance -----------===//

#include "ProfileFacts.h"

#include "torchprof/format/Segments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

namespace torchprof {

using llvm::StringRef;

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
      if (llvm::any_of(Runs, [&](const format::RunsRecord &Run) {
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

ProfileFacts factsOf(StringRef Path) {
  using namespace format;
  FactsReader Reader;
  auto File = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!File || (*File)->getBufferSize() < sizeof(FileHeader))
    return Reader.take(false);
  StringRef Bytes = (*File)->getBuffer();
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

} // namespace torchprof
