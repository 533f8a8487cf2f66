//===- Pprof.cpp - stacks for pprof ---------------------------------------===//
//
// profile.proto, gzipped: sample types calls and time, and one for each measure
// that is added up; the stack of a sample is the inlined call stack of its site
// with files and lines, the node its leaf. A gradient is a leaf "backward" on
// its node, which its labels name. Asynchronous nodes stand under
// "(asynchronous)" in their method, as in other stacks: their time is part of
// no run's, and pprof adds up all that is in one stack.
// https://github.com/google/pprof/blob/main/proto/profile.proto
//
//===----------------------------------------------------------------------===//

#include "../Report/SiteKey.h"
#include "Stacks.h"

#include <protozero/pbf_writer.hpp>
#include <zlib.h>

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

namespace pprof_export {

namespace {

// Field numbers of profile.proto.
enum ProfileField {
  SampleType = 1,
  Sample = 2,
  Location = 4,
  Function = 5,
  StringTable = 6,
  TimeNanos = 9,
  PeriodType = 11,
  Period = 12,
  DefaultSampleType = 14
};

/// A sample type of a measure, or of what one has above another.
struct MeasureType {
  StringLiteral Type, Unit;
  StringLiteral More, Less; ///< ids of measures; Less may be empty
};

constexpr MeasureType KnownTypes[] = {
    {"cpu", "nanoseconds", "cpu", ""},
    {"device", "nanoseconds", "device", ""},
    {"allocs", "count", "allocs", ""},
    {"alloc_bytes", "bytes", "alloc", ""},
    {"inuse_bytes", "bytes", "alloc", "freed"},
    {"device_alloc_bytes", "bytes", "device_alloc", ""},
    {"device_inuse_bytes", "bytes", "device_alloc", "device_freed"},
};

/// Builds the message. Strings, functions and locations are interned.
class PprofProfile {
public:
  explicit PprofProfile(const ExportInput &In)
      : In(In), Keys(siteKeys(In.Sites)), Writer(Message) {
    ArrayRef<TableMeasure> Measures = In.Sites.measures();
    for (const MeasureType &T : KnownTypes) {
      Optional<MeasureId> More = numberOf(Measures, T.More);
      Optional<MeasureId> Less = numberOf(Measures, T.Less);
      if (More && (Less || T.Less.empty()))
        Types.push_back({&T, *More, Less});
    }
  }
  std::string build();

private:
  /// A sample type that the sites have.
  struct FoundType {
    const MeasureType *Of;
    MeasureId More;
    Optional<MeasureId> Less;
  };

  /// What a site measured without its children.
  int64_t selfOf(MeasureId M, uint32_t Site) const;
  int64_t text(StringRef S);
  uint64_t function(StringRef Name, StringRef File);
  uint64_t location(StringRef Function, StringRef File, uint32_t Line);
  void valueType(ProfileField Field, StringRef Type, StringRef Unit);
  std::vector<uint64_t> stackOf(uint32_t Site);
  void sample(uint32_t Site);
  void label(protozero::pbf_writer &Sample, StringRef Key, StringRef Text);

