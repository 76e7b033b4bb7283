// A token bucket for each key: how many new Events one object may cause.
#pragma once

#include <chrono>
#include <string>
#include <unordered_map>

#include "leadline/base/clock.h"

namespace leadline {

// Not thread-safe.
class TokenBuckets {
 public:
  TokenBuckets(int burst, std::chrono::nanoseconds refill) : burst_(burst), refill_(refill) {}

  // Takes one; false when there is none.
  bool Take(const std::string& key, SteadyTime now);
  // Forgets the buckets that are full again.
  void Sweep(SteadyTime now);
  std::size_t size() const { return buckets_.size(); }

 private:
  struct Bucket {
    double tokens;
    SteadyTime at;
  };
  double Tokens(const Bucket& bucket, SteadyTime now) const;

  const int burst_;
  const std::chrono::nanoseconds refill_;
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace leadline
