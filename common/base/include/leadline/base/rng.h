// Random numbers that are the same everywhere: the standard library's distributions differ
// between implementations, and a seed must give the same weights bit for bit.
#pragma once

#include <array>
#include <cstdint>

namespace leadline {

// xoshiro256++ (Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", 2021),
// seeded by splitmix64. Not thread-safe: one per owner. Not for secrets.
class Rng {
 public:
  using State = std::array<std::uint64_t, 4>;

  explicit Rng(std::uint64_t seed);
  explicit Rng(const State& state) : state_(state) {}

  std::uint64_t NextU64();
  // Uniform in [0, 1), 53 bits.
  double Uniform();
  // Uniform in [0, bound) without bias; bound > 0.
  std::uint64_t Below(std::uint64_t bound);
  // Standard normal (Box-Muller, both halves drawn anew, so that the state is all there is).
  double Normal();
  // Exponential with mean 1.
  double Exponential();

  // For checkpoints: a generator made from `state()` goes on where this one stands.
  const State& state() const { return state_; }

 private:
  State state_;
};

}  // namespace leadline
