#include "leadline/base/result.h"

#include <string>

#include <gtest/gtest.h>

namespace leadline {
namespace {

Result<int> Half(int x) {
  if (x % 2 != 0) return Error(ErrorCode::kInvalidArgument, "odd");
  return x / 2;
}

TEST(ResultTest, CarriesValueOrError) {
  EXPECT_EQ(*Half(4), 2);
  const Result<int> odd = Half(3);
  ASSERT_FALSE(odd.has_value());
  EXPECT_EQ(odd.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(odd.error().WithContext("halving 3").message(), "halving 3: odd");
}

TEST(ResultTest, ValueOfAnErrorStopsTheProgram) { EXPECT_DEATH(Half(3).value(), "odd"); }

TEST(ResultTest, HoldsStringsAndNothing) {
  const Result<std::string> text = std::string("x");
  EXPECT_EQ(*text, "x");
  const Result<void> done;
  EXPECT_TRUE(done.has_value());
}

TEST(ErrorTest, EveryCodeHasItsName) {
  EXPECT_EQ(ErrorCodeName(ErrorCode::kGone), "gone");
  EXPECT_EQ(ErrorCodeName(ErrorCode::kResourceExhausted), "resource_exhausted");
}

}  // namespace
}  // namespace leadline
