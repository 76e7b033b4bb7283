// The ring of past transitions (REQUIREMENTS A4).
#pragma once

#include <cstddef>
#include <vector>

#include "leadline/base/rng.h"
#include "leadline/rl/transition.h"

namespace leadline {

// Holds the last `capacity` transitions; the oldest falls out. Not thread-safe.
class ReplayBuffer {
 public:
  explicit ReplayBuffer(std::size_t capacity) : capacity_(capacity) {}

  void Add(Transition transition);
  // Uniform, with replacement; the buffer must not be empty. Valid until the next Add().
  std::vector<const Transition*> Sample(std::size_t count, Rng* rng) const;

  std::size_t size() const { return ring_.size(); }
  std::size_t capacity() const { return capacity_; }
  // The i-th oldest.
  const Transition& at(std::size_t i) const { return ring_[(next_ + i) % ring_.size()]; }
  void Clear();

 private:
  std::size_t capacity_;
  std::size_t next_ = 0;  // where the next one goes, and so the oldest once the ring is full
  std::vector<Transition> ring_;
};

}  // namespace leadline
