#include "leadline/telemetry/query_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace leadline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ParseQueryAnswerTest, ReadsAVector) {
  const auto answer = ParseQueryAnswer(
      R"({"status":"success","data":{"resultType":"vector","result":[
        {"metric":{"__name__":"up","node":"a","instance":"10.0.0.1:1"},"value":[1796098947.5,"1"]},
        {"metric":{},"value":[1796098947,"2.5e+03"]}]}})");
  ASSERT_TRUE(answer.has_value()) << answer.error().message();
  ASSERT_EQ(answer->samples.size(), 2u);
  EXPECT_EQ(answer->samples[0].LabelText(), "{instance=\"10.0.0.1:1\",node=\"a\"}");
  EXPECT_EQ(answer->samples[0].Label("node"), "a");
  EXPECT_EQ(answer->samples[0].Label("job"), "");
  EXPECT_EQ(answer->samples[0].value, 1);
  EXPECT_EQ(answer->samples[0].time, 1796098947.5);
  EXPECT_EQ(answer->samples[1].value, 2500);
}

TEST(ParseQueryAnswerTest, KeysInAnyOrderAndUnknownOnes) {
  const auto answer = ParseQueryAnswer(
      R"({"warnings":["store x timed out"],"stats":{"a":[1]},"infos":["i"],
        "data":{"result":[{"value":[1,"3"],"metric":{"node":"a"},"extra":null}],"analysis":{},
        "resultType":"vector"},"status":"success"})");
  ASSERT_TRUE(answer.has_value()) << answer.error().message();
  EXPECT_EQ(answer->samples.at(0).value, 3);
  EXPECT_THAT(answer->warnings, ElementsAre("store x timed out"));
  EXPECT_THAT(answer->infos, ElementsAre("i"));
}

TEST(ParseQueryAnswerTest, NotANumberAndInfinities) {
  const auto answer = ParseQueryAnswer(
      R"({"status":"success","data":{"resultType":"vector","result":[
        {"metric":{},"value":[1,"NaN"]},{"metric":{},"value":[1,"+Inf"]},
        {"metric":{},"value":[1,"-Inf"]},{"metric":{},"value":[1,7]}]}})");
  ASSERT_TRUE(answer.has_value()) << answer.error().message();
  EXPECT_TRUE(std::isnan(answer->samples[0].value));
  EXPECT_EQ(answer->samples[1].value, std::numeric_limits<double>::infinity());
  EXPECT_EQ(answer->samples[2].value, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(answer->samples[3].value, 7);
}

TEST(ParseQueryAnswerTest, ScalarAndEmptyVector) {
  const auto scalar =
      ParseQueryAnswer(R"({"status":"success","data":{"resultType":"scalar","result":[5,"1.5"]}})");
  ASSERT_TRUE(scalar.has_value());
  EXPECT_EQ(scalar->samples.at(0).value, 1.5);
  const auto empty =
      ParseQueryAnswer(R"({"status":"success","data":{"resultType":"vector","result":[]}})");
  ASSERT_TRUE(empty.has_value());
  EXPECT_THAT(empty->samples, IsEmpty());
}

Error ErrorOf(std::string_view body) {
  const auto answer = ParseQueryAnswer(body);
  EXPECT_FALSE(answer.has_value()) << body;
  return answer ? Error() : answer.error();
}

TEST(ParseQueryAnswerTest, RefusesOtherForms) {
  EXPECT_THAT(
      ErrorOf(R"({"status":"success","data":{"resultType":"matrix","result":[]}})").message(),
      HasSubstr("gives a matrix, expected an instant vector"));
  EXPECT_THAT(ErrorOf(R"({"status":"success","data":{"resultType":"vector","result":[
                {"metric":{},"histogram":[1,{}]}]}})")
                  .message(),
              HasSubstr("native histograms"));
  for (
      const char* body :
      {R"({"status":"success"})", R"({"status":"success","data":{"resultType":"vector"}})",
       R"({"status":"success","data":{"resultType":"vector","result":[1]}})",
       R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{"a":1},"value":[1,"1"]}]}})",
       R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"x"]}]}})",
       R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1]}]}})",
       R"({"status":"success","data":{"resultType":"scalar","result":["x","1"]}})"}) {
    const ErrorCode code = ErrorOf(body).code();
    EXPECT_TRUE(code == ErrorCode::kDataLoss || code == ErrorCode::kInvalidArgument) << body;
  }
}

TEST(ParseQueryAnswerTest, LoginPageAndCutAnswer) {
  const Error html = ErrorOf(" \n<!DOCTYPE html><html>" + std::string(80000, 'x'));
  EXPECT_EQ(html.code(), ErrorCode::kPermissionDenied);
  EXPECT_THAT(html.message(), HasSubstr("not JSON, looks like a login page"));
  EXPECT_LT(html.message().size(), 300u);
  const Error cut = ErrorOf(R"({"status":"success","data":{"resultType":"vector","result":[{"me)");
  EXPECT_EQ(cut.code(), ErrorCode::kDataLoss);
  EXPECT_THAT(cut.message(), HasSubstr("cut short after 64 bytes"));
  EXPECT_EQ(ErrorOf("").code(), ErrorCode::kDataLoss);
}

Error ErrorOf(int status, std::string body, HttpHeaders headers = {}) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  response.headers = std::move(headers);
  const auto answer = ReadQueryResponse(response);
  EXPECT_FALSE(answer.has_value()) << status;
  return answer ? Error() : answer.error();
}

TEST(ReadQueryResponseTest, TellsStatusesApartAndKeepsTheServersWords) {
  const std::string json =
      R"({"status":"error","errorType":"bad_data","error":"1:5: parse error: unexpected end"})";
  EXPECT_EQ(ErrorOf(400, json).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorOf(400, json).message(), "HTTP 400: bad_data: 1:5: parse error: unexpected end");
  EXPECT_EQ(ErrorOf(422, json).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorOf(401, "").code(), ErrorCode::kPermissionDenied);
  EXPECT_EQ(ErrorOf(403, "<html>").message(), "HTTP 403: not JSON, looks like a login page");
  EXPECT_THAT(ErrorOf(404, "404 page not found").message(), HasSubstr("path prefix"));
  EXPECT_EQ(ErrorOf(429, "slow down").code(), ErrorCode::kResourceExhausted);
  EXPECT_EQ(ErrorOf(503, "").code(), ErrorCode::kUnavailable);
  const Error redirect = ErrorOf(302, "", {{"location", "https://login.example.test/"}});
  EXPECT_EQ(redirect.code(), ErrorCode::kPermissionDenied);
  EXPECT_THAT(redirect.message(), HasSubstr("redirects to https://login.example.test/"));
}

TEST(ReadQueryResponseTest, MessagesStayShortAndPrintable) {
  const Error error = ErrorOf(500, std::string(80000, '\n'));
  EXPECT_LT(error.message().size(), 300u);
  EXPECT_EQ(error.message().find('\n'), std::string::npos);
}

}  // namespace
}  // namespace leadline
