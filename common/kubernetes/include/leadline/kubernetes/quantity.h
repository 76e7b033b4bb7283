// Kubernetes' fixed-point numbers, read exactly as the API machinery reads them.
// https://pkg.go.dev/k8s.io/apimachinery/pkg/api/resource#Quantity
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "leadline/base/result.h"

namespace leadline {

// An exact amount in steps of 10^-9 (finer digits round up, away from zero), at most
// +-(2^63 - 1) whole units (larger ones saturate). A plain value type.
class Quantity {
 public:
  constexpr Quantity() = default;
  static Quantity FromUnits(std::int64_t units);
  static Quantity FromMilli(std::int64_t milli);

  // "100m", "1.5Gi", "129e6", "1E" (exa), "1E3" (an exponent), ".5", "1.".
  // kInvalidArgument for what Kubernetes refuses ("1K", "1 Gi", ""), never silently zero.
  static Result<Quantity> Parse(std::string_view text);

  // Rounded up (away from zero), saturating at the ends of int64.
  std::int64_t Value() const;
  std::int64_t MilliValue() const;
  double ToDouble() const;
  bool IsZero() const { return nanos_ == 0; }

  Quantity& operator+=(const Quantity& other);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend bool operator==(const Quantity&, const Quantity&) = default;
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
    return a.nanos_ < b.nanos_   ? std::strong_ordering::less
           : a.nanos_ > b.nanos_ ? std::strong_ordering::greater
                                 : std::strong_ordering::equal;
  }

 private:
  __extension__ using Int128 = __int128;
  explicit constexpr Quantity(Int128 nanos) : nanos_(nanos) {}
  Int128 nanos_ = 0;
};

}  // namespace leadline
