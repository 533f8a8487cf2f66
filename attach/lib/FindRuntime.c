/*===- FindRuntime.c - which runtime fits this process --------------------===*\
|*                                                                            *|
|* Needs nothing but the C library: it is part of libtorchprof_preload.so.    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#define _GNU_SOURCE

#include "FindRuntime.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct LibTorch {
  const char *Path; /* null: none is loaded */
  char BuildId[2 * 64 + 1];
};

static void writeHex(const unsigned char *Bytes, size_t Count, char *Text,
                     size_t Size) {
  for (size_t I = 0; I < Count && 2 * I + 2 < Size; ++I)
    snprintf(Text + 2 * I, 3, "%02x", Bytes[I]);
}

static size_t padded(size_t Size) { return (Size + 3) & ~(size_t)3; }

/* Looks through the notes of one segment. */
static int findBuildId(const char *Notes, size_t Size, struct LibTorch *Found) {
  const ElfW(Nhdr) * Note;
  for (size_t At = 0; At + sizeof(*Note) <= Size;) {
    Note = (const void *)(Notes + At);
    const char *Name = (const char *)(Note + 1);
    const char *Value = Name + padded(Note->n_namesz);
    if (Value + Note->n_descsz > Notes + Size)
      return 0;
    if (Note->n_type == NT_GNU_BUILD_ID && Note->n_namesz == 4 &&
        memcmp(Name, "GNU", 4) == 0) {
      writeHex((const unsigned char *)Value, Note->n_descsz, Found->BuildId,
               sizeof(Found->BuildId));
      return 1;
    }
    At = (size_t)(Value + padded(Note->n_descsz) - Notes);
  }
  return 0;
}

int torchprofIsLibTorch(const char *Path) {
  const char *Slash = strrchr(Path, '/');
  return strncmp(Slash ? Slash + 1 : Path, "libtorch_cpu.so",
                 strlen("libtorch_cpu.so")) == 0;
}

static int lookAt(struct dl_phdr_info *Info, size_t Size, void *Data) {
  struct LibTorch *Found = Data;
  (void)Size;
  if (!torchprofIsLibTorch(Info->dlpi_name))
    return 0;
  Found->Path = Info->dlpi_name;
  /* The name of the folder where LibTorch was linked without an id. */
  strcpy(Found->BuildId, "no-build-id");
  for (int I = 0; I < Info->dlpi_phnum; ++I) {
    const ElfW(Phdr) *Segment = &Info->dlpi_phdr[I];
    if (Segment->p_type == PT_NOTE &&
        findBuildId((const char *)(Info->dlpi_addr + Segment->p_vaddr),
                    Segment->p_memsz, Found))
      break;
  }
  return 1;
}

/* The versions that there are runtimes for: "1.13.1, 2.13.0". */
static void listVersions(const char *Folder, char *Text, size_t Size) {
  DIR *Runtimes = opendir(Folder);
  size_t Length = 0;
  Text[0] = '\0';
  for (struct dirent *Entry; Runtimes && (Entry = readdir(Runtimes));) {
    char Path[PATH_MAX], Version[32] = "";
    if (Entry->d_name[0] == '.' ||
        snprintf(Path, sizeof(Path), "%s%s/libtorch.txt", Folder,
                 Entry->d_name) >= (int)sizeof(Path))
      continue;
    FILE *File = fopen(Path, "re");
    if (!File)
      continue;
    if (fscanf(File, "%31s", Version) == 1 &&
        Length + sizeof(Version) + 2 < Size)
      Length +=
          (size_t)sprintf(Text + Length, "%s%s", Length ? ", " : "", Version);
    fclose(File);
  }
  if (Runtimes)
    closedir(Runtimes);
}

/* What scripts/setup takes for this LibTorch: the folder above its lib/, or the
   word for Debian's own. Not terminated by a zero. */
static const char *setupName(const char *Path, int *Length) {
  static const char Debian[] = "system";
  const char *End = Path;
  for (const char *Next = Path; (Next = strstr(Next, "/lib/")); ++Next)
    End = Next;
  *Length = (int)(End - Path);
  if (*Length != 0 && strncmp(Path, "/usr", (size_t)*Length) != 0)
    return Path;
  *Length = (int)strlen(Debian);
  return Debian;
}

int torchprof_find_runtime(char *Text, size_t Size) {
  struct LibTorch Here = {NULL, ""};
  Dl_info Self;
  char Folder[PATH_MAX], Versions[256];
  dl_iterate_phdr(lookAt, &Here);
  if (!Here.Path) {
    snprintf(Text, Size, "no libtorch_cpu.so is loaded");
    return 0;
  }
  const char *Slash = NULL;
  if (dladdr((void *)torchprof_find_runtime, &Self) && Self.dli_fname)
    Slash = strrchr(Self.dli_fname, '/');
  int Length = Slash ? (int)(Slash - Self.dli_fname + 1) : 0;
  if (snprintf(Folder, sizeof(Folder), "%.*storchprof/", Length,
               Slash ? Self.dli_fname : "") >= (int)sizeof(Folder)) {
    snprintf(Text, Size, "the path of the preloaded library is too long");
    return 0;
  }
  if (snprintf(Text, Size, "%s%s/", Folder, Here.BuildId) < (int)Size &&
      access(Text, X_OK) == 0)
    return 1;
  listVersions(Folder, Versions, sizeof(Versions));
  int NameLength;
  const char *Name = setupName(Here.Path, &NameLength);
  snprintf(Text, Size,
           "no runtime for %s (build id %s) in %s, which has %s%s; "
           "`TORCHPROF_TORCH=%.*s scripts/setup --prefix DIRECTORY` adds one",
           Here.Path, Here.BuildId, Folder,
           *Versions ? "those for LibTorch " : "none", Versions, NameLength,
           Name);
  return 0;
}