  const ExportInput &In;
  std::vector<SiteKey> Keys; ///< by which profiles of changed models compare
  std::vector<FoundType> Types;
  std::string Message;
  protozero::pbf_writer Writer;
  std::map<std::string, int64_t> Strings;
  std::vector<std::string> StringOrder;
  std::map<std::pair<int64_t, int64_t>, uint64_t> Functions;
  std::map<std::pair<uint64_t, uint32_t>, uint64_t> Locations;
};

} // namespace

int64_t PprofProfile::selfOf(MeasureId M, uint32_t S) const {
  return static_cast<int64_t>(In.Sites.self(M, S).Amount);
}

int64_t PprofProfile::text(StringRef S) {
  auto [It, IsNew] =
      Strings.emplace(S.str(), static_cast<int64_t>(StringOrder.size()));
  if (IsNew)
    StringOrder.push_back(S.str());
  return It->second;
}

uint64_t PprofProfile::function(StringRef Name, StringRef File) {
  int64_t NameText = text(Name), FileText = text(File);
  auto [It, IsNew] = Functions.emplace(std::make_pair(NameText, FileText),
                                       Functions.size() + 1);
  if (IsNew) {
    protozero::pbf_writer Out(Writer, Function);
    Out.add_uint64(1, It->second);
    Out.add_int64(2, NameText);
    Out.add_int64(3, NameText);
    Out.add_int64(4, FileText);
  }
  return It->second;
}

uint64_t PprofProfile::location(StringRef Name, StringRef File,
                                uint32_t LineNumber) {
  uint64_t F = function(Name, File);
  auto [It, IsNew] =
      Locations.emplace(std::make_pair(F, LineNumber), Locations.size() + 1);
  if (IsNew) {
    protozero::pbf_writer Out(Writer, Location);
    Out.add_uint64(1, It->second);
    protozero::pbf_writer Line(Out, 4);
    Line.add_uint64(1, F);
    Line.add_int64(2, LineNumber);
  }
  return It->second;
}

void PprofProfile::valueType(ProfileField Field, StringRef Type,
                             StringRef Unit) {
  int64_t TypeText = text(Type), UnitText = text(Unit);
  protozero::pbf_writer Out(Writer, Field);
  Out.add_int64(1, TypeText);
  Out.add_int64(2, UnitText);
}

void PprofProfile::label(protozero::pbf_writer &Sample, StringRef Key,
                         StringRef Text) {
  if (Text.empty())
    return;
  int64_t KeyText = text(Key), ValueText = text(Text);
  protozero::pbf_writer Out(Sample, 3);
  Out.add_int64(1, KeyText);
  Out.add_int64(2, ValueText);
}

/// The locations of a site's stack, leaf first.
std::vector<uint64_t> PprofProfile::stackOf(uint32_t S) {
  const SiteTable &Sites = In.Sites;
  std::vector<Frame> Frames = Sites.frames(S);
  std::vector<uint64_t> Stack;
  if (Frames.empty()) { // outside of models
    std::vector<std::string> Names = report::stackOf(Sites, S);
    for (const std::string &Name : reverse(Names))
      Stack.push_back(location(Name, "", 0));
    return Stack;
  }
  // An operator with those around it, a gradient and the node itself, at the
  // innermost place in the source.
  auto AddLeaf = [&](uint32_t Leaf) {
    Stack.push_back(
        location(Sites.kind(Leaf), Frames.front().File, Frames.front().Line));
  };
  uint32_t Leaf = S;
  for (; Sites[Leaf].Operator && Sites[Leaf].Parent != NoIndex;
       Leaf = Sites[Leaf].Parent)
    AddLeaf(Leaf);
  if (Sites[Leaf].Gradient)
    AddLeaf(Leaf);
  if (!Sites[Sites.nodeOf(Leaf)].isRoot())
    AddLeaf(Sites.nodeOf(Leaf));
  for (const Frame &F : Frames) {
    if (&F == &Frames.back() && Sites[S].Async)
      Stack.push_back(location("(asynchronous)", "", 0));
    std::string Name = F.Function.empty() ? "?" : F.Function;
    if (!F.Class.empty())
      Name = F.Class + "." + Name;
    Stack.push_back(location(Name, F.File, F.Line));
  }
  return Stack;
}

void PprofProfile::sample(uint32_t S) {
  const SiteTable &Sites = In.Sites;
  auto Self = static_cast<int64_t>(
      Sites.clock().toNs(static_cast<double>(Sites.self(S).Amount)));
  std::vector<uint64_t> Stack = stackOf(S);
  StringRef Node = Sites.name(Sites.nodeOf(S));
  std::string Module = Sites.modulePath(S);
  std::string Key = Keys[S].text();
  // Strings first: a message that is open must be finished before another.
  for (StringRef Known : {StringRef("kind"), StringRef("module"),
                          StringRef("node"), StringRef("key"), Sites.kind(S),
                          Node, StringRef(Module), StringRef(Key)})
    text(Known);
  protozero::pbf_writer Out(Writer, Sample);
  Out.add_packed_uint64(1, Stack.begin(), Stack.end());
  std::vector<int64_t> Values = {static_cast<int64_t>(Sites.measured(S).Count),
                                 Self};
  for (const FoundType &T : Types)
    Values.push_back(selfOf(T.More, S) - (T.Less ? selfOf(*T.Less, S) : 0));
  Out.add_packed_int64(2, Values.begin(), Values.end());
  label(Out, "kind", Sites.kind(S));
  label(Out, "module", Module);
  label(Out, "node", Node);
  label(Out, "key", Key);
}

std::string PprofProfile::build() {
  text(""); // string 0
  valueType(SampleType, "calls", "count");
  valueType(SampleType, "time", "nanoseconds");
  for (const FoundType &T : Types)
    valueType(SampleType, T.Of->Type, T.Of->Unit);
  for (uint32_t S : sitesWithStacks(In))
    sample(S);
  if (In.Single)
    Writer.add_int64(TimeNanos,
                     static_cast<int64_t>(In.Single->Process.StartRealtimeNs));
  valueType(PeriodType, "time", "nanoseconds");
  Writer.add_int64(Period, 1);
  StringRef Shown = In.StackWeight == Weight::Calls      ? "calls"
                    : In.StackWeight == Weight::DeviceNs ? "device"
                                                         : "time";
  Writer.add_int64(DefaultSampleType, text(Shown));
  for (const std::string &S : StringOrder)
    Writer.add_string(StringTable, S);
  return std::move(Message);
}

static Error gzip(StringRef Data, raw_ostream &OS) {
  z_stream Stream = {};
  constexpr int GzipWindow = 15 + 16; // zlib's way to ask for a gzip header
  if (deflateInit2(&Stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GzipWindow, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return createStringError(inconvertibleErrorCode(),
                             "zlib could not be initialized");
  Stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Data.data()));
  Stream.avail_in = static_cast<uInt>(Data.size());
  char Buffer[1 << 16];
  int Status = Z_OK;
  while (Status == Z_OK) {
    Stream.next_out = reinterpret_cast<Bytef *>(Buffer);
    Stream.avail_out = sizeof(Buffer);
    Status = deflate(&Stream, Z_FINISH);
    OS.write(Buffer, sizeof(Buffer) - Stream.avail_out);
  }
  deflateEnd(&Stream);
  if (Status != Z_STREAM_END)
    return createStringError(inconvertibleErrorCode(), "zlib failed");
  return Error::success();
}

static Error write(const ExportInput &In, raw_ostream &OS) {
  return gzip(PprofProfile(In).build(), OS);
}

static ExporterRegistration Registration({"pprof", "stacks for pprof, gzipped",
                                          false, write, HasWeight});

} // namespace pprof_export
