//===- ProfileFile.cpp - the file that the process writes -----------------===//

#include "ProfileFile.h"
#include "InheritedFile.h"
#include "OpenFile.h"
#include "Options.h"
#include "Process.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace torchprof {

using namespace format;

std::string expandPattern(std::string_view Pattern, uint64_t Snapshot) {
  std::string Name;
  for (size_t I = 0; I < Pattern.size(); ++I) {
    char Next = I + 1 < Pattern.size() ? Pattern[I + 1] : '\0';
    if (Pattern[I] != '%' || !Next || !strchr("phs%", Next)) {
      Name += Pattern[I];
      continue;
    }
    ++I;
    if (Next == 'p') {
      Name += std::to_string(getpid());
    } else if (Next == 's') {
      Name += std::to_string(Snapshot);
    } else if (Next == 'h') {
      char Host[256] = "";
      gethostname(Host, sizeof(Host) - 1);
      Name += Host;
    } else {
      Name += '%';
    }
  }
  return Name;
}

bool namesSnapshots(std::string_view Pattern) {
  return expandPattern(Pattern, 0) != expandPattern(Pattern, 1);
}

std::string numberedName(std::string_view Name, unsigned Number) {
  if (Number == 0)
    return std::string(Name);
  size_t Slash = Name.rfind('/');
  size_t Dot = Name.rfind('.');
  if (Dot == std::string_view::npos || Dot == 0 ||
      (Slash != std::string_view::npos && Dot <= Slash + 1))
    Dot = Name.size();
  return std::string(Name.substr(0, Dot)) + "." + std::to_string(Number) +
         std::string(Name.substr(Dot));
}

static uint64_t roundToPages(uint64_t Bytes) {
  return roundUp(Bytes, PageBytes);
}

/// Writes zeros where the file system cannot reserve blocks.
static bool writeZeros(int Descriptor, uint64_t From, uint64_t Bytes) {
  static const char Zeros[PageBytes] = {};
  while (Bytes) {
    ssize_t Written =
        pwrite(Descriptor, Zeros, Bytes < PageBytes ? Bytes : PageBytes, From);
    if (Written < 0 && errno == EINTR)
      continue;
    if (Written <= 0)
      return false;
    From += uint64_t(Written);
    Bytes -= uint64_t(Written);
  }
  return true;
}

/// Makes sure that [From, From + Bytes) has blocks on the disk. Returns 0 or
/// an errno value.
static int reserveBlocks(int Descriptor, uint64_t From, uint64_t Bytes) {
  rlimit Limit;
  if (getrlimit(RLIMIT_FSIZE, &Limit) == 0 && Limit.rlim_cur != RLIM_INFINITY &&
      From + Bytes > Limit.rlim_cur)
    return EFBIG;
  // Where a signal interrupts tmpfs it gives all back: what takes longer than
  // the host's timer would be begun again and again.
  constexpr uint64_t PieceBytes = 1 << 20;
  for (uint64_t End = From + Bytes; From < End; From += PieceBytes) {
    uint64_t Piece = std::min(PieceBytes, End - From);
    int Status;
    do
      Status = fallocate(Descriptor, 0, off_t(From), off_t(Piece));
    while (Status != 0 && errno == EINTR);
    if (Status == 0)
      continue;
    if (errno != EOPNOTSUPP && errno != ENOSYS)
      return errno;
    return writeZeros(Descriptor, From, End - From) ? 0 : errno;
  }
  return 0;
}

/// The huge pages of x86, and of Arm with pages of 4 KiB.
static constexpr uint64_t HugePageBytes = 2 << 20;

/// An address whose place in its huge page is that of \p From in the file's,
/// with room for \p Bytes that nothing else is mapped to; null without any.
static void *placeForHugePages(uint64_t From, uint64_t Bytes) {
  uint64_t Reserved = Bytes + HugePageBytes;
  void *Memory = mmap(nullptr, Reserved, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Memory == MAP_FAILED)
    return nullptr;
  char *Start = static_cast<char *>(Memory);
  uint64_t Before = (From - uintptr_t(Start)) % HugePageBytes;
  if (Before)
    munmap(Start, Before);
  munmap(Start + Before + Bytes, HugePageBytes - Before);
  return Start + Before;
}

