//===- Ranges.cpp - spans as ranges of other tools ------------------------===//

#include "Ranges.h"

#include "Lineage.h"
#include "OpenFrames.h"
#include "Options.h"
#include "Pages.h"
#include "Warn.h"
#include "torchprof/format/Records.h"

#include <atomic>
#include <exception>
#include <pthread.h>

namespace torchprof {

using namespace format;

static constexpr unsigned MostMarkers = 4;
static std::atomic<const RangeMarker *> Offered[MostMarkers];

void addRangeMarker(const RangeMarker *Marker) {
  for (auto &Place : Offered) {
    const RangeMarker *Free = nullptr;
    if (Place.compare_exchange_strong(Free, Marker) || Free == Marker)
      return;
  }
}

std::unique_ptr<Ranges> Ranges::make(const Options &Opts) {
  auto New = std::make_unique<Ranges>();
  for (const auto &Place : Offered) {
    const RangeMarker *Marker = Place.load(std::memory_order_relaxed);
    if (!Marker || !hasWord(Opts.Annotate, Marker->Word))
      continue;
    if (Marker->Find())
      New->Markers.push_back(Marker);
    else
      warn("TORCHPROF_ANNOTATE=%s: this process has no library for it",
           Marker->Word);
  }
  return New->Markers.empty() ? nullptr : std::move(New);
}

//===----------------------------------------------------------------------===//
// Open ranges
//===----------------------------------------------------------------------===//

namespace {

struct OpenRange {
  uint64_t Begin; ///< of the span, 0 until it is known
  const char *Name;
  Slot Site;
};

/// The open ranges of a thread. A forked child goes on with its parent's.
struct OpenRanges {
  uint32_t Count;
  OpenRange Ranges[(4 * PageBytes - 8) / sizeof(OpenRange)];
};
static_assert(sizeof(OpenRanges) <= 4 * PageBytes);

thread_local OpenRanges *Here [[gnu::tls_model("initial-exec")]] = nullptr;

void freeRanges(void *Memory) {
  Here = nullptr;
  PageSource::system().free(Memory, sizeof(OpenRanges));
}

/// Those of the calling thread; null without memory.
OpenRanges *ownRanges() {
  if (Here) [[likely]]
    return Here;
  static pthread_key_t Key;
  static const bool HasKey = pthread_key_create(&Key, freeRanges) == 0;
  auto *New = HasKey ? static_cast<OpenRanges *>(
                           PageSource::system().plain(sizeof(OpenRanges)))
                     : nullptr;
  if (!New)
    return nullptr;
  if (pthread_setspecific(Key, New) != 0) {
    PageSource::system().free(New, sizeof(OpenRanges));
    return nullptr;
  }
  Here = New;
  return New;
}

} // namespace

/// What a range is called; null if that cannot be had.
static const char *nameOf(Slot Site) try {
  if (const RegisteredChild *Child = Line.Children.childAt(Site))
    return Child->Name.c_str();
  const RegisteredModel *Model = Line.Models.ownerOf(Site).Model;
  return Model ? Model->textOf(Site - Model->FirstSlot).Label.c_str() : nullptr;
} catch (const std::exception &) {
  return nullptr;
}

void Ranges::endDownTo(uint32_t Count) {
  while (Here->Count > Count) {
    const OpenRange &Top = Here->Ranges[--Here->Count];
    for (auto I = Markers.rbegin(); I != Markers.rend(); ++I)
      (*I)->End(Top.Name, Top.Site);
  }
}

void Ranges::forgetSpans(Lane &L) {
  // Regions may be open around the run.
  uint32_t Open = Here ? Here->Count : 0;
  while (Open && !hasFrame(L, Here->Ranges[Open - 1].Begin,
                           Here->Ranges[Open - 1].Site))
    --Open;
  if (Here)
    endDownTo(Open);
}

bool Ranges::beginSpan(Slot Site) {
  OpenRanges *Open = ownRanges();
  const char *Name = nameOf(Site);
  if (!Open || !Name || Open->Count == std::size(Open->Ranges))
    return false;
  Open->Ranges[Open->Count++] = {0, Name, Site};
  for (const RangeMarker *Marker : Markers)
    Marker->Begin(Name, Site);
  return true;
}

void Ranges::spanBegan(Slot Site, uint64_t Begin) {
  if (!Here || !Here->Count)
    return;
  OpenRange &Top = Here->Ranges[Here->Count - 1];
  if (Top.Site == Site && !Top.Begin)
    Top.Begin = Begin;
}

void Ranges::endSpan(Slot Site, uint64_t Begin) {
  if (!Here)
    return;
  for (uint32_t I = Here->Count; I-- > 0;)
    if (Here->Ranges[I].Begin == Begin && Here->Ranges[I].Site == Site)
      return endDownTo(I);
}

} // namespace torchprof
