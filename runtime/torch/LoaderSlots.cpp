//===- LoaderSlots.cpp - stand in front of a linked function --------------===//

#include "LoaderSlots.h"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace torchprof {

namespace {

#if defined(__x86_64__)
constexpr unsigned JumpSlot = R_X86_64_JUMP_SLOT, DataSlot = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr unsigned JumpSlot = R_AARCH64_JUMP_SLOT,
                   DataSlot = R_AARCH64_GLOB_DAT;
#else
#error "the relocations of this processor are not known"
#endif

uintptr_t pageBytes() {
  static const auto Size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  return Size;
}

/// The relocations of one library.
struct Library {
  ElfW(Addr) Base = 0;
  const char *Strings = nullptr;
  const ElfW(Sym) *Symbols = nullptr;
  const ElfW(Rela) *Calls = nullptr, *Others = nullptr;
  size_t CallBytes = 0, OtherBytes = 0;
  uintptr_t ReadOnly = 0, ReadOnlyEnd = 0; ///< after relocation

  explicit Library(const dl_phdr_info &Info) : Base(Info.dlpi_addr) {
    for (int I = 0; I < Info.dlpi_phnum; ++I) {
      const ElfW(Phdr) &Header = Info.dlpi_phdr[I];
      if (Header.p_type == PT_DYNAMIC)
        readDynamic(reinterpret_cast<const ElfW(Dyn) *>(Base + Header.p_vaddr));
      if (Header.p_type == PT_GNU_RELRO) {
        ReadOnly = Base + Header.p_vaddr;
        // What shares a page with data that is written stays writable.
        ReadOnlyEnd = (ReadOnly + Header.p_memsz) & ~(pageBytes() - 1);
      }
    }
  }

private:
  /// glibc has made addresses of the offsets, but not in the kernel's own
  /// library.
  template <typename T> const T *at(ElfW(Addr) Value) const {
    return reinterpret_cast<const T *>(Value < Base ? Base + Value : Value);
  }

  void readDynamic(const ElfW(Dyn) * Entry) {
    for (; Entry->d_tag != DT_NULL; ++Entry)
      switch (Entry->d_tag) {
      case DT_STRTAB:
        Strings = at<char>(Entry->d_un.d_ptr);
        break;
      case DT_SYMTAB:
        Symbols = at<ElfW(Sym)>(Entry->d_un.d_ptr);
        break;
      case DT_JMPREL:
        Calls = at<ElfW(Rela)>(Entry->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        CallBytes = Entry->d_un.d_val;
        break;
      case DT_RELA:
        Others = at<ElfW(Rela)>(Entry->d_un.d_ptr);
        break;
      case DT_RELASZ:
        OtherBytes = Entry->d_un.d_val;
        break;
      }
  }
};

/// Writes \p Value to \p Slot, which the loader may have made read-only.
bool writeSlot(const Library &In, void **Slot, void *Value) {
  auto Address = reinterpret_cast<uintptr_t>(Slot);
  bool Protected = Address >= In.ReadOnly && Address < In.ReadOnlyEnd;
  uintptr_t Size = pageBytes();
  auto *Page = reinterpret_cast<void *>(Address & ~(Size - 1));
  if (Protected && mprotect(Page, Size, PROT_READ | PROT_WRITE) != 0)
    return false;
  __atomic_store_n(Slot, Value, __ATOMIC_RELEASE);
  if (Protected)
    mprotect(Page, Size, PROT_READ);
  return true;
}

/// Calls \p Visit with the symbol and the place of each slot of a library.
template <typename Visitor>
void visitSlots(const Library &In, const ElfW(Rela) * Table, size_t Bytes,
                Visitor &Visit) {
  if (!In.Strings || !In.Symbols || !Table)
    return;
  for (size_t I = 0; I < Bytes / sizeof(ElfW(Rela)); ++I) {
    unsigned Type = ELF64_R_TYPE(Table[I].r_info);
    if (Type == JumpSlot || Type == DataSlot)
      Visit(In.Strings + In.Symbols[ELF64_R_SYM(Table[I].r_info)].st_name,
            reinterpret_cast<void **>(In.Base + Table[I].r_offset));
  }
}

template <typename Visitor> void visitSlots(const Library &In, Visitor Visit) {
  visitSlots(In, In.Calls, In.CallBytes, Visit);
  visitSlots(In, In.Others, In.OtherBytes, Visit);
}

/// What is to be written, and how often it was.
struct Change {
  std::span<const Redirection> All;
  unsigned Written;
};

int changeLibrary(dl_phdr_info *Info, size_t, void *Data) {
  Library In(*Info);
  auto &To = *static_cast<Change *>(Data);
  visitSlots(In, [&](const char *Name, void **Slot) {
    for (const Redirection &R : To.All)
      if (strcmp(Name, R.Symbol) == 0)
        To.Written += writeSlot(In, Slot, R.Hook);
  });
  return 0;
}

/// What to look for, and whether it was found.
struct Search {
  ElfW(Addr) Address;
  const char *Symbol;
  bool Found;
};

bool contains(const dl_phdr_info &Info, ElfW(Addr) Address) {
  for (int I = 0; I < Info.dlpi_phnum; ++I) {
    const ElfW(Phdr) &Header = Info.dlpi_phdr[I];
    if (Header.p_type == PT_LOAD &&
        Address - (Info.dlpi_addr + Header.p_vaddr) < Header.p_memsz)
      return true;
  }
  return false;
}

int searchLibrary(dl_phdr_info *Info, size_t, void *Data) {
  auto &For = *static_cast<Search *>(Data);
  if (!contains(*Info, For.Address))
    return 0;
  visitSlots(Library(*Info), [&](const char *Name, void **) {
    For.Found |= strcmp(Name, For.Symbol) == 0;
  });
  return 1; // there is no other
}

/// What the loader knows: how often it has loaded something.
int countLoads(dl_phdr_info *Info, size_t, void *Loads) {
  *static_cast<unsigned long long *>(Loads) = Info->dlpi_adds;
  return 1; // the first library tells
}

} // namespace

unsigned redirectCalls(std::span<const Redirection> All) {
  Change To{All, 0};
  dl_iterate_phdr(changeLibrary, &To);
  return To.Written;
}

bool callsByName(const void *Address, const char *Symbol) {
  Search For{reinterpret_cast<ElfW(Addr)>(Address), Symbol, false};
  dl_iterate_phdr(searchLibrary, &For);
  return For.Found;
}

unsigned long long loaderLoads() {
  unsigned long long Loads = 0;
  dl_iterate_phdr(countLoads, &Loads);
  return Loads;
}

} // namespace torchprof