/// Maps \p Bytes of the file from \p From on, for reading and writing, which
/// both are multiples of the kernel's pages. Where a huge page has room in
/// between the kernel is asked for it. Linux has them for shared mappings of
/// tmpfs if shmem_enabled says so, of XFS from 5.18 and of ext4 from 6.16 on.
static void *mapShared(int Descriptor, uint64_t From, uint64_t Bytes) {
  void *Place = nullptr;
  if (roundUp(From, HugePageBytes) + HugePageBytes <= From + Bytes)
    Place = placeForHugePages(From, Bytes);
  void *Mapped =
      mmap(Place, Bytes, PROT_READ | PROT_WRITE,
           MAP_SHARED | (Place ? MAP_FIXED : 0), Descriptor, off_t(From));
  if (!Place)
    return Mapped;
  if (Mapped == MAP_FAILED)
    munmap(Place, Bytes);
  else
    madvise(Mapped, Bytes, MADV_HUGEPAGE);
  return Mapped;
}

/// Takes the write fault of every page now instead of in a probe.
static void touchPages(void *Address, uint64_t Bytes) {
  for (uint64_t Offset = 0; Offset < Bytes; Offset += PageBytes)
    *reinterpret_cast<volatile char *>(static_cast<char *>(Address) + Offset) =
        0;
}

static std::string absolutePath(const std::string &Name) {
  char Folder[PATH_MAX];
  if (Name.empty() || Name[0] == '/' || !getcwd(Folder, sizeof(Folder)))
    return Name;
  return std::string(Folder) + "/" + Name;
}

/// Opens the file that is mapped at \p Address, whatever its name is now. -1
/// if that is not known.
static int openMapped(const void *Address) {
  FILE *Maps = fopen("/proc/self/maps", "re");
  if (!Maps)
    return -1;
  int File = -1;
  char *Line = nullptr;
  size_t Size = 0;
  while (getline(&Line, &Size, Maps) > 0) {
    unsigned long Begin, End;
    int Name = 0;
    if (sscanf(Line, "%lx-%lx %*s %*s %*s %*s %n", &Begin, &End, &Name) < 2 ||
        uintptr_t(Address) < Begin || uintptr_t(Address) >= End)
      continue;
    Line[strcspn(Line, "\n")] = '\0';
    File = openFile(Line + Name, O_RDWR | O_NOFOLLOW);
    break;
  }
  free(Line);
  fclose(Maps);
  return File;
}

bool ProfileFile::isOurs(int File) const {
  struct stat Status;
  return File >= 0 && fstat(File, &Status) == 0 && Status.st_dev == Device &&
         Status.st_ino == Inode;
}

/// A host that closes descriptors it does not know may have given our number
/// to a file of its own; growing that one would damage it.
bool ProfileFile::fileIsOurs() {
  if (isOurs(Descriptor))
    return true;
  Descriptor = -1;
  if (!MayReopen || IsInherited)
    return errno = EBADF, false;
  int Named = openFile(Path.c_str(), O_RDWR | O_NOFOLLOW);
  if (isOurs(Named)) {
    Descriptor = Named;
    return true;
  }
  int Error = Named < 0 ? errno : EBADF;
  if (Named >= 0)
    ::close(Named);
  // torchprof record renames the files of processes that still run.
  int Mapped = openMapped(Header);
  if (isOurs(Mapped)) {
    Descriptor = Mapped;
    return true;
  }
  if (Mapped >= 0)
    ::close(Mapped);
  errno = Error;
  return false;
}

bool ProfileFile::reserve(uint64_t Bytes) {
  if (!fileIsOurs()) {
    Last = Failure(errno);
    return false;
  }
  int Status = reserveBlocks(Descriptor, End, Bytes);
  if (Status) {
    Last = Failure(Status);
    // What was reserved before the disk was full is given back.
    int Ignored = ftruncate(Descriptor, off_t(End));
    (void)Ignored;
    return false;
  }
  return true;
}

bool ProfileFile::grow(uint64_t Bytes, void *&Address) {
  if (Path.empty() || !reserve(Bytes))
    return false;
  // Where the kernel's pages are larger than ours, the first one of them may
  // begin with the end of the last segment, which is then mapped twice.
  uint64_t Before = End % Pages.pageBytes();
  void *Mapped = mapShared(Descriptor, End - Before, Before + Bytes);
  if (Mapped == MAP_FAILED) {
    Last = Failure(errno);
    return false;
  }
  // A child of fork must not store into its parent's file.
  madvise(Mapped, Before + Bytes, MADV_DONTFORK);
  Address = static_cast<char *>(Mapped) + Before;
  touchPages(Address, Bytes);
  End += Bytes;
  return true;
}

