#include "leadline/base/rng.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace leadline {

Rng::Rng(std::uint64_t seed) {
  for (std::uint64_t& word : state_) {
    seed += 0x9e3779b97f4a7c15;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    word = z ^ (z >> 31);
  }
}

std::uint64_t Rng::NextU64() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Rng::Uniform() { return static_cast<double>(NextU64() >> 11) * 0x1.0p-53; }

std::uint64_t Rng::Below(std::uint64_t bound) {
  // Values under 2^64 mod bound would make the low results likelier; draw again instead.
  const std::uint64_t threshold = (0 - bound) % bound;
  std::uint64_t value = NextU64();
  while (value < threshold) value = NextU64();
  return value % bound;
}

double Rng::Normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - Uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * Uniform());
}

double Rng::Exponential() { return -std::log(1.0 - Uniform()); }

}  // namespace leadline
