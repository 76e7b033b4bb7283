#include "leadline/kubernetes/api_error.h"

#include <gmock/gmock.h>

#include "leadline/http/client.h"

namespace leadline {
namespace {

using ::testing::HasSubstr;

ApiError From(int status, const std::string& body, HttpHeaders headers = {}) {
  return ApiErrorFrom(HttpResponse{status, std::move(headers), body});
}

TEST(ApiErrorTest, KeepsTheServersWordsWhole) {
  const ApiError error = From(
      422,
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Pod \"x\" is invalid",
          "reason":"Invalid","details":{"name":"x","group":"g","kind":"Pod","uid":"u",
          "causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.containers"}],
          "retryAfterSeconds":3},"code":422})");
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.status, 422);
  EXPECT_EQ(error.reason, "Invalid");
  EXPECT_EQ(error.ToError().message(), "Pod \"x\" is invalid (Invalid)");
  ASSERT_TRUE(error.details);
  EXPECT_EQ(error.details->name, "x");
  EXPECT_EQ(error.details->uid, "u");
  ASSERT_EQ(error.details->causes.size(), 1u);
  EXPECT_EQ(error.details->causes[0].field, "spec.containers");
  EXPECT_EQ(error.retry_after, std::chrono::seconds(3));
}

TEST(ApiErrorTest, MapsStatusesToCodes) {
  const std::pair<int, ErrorCode> table[] = {
      {400, ErrorCode::kInvalidArgument},   {401, ErrorCode::kPermissionDenied},
      {403, ErrorCode::kPermissionDenied},  {404, ErrorCode::kNotFound},
      {409, ErrorCode::kConflict},          {410, ErrorCode::kGone},
      {429, ErrorCode::kResourceExhausted}, {500, ErrorCode::kInternal},
      {503, ErrorCode::kUnavailable},       {504, ErrorCode::kTimeout}};
  for (const auto& [status, code] : table) {
    EXPECT_EQ(From(status, "").code, code) << status;
    EXPECT_EQ(From(status, "").OutcomeUnknown(), status >= 500) << status;
  }
  EXPECT_EQ(From(409, R"({"kind":"Status","reason":"AlreadyExists"})").code,
            ErrorCode::kAlreadyExists);
}

TEST(ApiErrorTest, ReadsRetryAfter) {
  EXPECT_EQ(From(429, "", {{"retry-after", "7"}}).retry_after, std::chrono::seconds(7));
  for (const char* wrong : {"", "x", "-1", "7s", "99999999999999999999"}) {
    EXPECT_EQ(From(429, "", {{"retry-after", wrong}}).retry_after, std::chrono::seconds(0));
  }
}

TEST(ApiErrorTest, QuotesAPageBriefly) {
  const std::string page = "\n<html>" + std::string(80'000, 'x');
  const ApiError error = From(403, page);
  EXPECT_THAT(error.message, HasSubstr("HTTP 403: not JSON, looks like a login page: <html>"));
  EXPECT_LT(error.message.size(), 400u);
  EXPECT_THAT(From(302, "").message, HasSubstr("redirect"));
}

TEST(ApiErrorTest, WithoutAnAnswerTheOutcomeIsUnknown) {
  EXPECT_TRUE(ApiErrorFrom(Error(ErrorCode::kTimeout, "x")).OutcomeUnknown());
  EXPECT_TRUE(ApiErrorFrom(Error(ErrorCode::kUnavailable, "x")).OutcomeUnknown());
  EXPECT_FALSE(ApiErrorFrom(Error(ErrorCode::kPermissionDenied, "x")).OutcomeUnknown());
}

TEST(ApiErrorTest, SaysWhatIsNoStatus) {
  EXPECT_THAT(ParseApiStatus("{}").message, HasSubstr("expected a Status"));
  EXPECT_EQ(ParseApiStatus(R"({"kind":"Status","code":410,"reason":"Expired"})").code,
            ErrorCode::kGone);
}

}  // namespace
}  // namespace leadline
