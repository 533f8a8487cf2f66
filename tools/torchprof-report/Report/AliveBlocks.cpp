//===- AliveBlocks.cpp - who allocated what is alive ----------------------===//

#include "AliveBlocks.h"
#include "RunTables.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

using Account = AliveBlocks::Account;

AliveBlocks::AliveBlocks(const Profile &P, const BlockBooks &Books,
                         const SlotToSite &Slots)
    : Totals(Books.Totals) {
  auto SiteOf = [&](format::Slot Slot) {
    return Slot == format::NoSlot ? NoIndex : Slots[Slot];
  };
  PeakSite = SiteOf(Totals.PeakSite);
  PeakRealtimeNs = TickClock(P).realtimeNs(Totals.PeakTicks);
  for (const format::BlockAccount &A : Books.Accounts)
    Accounts.push_back({SiteOf(A.Site), A});
}

/// Bytes of an account, which may be below 0 in a damaged profile.
static Value bytesOf(int64_t Bytes) {
  return Value::signedBytes(uint64_t(Bytes));
}

static Value siteName(const SiteTable &Sites, uint32_t Site) {
  return Site == NoIndex ? Value::text("(outside of nodes)")
                         : nodeValue(Sites, Site);
}
static Value accountName(const SiteTable &Sites, const Account &A) {
  return A.Site == NoIndex && A.Held.IsShut
             ? Value::text("(while nothing was recorded)")
             : siteName(Sites, A.Site);
}

/// Columns of both tables that say whose account it is.
static RunColumns<Account>::Column nodeColumn() {
  return {TableColumn::text("node", "node"), "",
          [](const Account &A, const SiteTable &Sites) {
            return accountName(Sites, A);
          }};
}
static RunColumns<Account>::Column sourceColumn() {
  return {TableColumn::text("source", "source", Shorten::KeepEnd), "",
          [](const Account &A, const SiteTable &Sites) {
            return Value::text(A.Site == NoIndex ? "" : Sites.source(A.Site));
          }};
}
/// The accounts that are selected and for which \p Counts holds, the largest
/// by \p Weight first.
template <typename Filter, typename Order>
static std::vector<Account>
choose(const SiteTable &Sites, const Selection &Selected,
       const AliveBlocks &Blocks, Filter Counts, Order Weight) {
  std::vector<Account> Rows;
  for (const Account &A : Blocks.accounts())
    if (Counts(A) && (A.Site == NoIndex || Selected.matches(Sites, A.Site)))
      Rows.push_back(A);
  stable_sort(Rows, [&](const Account &A, const Account &B) {
    return Weight(A) > Weight(B);
  });
  return Rows;
}

/// A table, whose rows are about the accounts' sites.
static Table makeTable(StringRef Id, StringRef Title,
                       const RunColumns<Account> &Columns,
                       ArrayRef<Account> Rows, const SiteTable &Sites) {
  Table T = makeRunTable<Account>(Id, Title, Columns, Rows, Sites);
  for (const Account &A : Rows)
    T.Sites.push_back(A.Site == NoIndex ? std::vector<uint32_t>()
                                        : std::vector<uint32_t>{A.Site});
  return T;
}

/// Cuts the rows and says so.
template <typename RowT>
static std::string cut(std::vector<RowT> &Rows, unsigned Limit) {
  size_t Count = Rows.size();
  if (!Limit || Count <= Limit)
    return "";
  Rows.resize(Limit);
  return std::to_string(Count - Limit) + " more rows; --limit=0 shows them";
}