/// The descriptor of the newest file of this process or of the one that it was
/// forked from; no state of a recording, which a child cannot reach.
static struct {
  int Descriptor = -1;
  pid_t Owner = 0;
  dev_t Device = 0;
  ino_t Inode = 0;
} NewestFile;

/// Closes the descriptor that a forked child inherited, if it is still the
/// parent's file and not one that the host has opened since.
static void closeInherited() {
  struct stat Status;
  if (NewestFile.Descriptor >= 0 && NewestFile.Owner != getpid() &&
      fstat(NewestFile.Descriptor, &Status) == 0 &&
      Status.st_dev == NewestFile.Device && Status.st_ino == NewestFile.Inode)
    ::close(NewestFile.Descriptor);
  NewestFile.Descriptor = -1;
}

void ProfileFile::createNamed(const std::string &Name) {
  for (unsigned Number = 0; Number < 100000; ++Number) {
    std::string Candidate = numberedName(Name, Number);
    Descriptor = openFile(Candidate.c_str(), O_RDWR | O_CREAT | O_EXCL, 0666);
    if (Descriptor >= 0 || errno != EEXIST) {
      Path = absolutePath(Candidate);
      Numbered = Number != 0;
      break;
    }
  }
  if (Descriptor < 0)
    Last = Failure(errno);
}

void ProfileFile::takeDescriptor(int Number, const std::string &Name,
                                 bool MustBeInherited) {
  Last = takeFile(Number, MustBeInherited);
  if (Last)
    return;
  Descriptor = Number;
  IsInherited = true;
  Path = Name;
}

/// Maps the first page; null, with nothing left of the file, if that fails.
void *ProfileFile::mapHeader() {
  struct stat Status;
  if (fstat(Descriptor, &Status) != 0) {
    Last = Failure(errno);
    return nullptr;
  }
  Device = Status.st_dev;
  Inode = Status.st_ino;
  void *Address = nullptr;
  if (grow(PageBytes, Address)) {
    if (!IsInherited)
      NewestFile = {Descriptor, getpid(), Device, Inode};
    return Address;
  }
  if (IsInherited) {
    int Ignored = ftruncate(Descriptor, 0);
    (void)Ignored;
  } else {
    unlink(Path.c_str());
    ::close(Descriptor);
  }
  return nullptr;
}

void ProfileFile::create(const std::string &Name, const FileRules &Rules) {
  closeInherited();
  Last = Failure();
  MayReopen = Rules.MayReopen;
  if (std::optional<int> Number = descriptorOf(Name))
    takeDescriptor(*Number, Name, Rules.MustBeInherited);
  else if (Rules.MayCreate)
    createNamed(Name);
  else
    Last = Failure(EPERM, "TORCHPROF_OPEN=early opens no more files");
  void *Address = Descriptor >= 0 ? mapHeader() : nullptr;
  if (!Address) {
    Descriptor = -1;
    Path.clear();
    End = PageBytes;
    Address = Pages.plain(PageBytes);
    if (!Address)
      return;
  }
  Header = static_cast<FileHeader *>(Address);
  memcpy(Header->Magic, FileMagic, sizeof(FileMagic));
  Header->Version = FormatVersion;
  Header->ByteOrder = ByteOrderMark;
  Header->HeaderBytes = PageBytes;
  Header->State = FileState::Open;
  __atomic_store_n(&Header->FileBytes, PageBytes, __ATOMIC_RELEASE);
}

/// Makes room for one segment more in the list; false without memory. Before
/// the file grows: the probe that needs the segment cannot catch anything.
bool ProfileFile::makeRoom() try {
  if (Segments.size() == Segments.capacity())
    Segments.reserve(std::max<size_t>(2 * Segments.size(), 64));
  return true;
} catch (const std::bad_alloc &) {
  return false;
}

