#include "leadline/kubernetes/quantity.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>

namespace leadline {
namespace {

__extension__ using Int128 = __int128;

constexpr std::int64_t kMaxUnits = std::numeric_limits<std::int64_t>::max();
constexpr Int128 kNanosPerUnit = 1'000'000'000;
constexpr Int128 kNanosPerMilli = 1'000'000;
constexpr Int128 kMaxNanos = kMaxUnits * kNanosPerUnit;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The parts of "[+-]digits[.digits]suffix", where every part may be empty.
struct Parts {
  bool negative = false;
  std::string_view whole;     // without leading zeros
  std::string_view fraction;  // digits after the point
  bool leading_zeros = false;
  std::string_view suffix;
};

std::string_view TakeDigits(std::string_view* text) {
  std::size_t count = 0;
  while (count < text->size() && IsDigit((*text)[count])) ++count;
  const std::string_view digits = text->substr(0, count);
  text->remove_prefix(count);
  return digits;
}

Parts Split(std::string_view text) {
  Parts parts;
  if (text.front() == '-' || text.front() == '+') {
    parts.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  while (!text.empty() && text.front() == '0') {
    parts.leading_zeros = true;
    text.remove_prefix(1);
  }
  parts.whole = TakeDigits(&text);
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    parts.fraction = TakeDigits(&text);
  }
  parts.suffix = text;
  return parts;
}

struct Scale {
  bool binary;
  std::int64_t exponent;  // of 2 or 10
};

std::optional<Scale> FindSuffix(std::string_view suffix) {
  if (suffix.empty()) return Scale{false, 0};
  constexpr std::string_view kLarge = "kMGTPE";        // 10^3, 10^6, ... 10^18
  constexpr std::string_view kLargeBinary = "KMGTPE";  // 2^10, 2^20, ... 2^60, each with an i
  if (suffix == "n") return Scale{false, -9};
  if (suffix == "u") return Scale{false, -6};
  if (suffix == "m") return Scale{false, -3};
  const bool binary = suffix.size() == 2 && suffix[1] == 'i';
  if (!binary && suffix.size() != 1) return std::nullopt;
  const std::size_t at = (binary ? kLargeBinary : kLarge).find(suffix[0]);
  if (at == std::string_view::npos) return std::nullopt;
  return Scale{binary, static_cast<std::int64_t>(at + 1) * (binary ? 10 : 3)};
}

// "e3", "E-6", "e+9".
std::optional<Scale> ParseExponent(std::string_view suffix) {
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return std::nullopt;
  suffix.remove_prefix(1);
  if (suffix[0] == '+' && suffix.size() > 1 && IsDigit(suffix[1])) suffix.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto [end, error] = std::from_chars(suffix.data(), suffix.data() + suffix.size(), exponent);
  if (error != std::errc() || end != suffix.data() + suffix.size()) return std::nullopt;
  return Scale{false, static_cast<std::int32_t>(exponent)};  // Kubernetes keeps 32 bits, too
}

// The digits times 10^exponent units, in nanos, rounded up and capped.
Int128 DecimalNanos(const Parts& parts, std::int64_t exponent) {
  const std::int64_t total = static_cast<std::int64_t>(parts.whole.size() + parts.fraction.size());
  // So many digits are whole nanos; those after them only decide the rounding.
  const std::int64_t kept = static_cast<std::int64_t>(parts.whole.size()) + exponent + 9;
  const auto digit = [&parts](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    return (at < parts.whole.size() ? parts.whole[at] : parts.fraction[at - parts.whole.size()]) -
           '0';
  };
  Int128 nanos = 0;
  for (std::int64_t i = 0; i < kept; ++i) {
    if (i >= total && nanos == 0) return 0;
    nanos = nanos * 10 + (i < total ? digit(i) : 0);
    if (nanos > kMaxNanos) return kMaxNanos;
  }
  for (std::int64_t i = std::max<std::int64_t>(kept, 0); i < total; ++i) {
    if (digit(i) != 0) return std::min(nanos + 1, kMaxNanos);
  }
  return nanos;
}

// The digits times 2^exponent units, in nanos, rounded up and capped.
Int128 BinaryNanos(const Parts& parts, std::int64_t exponent) {
  const Int128 factor = kNanosPerUnit << exponent;  // below 2^90
  Int128 whole = 0;
  for (const char c : parts.whole) {
    whole = whole * 10 + (c - '0');
    if (whole > kMaxUnits) return kMaxNanos;
  }
  if (whole > kMaxNanos / factor) return kMaxNanos;
  // Long multiplication of the fraction; what stays behind the point decides the rounding.
  Int128 carry = 0;
  bool rest = false;
  for (auto c = parts.fraction.rbegin(); c != parts.fraction.rend(); ++c) {
    const Int128 product = (*c - '0') * factor + carry;
    rest = rest || product % 10 != 0;
    carry = product / 10;
  }
  return std::min(whole * factor + carry + (rest ? 1 : 0), kMaxNanos);
}

// Kubernetes reads a number without any digit as 0, except where the suffix takes its slow path.
bool IsRefusedWithoutDigits(const Parts& parts, const Scale& scale) {
  return parts.whole.empty() && parts.fraction.empty() && !parts.leading_zeros &&
         ((scale.binary && scale.exponent >= 50) || (!scale.binary && scale.exponent < -9));
}

Error Refused(std::string_view text) {
  return Error(ErrorCode::kInvalidArgument,
               "quantity '" + std::string(text.substr(0, 64)) +
                   "' is wrong: expected a number with an optional suffix (n, u, m, k, M, G, T, "
                   "P, E, Ki, Mi, Gi, Ti, Pi, Ei, or an exponent such as e3)");
}

std::int64_t RoundAwayFromZero(Int128 nanos, Int128 step) {
  const Int128 quotient = nanos / step;
  const Int128 remainder = nanos % step;
  const Int128 rounded = quotient + (remainder > 0 ? 1 : remainder < 0 ? -1 : 0);
  return static_cast<std::int64_t>(std::clamp(rounded, Int128{-kMaxUnits}, Int128{kMaxUnits}));
}

}  // namespace

Quantity Quantity::FromUnits(std::int64_t units) {
  return Quantity(std::clamp(units * kNanosPerUnit, -kMaxNanos, kMaxNanos));
}

Quantity Quantity::FromMilli(std::int64_t milli) { return Quantity(milli * kNanosPerMilli); }

Result<Quantity> Quantity::Parse(std::string_view text) {
  if (text.empty()) return Refused(text);
  const Parts parts = Split(text);
  std::optional<Scale> scale = FindSuffix(parts.suffix);
  if (!scale) scale = ParseExponent(parts.suffix);
  if (!scale || IsRefusedWithoutDigits(parts, *scale)) return Refused(text);
  const Int128 nanos =
      scale->binary ? BinaryNanos(parts, scale->exponent) : DecimalNanos(parts, scale->exponent);
  return Quantity(parts.negative ? -nanos : nanos);
}

std::int64_t Quantity::Value() const { return RoundAwayFromZero(nanos_, kNanosPerUnit); }

std::int64_t Quantity::MilliValue() const { return RoundAwayFromZero(nanos_, kNanosPerMilli); }

double Quantity::ToDouble() const { return static_cast<double>(nanos_) / 1e9; }

Quantity& Quantity::operator+=(const Quantity& other) {
  nanos_ = std::clamp(nanos_ + other.nanos_, -kMaxNanos, kMaxNanos);
  return *this;
}

}  // namespace leadline