Table report::makePeakTable(const SiteTable &Sites, const Selection &Selected,
                            const AliveBlocks &Blocks, unsigned Limit) {
  const format::BlocksRecord &T = Blocks.totals();
  auto AtPeak = [](const Account &A) { return A.Held.AtPeak.Bytes; };
  std::vector<Account> Rows = choose(
      Sites, Selected, Blocks,
      [&](const Account &A) { return AtPeak(A) || A.Held.Live; }, AtPeak);
  std::string Note = cut(Rows, Limit);
  RunColumns<Account> Columns({
      nodeColumn(),
      sourceColumn(),
      {TableColumn::make("peak_bytes", "at the peak", ValueType::Bytes), "",
       [](const Account &A, const SiteTable &) {
         return bytesOf(A.Held.AtPeak.Bytes);
       }},
      {TableColumn::percent("pct_peak", "% peak"), "",
       [&](const Account &A, const SiteTable &) {
         return T.Peak > 0 ? Value::percent(100 * double(A.Held.AtPeak.Bytes) /
                                            double(T.Peak))
                           : Value();
       }},
      {TableColumn::make("live_bytes", "now", ValueType::Bytes), "",
       [](const Account &A, const SiteTable &) {
         return bytesOf(A.Held.Live);
       }},
      {TableColumn::count("blocks", "blocks now"), "",
       [](const Account &A, const SiteTable &) {
         return Value::count(uint64_t(std::max<int64_t>(A.Held.Blocks, 0)));
       }},
  });
  bool OnCpu = T.Place == format::MemoryPlace::Cpu;
  Table Result =
      makeTable(OnCpu ? "alive" : "device_alive",
                OnCpu ? "alive at the peak" : "alive on devices at the peak",
                Columns, Rows, Sites);
  if (!Note.empty())
    Result.Notes.push_back(Note);
  Value PeakAt = siteName(Sites, Blocks.peakSite());
  Value PeakTime = realtimeValue(Blocks.peakRealtimeNs());
  Result.Footer.push_back(
      {"peak_bytes", "Peak", bytesOf(T.Peak), Value(),
       "at " + PeakAt.Text + ", " + PeakTime.Display + " UTC"});
  Result.Footer.push_back(FooterLine::forMachines("peak_at", PeakAt));
  Result.Footer.push_back(
      FooterLine::forMachines("peak_realtime_ns", PeakTime));
  Result.Footer.push_back({"live_bytes", "Alive now", bytesOf(T.Live), Value(),
                           "of blocks that were allocated while it recorded"});
  return Result;
}

static int64_t growth(const Account &A) {
  return A.Held.AtRunEnd.Bytes - A.Held.AtMarks[0];
}

/// An allocator gives blocks of one size more or less room, whatever it finds:
/// what is no more than this for each block, and little beside all that is
/// held, is not growth.
static constexpr int64_t RoomOfBlock = 64;
static bool isRounding(const Account &A) {
  return growth(A) / RoomOfBlock <= A.Held.Blocks &&
         growth(A) < A.Held.AtRunEnd.Bytes / 100;
}

/// The last mark from which on growth is told from what the first runs keep.
static constexpr uint64_t EnoughRuns = 4;

Table report::makeGrowthTable(const SiteTable &Sites, const Selection &Selected,
                              const AliveBlocks &Blocks, unsigned Limit) {
  const format::BlocksRecord &T = Blocks.totals();
  uint64_t Runs = T.Runs - T.MarkRuns[0];
  bool IsEnough = T.MarkRuns[1] >= EnoughRuns;
  auto Grows = [&](const Account &A) {
    const int64_t *Marks = A.Held.AtMarks;
    return IsEnough && Marks[1] > Marks[0] &&
           A.Held.AtRunEnd.Bytes > Marks[1] && !isRounding(A);
  };
  std::vector<Account> Rows = choose(Sites, Selected, Blocks, Grows, growth);
  std::string Note = cut(Rows, Limit);
  RunColumns<Account> Columns({
      nodeColumn(),
      sourceColumn(),
      {TableColumn::make("bytes_per_run", "per run", ValueType::Bytes), "",
       [&](const Account &A, const SiteTable &) {
         return bytesOf(growth(A) / int64_t(Runs));
       }},
      {TableColumn::make("grown_bytes", "grown", ValueType::Bytes), "",
       [](const Account &A, const SiteTable &) { return bytesOf(growth(A)); }},
      {TableColumn::make("held_bytes", "held", ValueType::Bytes), "",
       [](const Account &A, const SiteTable &) {
         return bytesOf(A.Held.AtRunEnd.Bytes);
       }},
  });
  bool OnCpu = T.Place == format::MemoryPlace::Cpu;
  Table Result = makeTable(OnCpu ? "growing" : "device_growing",
                           (Twine(OnCpu ? "growing" : "growing on devices") +
                            " from the end of run " + Twine(T.MarkRuns[0]) +
                            " to that of " + Twine(T.Runs))
                               .str(),
                           Columns, Rows, Sites);
  if (!Note.empty())
    Result.Notes.push_back(Note);
  Result.Footer.push_back(
      FooterLine::forMachines("from_run", Value::count(T.MarkRuns[0])));
  Result.Footer.push_back(
      FooterLine::forMachines("to_run", Value::count(T.Runs)));
  return Result;
}