/// Whether readers find a new segment of a lane behind those that they need for
/// it. One that is in memory comes into the file last.
bool ProfileFile::keepsOrder(uint32_t Lane) const {
  if (AllInFile)
    return true;
  return std::none_of(Segments.begin(), Segments.end(), [&](const Segment &S) {
    bool IsNeeded = S.Head->Lane == Lane || S.Head == Segments.front().Head;
    return IsNeeded && !S.InFile;
  });
}

SegmentHeader *ProfileFile::add(SegmentType Type, uint64_t PayloadBytes,
                                uint32_t Lane) {
  if (!Header || !makeRoom())
    return nullptr;
  uint64_t Bytes = roundToPages(sizeof(SegmentHeader) + PayloadBytes);
  uint64_t Offset = End;
  void *Address = nullptr;
  bool InFile = keepsOrder(Lane) && grow(Bytes, Address);
  if (!InFile && !(Address = Pages.plain(Bytes)))
    return nullptr;
  auto *Head = static_cast<SegmentHeader *>(Address);
  Head->Magic = SegmentMagic;
  Head->Type = Type;
  Head->Bytes = Bytes;
  Head->PayloadBytes = PayloadBytes;
  Head->Index = uint32_t(Header->SegmentCount);
  Head->Lane = Lane;
  Segments.push_back({Head, Offset, InFile});
  AllInFile &= InFile;
  if (!InFile && !Path.empty()) {
    ++Unsaved;
    count(Counter::UnsavedParts);
  }
  return Head;
}

void ProfileFile::publish() {
  if (Segments.empty() || !Segments.back().InFile)
    return;
  __atomic_store_n(&Header->SegmentCount, Header->SegmentCount + 1,
                   __ATOMIC_RELAXED);
  __atomic_store_n(&Header->FileBytes, End, __ATOMIC_RELEASE);
}

static int syncMapped(void *Address, uint64_t Bytes) {
  // Segments need not begin where the kernel's pages do.
  uint64_t Page = PageSource::system().pageBytes();
  uint64_t Before = reinterpret_cast<uintptr_t>(Address) % Page;
  char *From = static_cast<char *>(Address) - Before;
  return msync(From, Before + Bytes, MS_SYNC) == 0 ? 0 : errno;
}

int ProfileFile::syncHeader() const {
  return Path.empty() ? EIO : syncMapped(Header, PageBytes);
}

int ProfileFile::syncSegment(const Segment &S) {
  return S.InFile ? syncMapped(S.Head, S.Head->Bytes) : EIO;
}

/// Appends what only memory holds; false if there is no room.
bool ProfileFile::append(Segment &S) {
  // The owner goes on writing to the memory; this is its state now.
  if (!reserve(S.Head->Bytes))
    return false;
  S.Head->Index = uint32_t(Header->SegmentCount);
  ssize_t Written = pwrite(Descriptor, S.Head, S.Head->Bytes, off_t(End));
  if (Written != ssize_t(S.Head->Bytes)) {
    Last = Failure(Written < 0 ? errno : ENOSPC);
    return false;
  }
  S.InFile = true;
  S.Offset = End;
  End += S.Head->Bytes;
  __atomic_store_n(&Header->SegmentCount, Header->SegmentCount + 1,
                   __ATOMIC_RELAXED);
  __atomic_store_n(&Header->FileBytes, End, __ATOMIC_RELEASE);
  return true;
}

void ProfileFile::close(FileState State) {
  if (!Header)
    return;
  bool HasRoom = true;
  for (Segment &S : Segments) {
    if (S.InFile || Path.empty())
      continue;
    // Without room what follows may need what is left out, but for a manifest,
    // which may be smaller and makes what the file has of its sites readable.
    bool NeedsNone =
        S.Head->Type == SegmentType::Manifest && Segments.front().InFile;
    if (HasRoom || NeedsNone)
      HasRoom &= append(S);
  }
  // What has not come into the file is lost, and is counted span by span.
  count(Counter::UnsavedParts, 0 - std::exchange(Unsaved, 0));
  __atomic_store(&Header->State, &State, __ATOMIC_RELEASE);
}

void ProfileFile::remove() {
  struct stat Status;
  if (!Path.empty() && !IsInherited && lstat(Path.c_str(), &Status) == 0 &&
      Status.st_dev == Device && Status.st_ino == Inode)
    unlink(Path.c_str());
}

} // namespace torchprof
