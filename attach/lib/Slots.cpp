//===- Slots.cpp - hooks for a process that runs already ------------------===//
//
// A library that was not preloaded cannot stand in front of LibTorch. But the
// loader keeps the addresses of functions that one library calls in another, or
// through its own table, in slots (System V ABI, "Procedure Linkage Table"): in
// those of the constructors the hooks' addresses are written. Executors that
// were made before stay without.
//
// Done once, when this library is loaded.
//
//===----------------------------------------------------------------------===//

#include "Hooks.h"
#include "torch/Attach.h"

#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace torchprof {

namespace {

/// A constructor, where it is, and what takes its place.
struct Constructor {
  const char *Symbol;
  void *Hook;
  void **Real;
};

#define TORCHPROF_CONSTRUCTOR(HOOK, ID, SYMBOL)                                \
  Torchprof##HOOK *Real_##ID;                                                  \
  RESULT_##HOOK hook_##ID(PARAMETERS_##HOOK) {                                 \
    RETURN_##HOOK torchprof_attach_hooks.HOOK(Real_##ID, ARGUMENTS_##HOOK);    \
  }
#include "Constructors.def"

const Constructor Constructors[] = {
#define TORCHPROF_CONSTRUCTOR(HOOK, ID, SYMBOL)                                \
  {SYMBOL, reinterpret_cast<void *>(hook_##ID),                                \
   reinterpret_cast<void **>(&Real_##ID)},
#include "Constructors.def"
};

#if defined(__x86_64__)
constexpr unsigned JumpSlot = R_X86_64_JUMP_SLOT, DataSlot = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr unsigned JumpSlot = R_AARCH64_JUMP_SLOT,
                   DataSlot = R_AARCH64_GLOB_DAT;
#else
#error "the relocations of this processor are not known"
#endif

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
        ReadOnlyEnd = ReadOnly + Header.p_memsz;
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
  auto Size = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  auto *Page = reinterpret_cast<void *>(Address & ~(Size - 1));
  if (Protected && mprotect(Page, Size, PROT_READ | PROT_WRITE) != 0)
    return false;
  __atomic_store_n(Slot, Value, __ATOMIC_RELEASE);
  if (Protected)
    mprotect(Page, Size, PROT_READ);
  return true;
}

unsigned writeSlots(const Library &In, const ElfW(Rela) * Table, size_t Bytes) {
  unsigned Written = 0;
  for (size_t I = 0; I < Bytes / sizeof(ElfW(Rela)); ++I) {
    unsigned Type = ELF64_R_TYPE(Table[I].r_info);
    if (Type != JumpSlot && Type != DataSlot)
      continue;
    const char *Name =
        In.Strings + In.Symbols[ELF64_R_SYM(Table[I].r_info)].st_name;
    for (const Constructor &C : Constructors)
      if (*C.Real && strcmp(Name, C.Symbol) == 0)
        Written += writeSlot(
            In, reinterpret_cast<void **>(In.Base + Table[I].r_offset), C.Hook);
  }
  return Written;
}

int visitLibrary(dl_phdr_info *Info, size_t, void *Written) {
  Library In(*Info);
  if (!In.Strings || !In.Symbols)
    return 0;
  auto &Sum = *static_cast<unsigned *>(Written);
  if (In.Calls)
    Sum += writeSlots(In, In.Calls, In.CallBytes);
  if (In.Others)
    Sum += writeSlots(In, In.Others, In.OtherBytes);
  return 0;
}

} // namespace

[[gnu::constructor]] static void installHooks() {
  if (dlsym(RTLD_DEFAULT, "torchprof_preloaded"))
    return;
  // This library is linked with LibTorch: its own scope has the constructors.
  Dl_info Self;
  void *Here =
      dladdr(const_cast<TorchprofHooks *>(&torchprof_attach_hooks), &Self)
          ? dlopen(Self.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
          : nullptr;
  for (const Constructor &C : Constructors)
    *C.Real = Here ? dlsym(Here, C.Symbol) : nullptr;
  unsigned Written = 0;
  dl_iterate_phdr(visitLibrary, &Written);
  if (Written == 0)
    warnOfAttach("cannot attach: this LibTorch does not call its constructors "
                 "through the loader; instrumented models are still profiled");
}

} // namespace torchprof
