#include "flight_log.h"

#include <utility>

namespace leadline {
namespace {

// A few megabytes. A Pod that misses more is tried again without looking.
constexpr std::size_t kMaxChanges = 10'000;

}  // namespace

std::uint64_t FlightLog::Begin() {
  const std::uint64_t flight = first_ + changes_.size();
  flights_.insert(flight);
  return flight;
}

void FlightLog::End(std::uint64_t flight) {
  flights_.erase(flights_.find(flight));
  const std::uint64_t end = first_ + changes_.size();
  const std::uint64_t wanted = flights_.empty() ? end : *flights_.begin();
  for (; first_ < wanted; ++first_) changes_.pop_front();
}

void FlightLog::Record(Missed missed) {
  if (flights_.empty()) return;
  changes_.push_back(std::move(missed));
  if (changes_.size() <= kMaxChanges) return;
  changes_.pop_front();
  ++first_;
}

}  // namespace leadline
