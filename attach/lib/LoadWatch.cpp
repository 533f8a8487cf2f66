//===- LoadWatch.cpp - which files LibTorch loads -------------------------===//

#include "LoadWatch.h"

#include "torch/Attach.h"

#include <caffe2/serialize/inline_container.h>

#include <algorithm>
#include <exception>
#include <new>
#include <pthread.h>

namespace torchprof {

namespace {
struct OpenReader {
  const void *Reader;
  int Exceptions; ///< in flight when it began
  bool HasInner;  ///< another reader has lived inside
  format::LoadEvent Event;
};

/// What is open on a thread.
struct OpenFiles {
  static constexpr unsigned MaxReaders = 16;

  const void *Adapter;    ///< that no reader was made of yet, or null
  format::LoadEvent File; ///< its name
  unsigned Count;
  OpenReader Readers[MaxReaders]; ///< in the order in which they began

  OpenReader *find(const void *Reader) {
    OpenReader *End = Readers + Count;
    OpenReader *Found = std::find_if(
        Readers, End, [&](const OpenReader &R) { return R.Reader == Reader; });
    return Found == End ? nullptr : Found;
  }

  void remove(OpenReader *R) {
    std::move(R + 1, Readers + Count, R);
    --Count;
  }

  void forget(const void *Reader) {
    if (OpenReader *R = find(Reader))
      remove(R);
  }

  void add(const OpenReader &R) {
    forget(R.Reader);
    if (Count == MaxReaders)
      remove(Readers); // it has ended on another thread, or will be unnoticed
    Readers[Count++] = R;
  }
};
} // namespace

/// Null until the thread opens a file.
static thread_local OpenFiles *OfThread = nullptr;

static void freeFiles(void *Files) {
  delete static_cast<OpenFiles *>(Files);
  OfThread = nullptr;
}

static OpenFiles *openFiles() {
  if (OfThread)
    return OfThread;
  static pthread_key_t Key;
  static const bool HasKey = pthread_key_create(&Key, freeFiles) == 0;
  auto *New = HasKey ? new (std::nothrow) OpenFiles() : nullptr;
  if (New && pthread_setspecific(Key, New) == 0)
    return OfThread = New;
  delete New;
  return nullptr;
}

static bool isAttached() {
  try {
    return attachOptions().Attach;
  } catch (...) {
    return false;
  }
}

void fileOpened(const void *Adapter, std::string_view Name) noexcept {
  if (!isAttached())
    return;
  if (OpenFiles *Files = openFiles()) {
    Files->Adapter = Adapter;
    setFile(Files->File, Name);
  }
}

static void readerBegins(const void *Reader, std::string_view Name) {
  if (!isAttached())
    return;
  OpenFiles *Files = openFiles();
  if (!Files)
    return;
  OpenReader R{Reader, std::uncaught_exceptions(), false, {}};
  setFile(R.Event, Name);
  R.Event.BeginTicks = ticksNow();
  Files->add(R);
}

ReaderScope::ReaderScope(const void *Reader, std::string_view Name) noexcept
    : Reader(Reader), Exceptions(std::uncaught_exceptions()) {
  readerBegins(Reader, Name);
}

static std::string_view fileOfAdapter(const void *Adapter) {
  return Adapter && OfThread && OfThread->Adapter == Adapter
             ? fileOf(OfThread->File)
             : std::string_view();
}

ReaderScope::ReaderScope(const void *Reader, const void *Adapter) noexcept
    : ReaderScope(Reader, fileOfAdapter(Adapter)) {}

ReaderScope::~ReaderScope() {
  if (!OfThread)
    return;
  // A reader that is made of a name makes an adapter, too.
  OfThread->Adapter = nullptr;
  if (std::uncaught_exceptions() > Exceptions)
    OfThread->forget(Reader);
}

/// True if the archive is one of TorchScript: those of torch.save and of
/// torch.package have no constants beside their other files.
static bool isTorchScript(void *Reader) {
  try {
    return static_cast<caffe2::serialize::PyTorchStreamReader *>(Reader)
        ->hasRecord("constants.pkl");
  } catch (...) {
    return false;
  }
}

void readerEnds(void *Reader) noexcept {
  OpenReader *Open = OfThread ? OfThread->find(Reader) : nullptr;
  if (!Open)
    return;
  OpenReader R = *Open;
  R.Event.Ticks = ticksNow() - R.Event.BeginTicks;
  // torch.load opens TorchScript's archive itself before it calls jit.load.
  for (OpenReader *Outer = OfThread->Readers; Outer != Open; ++Outer)
    Outer->HasInner = true;
  OfThread->remove(Open);
  if (!R.HasInner && std::uncaught_exceptions() <= R.Exceptions &&
      isTorchScript(Reader))
    noteLoad(R.Event);
}

} // namespace torchprof
