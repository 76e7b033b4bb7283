#include "token_buckets.h"

#include <algorithm>

namespace leadline {

double TokenBuckets::Tokens(const Bucket& bucket, SteadyTime now) const {
  const double grown =
      std::chrono::duration<double>(now - bucket.at) / std::chrono::duration<double>(refill_);
  return std::min(static_cast<double>(burst_), bucket.tokens + grown);
}

bool TokenBuckets::Take(const std::string& key, SteadyTime now) {
  Bucket& bucket =
      buckets_.try_emplace(key, Bucket{static_cast<double>(burst_), now}).first->second;
  bucket.tokens = Tokens(bucket, now);
  bucket.at = now;
  if (bucket.tokens < 1) {
    return false;
  }
  bucket.tokens -= 1;
  return true;
}

void TokenBuckets::Sweep(SteadyTime now) {
  std::erase_if(buckets_, [&](const auto& entry) { return Tokens(entry.second, now) >= burst_; });
}

}  // namespace leadline
