// Holds what is under way until it is due.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "leadline/base/clock.h"

namespace leadline::netlab {

// The earliest first; of two due at the same time, the one put in first. Not thread-safe.
template <typename T>
class DelayQueue {
 public:
  void Push(SteadyTime due, T item) {
    heap_.push_back({due, next_++, std::move(item)});
    std::push_heap(heap_.begin(), heap_.end());
  }

  std::optional<SteadyTime> next_due() const {
    if (heap_.empty()) return std::nullopt;
    return heap_.front().due;
  }

  // What is due at `now`, one at a time.
  std::optional<T> Pop(SteadyTime now) {
    if (heap_.empty() || heap_.front().due > now) return std::nullopt;
    std::pop_heap(heap_.begin(), heap_.end());
    std::optional<T> item(std::move(heap_.back().item));
    heap_.pop_back();
    return item;
  }

  std::size_t size() const { return heap_.size(); }

 private:
  struct Held {
    SteadyTime due;
    std::uint64_t number;
    T item;
    // The standard heap keeps the greatest on top.
    bool operator<(const Held& other) const {
      return due != other.due ? due > other.due : number > other.number;
    }
  };
  std::vector<Held> heap_;
  std::uint64_t next_ = 0;
};

}  // namespace leadline::netlab
