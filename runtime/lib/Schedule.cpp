//===- Schedule.cpp - windows of steps ------------------------------------===//

#include "Schedule.h"

#include <charconv>
#include <iterator>

namespace torchprof {

Schedule::Phase Schedule::phase(uint64_t Step) const {
  if (Step < SkipFirst || isOver(Step))
    return Phase::Off;
  Step = (Step - SkipFirst) % (Wait + Warmup + Active);
  if (Step < Wait)
    return Phase::Off;
  return Step < Wait + Warmup ? Phase::Warmup : Phase::Active;
}

bool Schedule::isRecorded(uint64_t Step) const {
  Phase Now = phase(Step);
  return Now == Phase::Active ||
         (Now == Phase::Warmup && Step < SkipFirst + Wait + Warmup);
}

bool Schedule::endsCycle(uint64_t Step) const {
  return phase(Step) == Phase::Active &&
         (Step - SkipFirst) % (Wait + Warmup + Active) ==
             Wait + Warmup + Active - 1;
}

bool Schedule::isOver(uint64_t Step) const {
  return Repeat && Step >= SkipFirst &&
         (Step - SkipFirst) / (Wait + Warmup + Active) >= Repeat;
}

bool parseSchedule(std::string_view Text, Schedule &Result) {
  Schedule Parsed;
  if (Text.empty()) {
    Result = Parsed;
    return true;
  }
  struct {
    std::string_view Name;
    uint64_t *Value;
    bool Seen;
  } Keys[] = {{"skip_first", &Parsed.SkipFirst, false},
              {"wait", &Parsed.Wait, false},
              {"warmup", &Parsed.Warmup, false},
              {"active", &Parsed.Active, false},
              {"repeat", &Parsed.Repeat, false}};
  // Sums of the numbers must not wrap.
  constexpr uint64_t Largest = uint64_t(1) << 48;
  for (bool More = true; More;) {
    size_t Comma = Text.find(',');
    std::string_view Item = Text.substr(0, Comma);
    More = Comma != std::string_view::npos;
    if (More)
      Text.remove_prefix(Comma + 1);
    while (Item.starts_with(' '))
      Item.remove_prefix(1);
    size_t Equal = Item.find('=');
    if (Equal == std::string_view::npos)
      return false;
    std::string_view Number = Item.substr(Equal + 1);
    bool Known = false;
    for (auto &Key : Keys) {
      if (Item.substr(0, Equal) != Key.Name)
        continue;
      if (Key.Seen)
        return false;
      Known = Key.Seen = true;
      auto [End, Error] = std::from_chars(
          Number.data(), Number.data() + Number.size(), *Key.Value);
      if (Error != std::errc() || End != Number.data() + Number.size() ||
          *Key.Value > Largest)
        return false;
    }
    if (!Known)
      return false;
  }
  if (!Parsed.Active)
    return false;
  Result = Parsed;
  return true;
}

} // namespace torchprof
