// The Lease objects by which replicas agree on one leader.
// https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/lease-v1/
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "leadline/base/result.h"

namespace leadline {

// What an election reads and writes of a Lease. The times are the holder's clock, as text: they
// are compared with each other, never with a clock of ours.
struct LeaseRecord {
  std::string holder;  // holderIdentity; empty: nobody
  std::int64_t duration_seconds = 0;
  std::string acquire_time;
  std::string renew_time;
  std::int64_t transitions = 0;

  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

// A whole Lease. What others wrote into it (labels, owners, fields of later versions) stays in it
// when it is written back, and its resourceVersion makes that write conditional. Not thread-safe.
class Lease {
 public:
  Lease(std::string_view namespace_name, std::string_view name);
  ~Lease();
  Lease(Lease&&) noexcept;
  Lease& operator=(Lease&&) noexcept;

  // kDataLoss when it is no JSON object; fields that are missing or of another type count as
  // empty.
  static Result<Lease> Parse(std::string_view json);

  LeaseRecord record() const;
  void set_record(const LeaseRecord& record);
  std::string Json() const;

 private:
  struct Data;
  explicit Lease(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

}  // namespace leadline
