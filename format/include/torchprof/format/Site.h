//===- Site.h - the numbers of sites ----------------------------*- C++ -*-===//
//
// A site has one number for ever, which the probes carry, and another one in
// each process, which cells and events are filed under. They are types of
// their own, so that neither is taken for the other or for an index.
//
//===----------------------------------------------------------------------===//

#ifndef TORCHPROF_FORMAT_SITE_H
#define TORCHPROF_FORMAT_SITE_H

#include <compare>
#include <cstdint>

namespace torchprof::format {

/// Bits of a site's number that hold the index within its model.
inline constexpr unsigned SiteIndexBits = 20;
inline constexpr uint64_t MaxSitesPerModel = uint64_t(1) << SiteIndexBits;
/// A model id has 43 bits, so that a site's number is a positive 64-bit
/// integer, which TorchScript's int can hold.
inline constexpr unsigned ModelIdBits = 43;

/// A site of the manifest, in any process: model id << SiteIndexBits | index.
class SiteId {
public:
  constexpr SiteId(uint64_t Model, uint32_t Index)
      : Bits(Model << SiteIndexBits | Index) {}
  /// The number as a graph carries it.
  static constexpr SiteId fromNumber(int64_t Number) {
    return SiteId(static_cast<uint64_t>(Number));
  }
  constexpr int64_t number() const { return static_cast<int64_t>(Bits); }
  constexpr uint64_t model() const { return Bits >> SiteIndexBits; }
  constexpr uint32_t index() const {
    return static_cast<uint32_t>(Bits & (MaxSitesPerModel - 1));
  }
  constexpr auto operator<=>(const SiteId &) const = default;

private:
  constexpr explicit SiteId(uint64_t Bits) : Bits(Bits) {}
  uint64_t Bits;
};

/// The number of a site in one process, dense over all of its models and of
/// the sites that come to be while it runs.
enum class Slot : uint32_t {};

/// No site: in LogRecord::Current between runs, the parent of a dynamic site
/// that lies in none.
inline constexpr Slot NoSlot{0xffffffff};

constexpr uint32_t number(Slot S) { return static_cast<uint32_t>(S); }
constexpr Slot operator+(Slot First, uint32_t Offset) {
  return Slot(number(First) + Offset);
}
/// Position of \p S behind \p First, which must not be larger.
constexpr uint32_t operator-(Slot S, Slot First) {
  return number(S) - number(First);
}

} // namespace torchprof::format

#endif // TORCHPROF_FORMAT_SITE_H
