// What changed while Pods were in flight, so that one that fails learns what it missed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <set>

#include "leadline/queue/scheduling_queue.h"

namespace leadline {

// Changes are numbered; kept are those since the first Pod still in flight took off, up to a
// limit. Flights share one log.
class FlightLog {
 public:
  struct Missed {
    ClusterChange change;
    Audience audience;
  };

  // The number of the first change that the Pod that takes off now will miss.
  std::uint64_t Begin();
  void End(std::uint64_t flight);
  void Record(Missed missed);

  // Whether one since the flight began satisfies `helps`. True, too, when so many came that
  // the first of them were forgotten.
  template <typename Predicate>
  bool AnySince(std::uint64_t flight, Predicate helps) const {
    if (flight < first_) return true;
    const auto begin = changes_.begin() + static_cast<std::ptrdiff_t>(flight - first_);
    return std::any_of(begin, changes_.end(), helps);
  }

  std::size_t size() const { return changes_.size(); }
  std::size_t flights() const { return flights_.size(); }

 private:
  std::deque<Missed> changes_;
  std::uint64_t first_ = 0;  // number of changes_.front()
  std::multiset<std::uint64_t> flights_;
};

}  // namespace leadline
