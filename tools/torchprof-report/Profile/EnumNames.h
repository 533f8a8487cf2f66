//===- EnumNames.h - the words for a profile's enumerations -----*- C++ -*-===//
//
// Each enumeration of the format has one table of words, which JSON and
// messages use. A file may hold numbers that no word stands for.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_REPORT_ENUMNAMES_H
#define TORCHPROF_REPORT_ENUMNAMES_H

#include "torchprof/format/Manifest.h"
#include "torchprof/format/Records.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace torchprof::report {

template <typename Enum> struct EnumName {
  Enum Value;
  llvm::StringLiteral Name;
};

template <typename Enum> constexpr EnumName<Enum> EnumNames[] = {};

template <>
inline constexpr EnumName<format::FileState> EnumNames<format::FileState>[] = {
    {format::FileState::Open, "open"},
    {format::FileState::Closed, "closed"},
    {format::FileState::Snapshot, "snapshot"},
    {format::FileState::Merged, "merged"}};

template <>
inline constexpr EnumName<format::ClockKind> EnumNames<format::ClockKind>[] = {
#define TORCHPROF_CLOCK_KIND(NAME, NUMBER, TEXT, MEANING)                      \
  {format::ClockKind::NAME, TEXT},
#include "torchprof/format/ClockKinds.def"
};

template <>
inline constexpr EnumName<format::RecordMode> EnumNames<format::RecordMode>[] =
    {{format::RecordMode::Aggregate, "aggregate"},
     {format::RecordMode::Trace, "trace"}};

template <>
inline constexpr EnumName<format::LaneState> EnumNames<format::LaneState>[] = {
    {format::LaneState::Live, "live"}, {format::LaneState::Free, "free"}};

template <>
inline constexpr EnumName<format::LogKeep> EnumNames<format::LogKeep>[] = {
    {format::LogKeep::None, "none"},
    {format::LogKeep::First, "first"},
    {format::LogKeep::Last, "last"}};

template <>
inline constexpr EnumName<format::MemoryPlace>
    EnumNames<format::MemoryPlace>[] = {
        {format::MemoryPlace::Cpu, "cpu"},
        {format::MemoryPlace::Devices, "devices"}};

template <>
inline constexpr EnumName<format::DynamicKind>
    EnumNames<format::DynamicKind>[] = {
#define TORCHPROF_DYNAMIC_KIND(NAME, NUMBER, TEXT, SPANS, MEANING)             \
  {format::DynamicKind::NAME, TEXT},
#include "torchprof/format/DynamicKinds.def"
};

template <>
inline constexpr EnumName<format::PlanKind> EnumNames<format::PlanKind>[] = {
#define TORCHPROF_PLAN_KIND(NAME, NUMBER, TEXT, MEANING)                       \
  {format::PlanKind::NAME, TEXT},
#include "torchprof/format/PlanKinds.def"
};

template <>
inline constexpr EnumName<format::PlanPart> EnumNames<format::PlanPart>[] = {
#define TORCHPROF_PLAN_PART(NAME, NUMBER, TEXT, MEANING)                       \
  {format::PlanPart::NAME, TEXT},
#include "torchprof/format/PlanParts.def"
};

template <>
inline constexpr EnumName<format::MeasureUnit>
    EnumNames<format::MeasureUnit>[] = {
        {format::MeasureUnit::Nanoseconds, "nanoseconds"},
        {format::MeasureUnit::Bytes, "bytes"},
        {format::MeasureUnit::Count, "count"}};

template <>
inline constexpr EnumName<format::MeasureSum> EnumNames<format::MeasureSum>[] =
    {{format::MeasureSum::Sum, "sum"}, {format::MeasureSum::Peak, "peak"}};

// Flags: each is one bit.

template <>
inline constexpr EnumName<format::DynamicFlags>
    EnumNames<format::DynamicFlags>[] = {{format::DF_Overflow, "overflow"},
                                         {format::DF_Cut, "cut"}};

template <>
inline constexpr EnumName<format::PlanFlags> EnumNames<format::PlanFlags>[] = {
    {format::PF_BeforeRun, "before_run"},
    {format::PF_InRun, "in_run"},
    {format::PF_Emptied, "emptied"},
    {format::PF_Called, "called"}};

template <>
inline constexpr EnumName<SiteFlags> EnumNames<SiteFlags>[] = {
#define SITE_FLAG(ENUMERATOR, BIT, NAME, HELP) {SF_##ENUMERATOR, NAME},
#include "torchprof/format/SiteFlags.def"
};

/// The word for \p Value, empty if there is none.
template <typename Enum> llvm::StringRef nameOf(Enum Value) {
  for (const EnumName<Enum> &E : EnumNames<Enum>)
    if (E.Value == Value)
      return E.Name;
  return {};
}

/// The value of a word, \p Unknown if it is none's.
template <typename Enum> Enum valueOf(llvm::StringRef Name, Enum Unknown) {
  for (const EnumName<Enum> &E : EnumNames<Enum>)
    if (E.Name == Name)
      return E.Value;
  return Unknown;
}

} // namespace torchprof::report

#endif // TORCHPROF_REPORT_ENUMNAMES_H
