// The parts of a Lease that leader election reads and writes.
// https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/lease-v1/
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "leadline/base/clock.h"
#include "leadline/base/result.h"
#include "leadline/kubernetes/metadata.h"

namespace leadline {

struct Lease {
  ObjectMeta metadata;
  std::string holder;  // holderIdentity; empty: nobody
  std::chrono::seconds duration{0};
  SystemTime acquired{};
  SystemTime renewed{};
  int transitions = 0;
};

// Errors as ParsePod.
Result<Lease> ParseLease(std::string_view json);
// With the resource version, so that a write on top of somebody else's is refused.
std::string ToJson(const Lease& lease);

}  // namespace leadline
