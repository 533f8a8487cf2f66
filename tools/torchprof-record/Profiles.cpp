//===- Profiles.cpp - what the processes of a command left ----------------===//

#include "Profiles.h"

#include "../common/ToolSupport.h"
#include "torchprof/format/Segments.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <algorithm>
#include <cstring>

namespace torchprof {

using namespace llvm;

/// The word of a Python's command line that says what runs: a file, or the
/// module behind -m; empty if it is code behind -c or on standard input.
static StringRef scriptOf(const std::vector<std::string> &Command) {
  for (size_t I = 1; I < Command.size(); ++I) {
    StringRef Word = Command[I];
    if (Word == "-m")
      return I + 1 < Command.size() ? StringRef(Command[I + 1]) : StringRef();
    if (Word == "-c" || Word == "-")
      return StringRef();
    if (Word == "-W" || Word == "-X")
      ++I;
    else if (!Word.startswith("-"))
      return Word;
  }
  return StringRef();
}

std::string defaultProfile(const std::vector<std::string> &Command) {
  StringRef Program = sys::path::filename(Command.front());
  StringRef Name = Program;
  if (Program.startswith("python"))
    if (StringRef Script = scriptOf(Command); !Script.empty())
      Name = sys::path::filename(Script);
  for (StringRef Suffix : {".py", ".sh"})
    Name.consume_back(Suffix);
  return (Name + ".tprof").str();
}

/// Before the process's number in a temporary name.
static std::string temporaryStem(StringRef Final) {
  SmallString<256> Path(Final);
  sys::fs::make_absolute(Path);
  StringRef Stem = Path;
  Stem.consume_back(".tprof");
  return (Stem + "." + Twine(sys::Process::getProcessId()) + "-").str();
}

std::string temporaryPattern(StringRef Final) {
  // A percent sign of the user's is not one of the runtime's.
  std::string Pattern;
  for (char C : temporaryStem(Final))
    Pattern.append(C == '%' ? 2 : 1, C);
  return Pattern + "%p.tprof";
}

namespace {
/// A file that was written under a temporary name.
struct Written {
  uint64_t Start = 0; ///< CLOCK_REALTIME; process ids begin anew at times
  uint64_t Process = 0;
  uint64_t Snapshot = 0; ///< its number; of the profile itself the largest
  std::string Rest;      ///< what the runtime added, ".1" for a first snapshot
  std::string Path;
  auto operator<=>(const Written &) const = default;
};
} // namespace

/// When the process of a profile began to record; 0 if the file does not say.
static uint64_t startOf(StringRef Path) {
  using namespace format;
  constexpr uint64_t Offset = PageBytes + sizeof(SegmentHeader);
  auto File = MemoryBuffer::getFileSlice(Path, sizeof(ProcessRecord), Offset,
                                         /*IsVolatile=*/true);
  if (!File || (*File)->getBufferSize() < sizeof(ProcessRecord))
    return 0;
  ProcessRecord Record;
  std::memcpy(&Record, (*File)->getBufferStart(), sizeof(Record));
  return Record.StartRealtimeNs;
}

static std::vector<Written> findWritten(StringRef Final) {
  std::string Stem = temporaryStem(Final);
  std::vector<Written> Found;
  std::error_code Error;
  for (sys::fs::directory_iterator It(sys::path::parent_path(Stem), Error), End;
       !Error && It != End; It.increment(Error)) {
    StringRef Name = It->path();
    Written File;
    File.Path = It->path();
    if (Name.consume_front(Stem) && Name.consume_back(".tprof") &&
        !Name.consumeInteger(10, File.Process)) {
      File.Rest = Name.str();
      if (Name.empty())
        File.Snapshot = UINT64_MAX;
      else if (Name.consume_front("."))
        Name.consumeInteger(10, File.Snapshot);
      File.Start = startOf(File.Path);
      Found.push_back(std::move(File));
    }
  }
  std::sort(Found.begin(), Found.end());
  return Found;
}

/// Number of records that a profile's process had written to all logs, which
/// grows with each span; None of a file that is no whole profile.
static Optional<uint64_t> recordsIn(StringRef Path) {
  using namespace format;
  auto File = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!File)
    return None;
  StringRef Bytes = (*File)->getBuffer();
  FileHeader Head;
  if (Bytes.size() < sizeof(Head))
    return None;
  std::memcpy(&Head, Bytes.data(), sizeof(Head));
  if (Head.FileBytes < sizeof(Head) || Head.FileBytes > Bytes.size())
    return None;
  uint64_t Records = 0;
  for (StringRef Rest = Bytes.slice(sizeof(Head), Head.FileBytes);
       !Rest.empty();) {
    if (Rest.size() < PageBytes)
      return None;
    auto *Segment = reinterpret_cast<const SegmentHeader *>(Rest.data());
    if (Segment->Magic != SegmentMagic || Segment->Bytes < PageBytes ||
        Segment->Bytes > Rest.size())
      return None;
    if (Segment->Type == SegmentType::Log)
      Records += ConstSegmentOf<SegmentType::Log>(Segment).record().Written;
    Rest = Rest.drop_front(Segment->Bytes);
  }
  return Records;
}

/// \p Final with the number of a process for each %p in it, or with \p Number,
/// if there is one, at its end; before its ".tprof" what the runtime added.
static std::string nameOf(StringRef Final, const Written &File,
                          Optional<unsigned> Number) {
  StringRef Suffix = ".tprof";
  if (!Final.consume_back(Suffix))
    Suffix = "";
  SmallVector<StringRef, 2> Parts;
  Final.split(Parts, "%p");
  std::string Name = join(Parts, std::to_string(File.Process));
  if (Number && Parts.size() == 1)
    Name.append("-").append(std::to_string(*Number));
  return Name + File.Rest + Suffix.str();
}

std::vector<KeptProfile> keepProfiles(StringRef Final) {
  std::vector<Written> Found = findWritten(Final);
  bool Several =
      !Found.empty() && Found.front().Process != Found.back().Process;
  std::vector<KeptProfile> Kept;
  unsigned Processes = 0;
  for (size_t I = 0; I < Found.size(); ++I) {
    bool IsFirst = I == 0 || Found[I].Process != Found[I - 1].Process;
    Processes += IsFirst;
    std::string Name =
        nameOf(Final, Found[I], Several ? Optional(Processes) : None);
    if (std::error_code Failed = sys::fs::rename(Found[I].Path, Name)) {
      reportWarning(Name + ": " + Failed.message());
      Name = Found[I].Path;
    }
    KeptProfile Profile{Name, ""};
    if (!IsFirst && Found[I].Snapshot == UINT64_MAX)
      if (Optional<uint64_t> Records = recordsIn(Name);
          Records && Records == recordsIn(Kept.back().Path))
        Profile.NothingAfter = Kept.back().Path;
    Kept.push_back(Profile);
  }
  return Kept;
}

} // namespace torchprof
