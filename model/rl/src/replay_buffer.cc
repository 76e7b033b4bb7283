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

const Transition& ReplayBuffer::Sample(Rng& rng) const { return ring_[rng.Below(ring_.size())]; }

}  // namespace leadline
