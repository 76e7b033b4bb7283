#include "leadline/kubernetes/quantity.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace leadline {
namespace {

std::int64_t Milli(std::string_view text) { return Quantity::Parse(text).value().MilliValue(); }
std::int64_t Units(std::string_view text) { return Quantity::Parse(text).value().Value(); }

TEST(QuantityTest, ReadsEveryFormOfNumber) {
  EXPECT_EQ(Units("129e6"), 129'000'000);
  EXPECT_EQ(Units("1E3"), 1000);                      // an exponent
  EXPECT_EQ(Units("1E"), 1'000'000'000'000'000'000);  // exa
  EXPECT_EQ(Units("1Ei"), std::int64_t{1} << 60);
  EXPECT_EQ(Milli(".5"), 500);
  EXPECT_EQ(Milli("1."), 1000);
  EXPECT_EQ(Milli("+1"), 1000);
  EXPECT_EQ(Milli("12e-1"), 1200);
  EXPECT_EQ(Milli("0.1m"), 1);
  EXPECT_EQ(Units("e3"), 0);
  EXPECT_EQ(Units("1100m"), 2);  // rounds up
}

TEST(QuantityTest, RefusesWhatKubernetesRefuses) {
  for (const char* text : {"", " ", "1K", "1 Gi", "1GB", "1e", "1.2.3", "ten", "0x10", "1,5"}) {
    const auto quantity = Quantity::Parse(text);
    ASSERT_FALSE(quantity) << text;
    EXPECT_EQ(quantity.error().code(), ErrorCode::kInvalidArgument);
  }
  EXPECT_NE(Quantity::Parse("1K").error().message().find("'1K'"), std::string::npos);
}

TEST(QuantityTest, SaturatesInsteadOfWrappingAround) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(Units("100Ei"), kMax);
  EXPECT_EQ(Units("1e400"), kMax);
  EXPECT_EQ(Units("-1e400"), -kMax);
  EXPECT_EQ(Milli("1E"), kMax);
  EXPECT_EQ((Quantity::FromUnits(kMax) + Quantity::FromUnits(kMax)).Value(), kMax);
}

// One line of what the real library says; see tests/tools/kubernetes/quantities.
struct Golden {
  std::string text;
  std::string value;
  std::string milli;
};

std::vector<Golden> ReadGolden() {
  std::ifstream file(LEADLINE_SOURCE_DIR "/tests/common/kubernetes/quantities.tsv");
  std::vector<Golden> lines;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    Golden golden;
    std::getline(fields, golden.text, '\t');
    std::getline(fields, golden.value, '\t');
    std::getline(fields, golden.milli, '\t');
    golden.text = golden.text.substr(1, golden.text.size() - 2);  // the quotes
    lines.push_back(golden);
  }
  return lines;
}

TEST(QuantityTest, AgreesWithTheRealLibrary) {
  const std::vector<Golden> lines = ReadGolden();
  ASSERT_GT(lines.size(), 1500u);
  for (const Golden& golden : lines) {
    const auto quantity = Quantity::Parse(golden.text);
    ASSERT_EQ(quantity.has_value(), golden.value != "refused") << golden.text;
    if (!quantity) continue;
    if (golden.value != "-") {
      EXPECT_EQ(std::to_string(quantity->Value()), golden.value) << golden.text;
    }
    if (golden.milli != "-") {
      EXPECT_EQ(std::to_string(quantity->MilliValue()), golden.milli) << golden.text;
    }
  }
}

// A slow model: digits as a decimal text, multiplied by schoolbook arithmetic.
std::string TimesSmall(const std::string& digits, int factor) {
  std::string product;
  int carry = 0;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    carry += (*digit - '0') * factor;
    product.insert(product.begin(), static_cast<char>('0' + carry % 10));
    carry /= 10;
  }
  return carry > 0 ? std::to_string(carry) + product : product;
}

// digits * 10^-places * 2^twos, rounded up to whole units.
std::string ModelUnits(std::string digits, std::size_t places, int twos) {
  for (int i = 0; i < twos; ++i) digits = TimesSmall(digits, 2);
  while (digits.size() <= places) digits.insert(digits.begin(), '0');
  std::string whole = digits.substr(0, digits.size() - places);
  const std::string rest = digits.substr(digits.size() - places);
  std::int64_t value = std::stoll(whole);
  if (rest.find_first_not_of('0') != std::string::npos) ++value;
  return std::to_string(value);
}

RC_GTEST_PROP(QuantityProperty, MatchesSchoolbookArithmetic, ()) {
  const auto digit = rc::gen::inRange('0', static_cast<char>('9' + 1));
  const auto whole = *rc::gen::resize(7, rc::gen::container<std::string>(digit));
  const auto fraction = *rc::gen::resize(30, rc::gen::container<std::string>(digit));
  const auto [suffix, twos] = *rc::gen::element(
      std::pair<std::string, int>{"", 0}, std::pair<std::string, int>{"Ki", 10},
      std::pair<std::string, int>{"Mi", 20}, std::pair<std::string, int>{"Gi", 30});
  RC_PRE(!whole.empty() || !fraction.empty());
  const auto quantity = Quantity::Parse(whole + "." + fraction + suffix);
  RC_ASSERT(quantity.has_value());
  // Below a nano-unit the quantity itself rounds up; that never changes the units.
  RC_ASSERT(std::to_string(quantity->Value()) ==
            ModelUnits(whole + fraction, fraction.size(), twos));
}

RC_GTEST_PROP(QuantityProperty, SumsAndComparesLikeNumbers, (std::int32_t a, std::int32_t b)) {
  const Quantity left = Quantity::FromMilli(a);
  const Quantity right = Quantity::FromMilli(b);
  RC_ASSERT((left + right).MilliValue() == std::int64_t{a} + b);
  RC_ASSERT((left < right) == (a < b));
  RC_ASSERT((left == right) == (a == b));
  RC_ASSERT(left == Quantity::Parse(std::to_string(a) + "m").value());
}

}  // namespace
}  // namespace leadline
