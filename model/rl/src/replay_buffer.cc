#include "leadline/rl/replay_buffer.h"

namespace leadline {

void ReplayBuffer::Add(Transition transition) {
  if (ring_.size() < capacity_) {
    ring_.push_back(std::move(transition));
    return;
  }
  ring_[next_] = std::move(transition);
  next_ = (next_ + 1) % capacity_;
}

std::vector<const Transition*> ReplayBuffer::Sample(std::size_t count, Rng* rng) const {
  std::vector<const Transition*> sample(count);
  for (const Transition*& transition : sample) transition = &at(rng->Below(ring_.size()));
  return sample;
}

void ReplayBuffer::Clear() {
  ring_.clear();
  next_ = 0;
}

}  // namespace leadline
