#include "leadline/telemetry/prometheus_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "common/http/certificates.h"
#include "common/http/tls_server.h"
#include "scheduler/telemetry/fake_prometheus.h"

namespace leadline {
namespace {

using testing::HasSubstr;

class PrometheusClientTest : public testing::Test {
 protected:
  PrometheusClientTest() {
    config_.url = fake_.url();
    config_.timeout = std::chrono::seconds(20);
    fake_.SetVector("up", {{"a", "1"}});
  }

  Result<QueryAnswer> Ask(PrometheusClient& client, const std::string& query = "up") {
    std::promise<Result<QueryAnswer>> promise;
    client.InstantQuery(query, [&](Result<QueryAnswer> answer) { promise.set_value(answer); });
    return promise.get_future().get();
  }
  Result<QueryAnswer> Ask(const std::string& query = "up") {
    PrometheusClient client(thread_.io(), config_);
    return Ask(client, query);
  }
  ServerRequest Last() const { return fake_.requests().back().http; }

  std::string File(const std::string& text) {
    const std::string name = testing::TempDir() + "secret-" + std::to_string(getpid());
    std::ofstream(name) << text;
    return name;
  }

  FakePrometheus fake_;
  FakePrometheus prefixed_{"/prometheus"};
  IoThread thread_;
  PrometheusConfig config_;
};

TEST_F(PrometheusClientTest, PostsAForm) {
  config_.timeout = std::chrono::milliseconds(12345);
  config_.parameters = {{"partial_response", "false"}, {"a b", "c&d"}};
  const auto answer = Ask();
  ASSERT_TRUE(answer.has_value()) << answer.error().message();
  EXPECT_EQ(answer->samples.at(0).Label("node"), "a");
  EXPECT_EQ(Last().method, "POST");
  EXPECT_EQ(Last().body, "query=up&timeout=12345ms&partial_response=false&a%20b=c%26d");
  EXPECT_EQ(Last().Header("content-type"), "application/x-www-form-urlencoded");
  EXPECT_EQ(Last().Header("authorization"), "");
}

TEST_F(PrometheusClientTest, GetsWhereAskedTo) {
  config_.use_get = true;
  const std::string query = "sum(rate(x{id=\"/\"}[1m])) + 1";
  fake_.SetVector(query, {{"a", "1"}});
  EXPECT_TRUE(Ask(query).has_value());
  EXPECT_EQ(Last().method, "GET");
}

TEST_F(PrometheusClientTest, KeepsThePrefixWithAndWithoutSlash) {
  prefixed_.SetVector("up", {{"a", "1"}});
  for (const char* end : {"/prometheus", "/prometheus/"}) {
    config_.url = prefixed_.url() + end;
    EXPECT_TRUE(Ask().has_value()) << end;
  }
  config_.url = prefixed_.url();
  const auto answer = Ask();
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(answer.error().message(), HasSubstr(prefixed_.url() + "/api/v1/query"));
}

TEST_F(PrometheusClientTest, BasicAuthAndTenant) {
  config_.username = "reader";
  config_.password = "pa:ss";
  config_.headers = {{"X-Scope-OrgID", "tenant-1"}};
  EXPECT_TRUE(Ask().has_value());
  EXPECT_EQ(Last().Header("authorization"), "Basic cmVhZGVyOnBhOnNz");
  EXPECT_EQ(Last().Header("x-scope-orgid"), "tenant-1");
}

TEST_F(PrometheusClientTest, TheTokenFileIsReadAgain) {
  config_.credentials_file = File("first\n");
  PrometheusClient client(thread_.io(), config_);
  EXPECT_TRUE(Ask(client).has_value());
  EXPECT_EQ(Last().Header("authorization"), "Bearer first");
  File("second");
  EXPECT_TRUE(Ask(client).has_value());
  EXPECT_EQ(Last().Header("authorization"), "Bearer second");
  std::filesystem::remove(config_.credentials_file);
  EXPECT_TRUE(Ask(client).has_value());
  EXPECT_EQ(Last().Header("authorization"), "Bearer second");
}

TEST_F(PrometheusClientTest, AMissingFileIsNamedUntilItIsThere) {
  config_.credentials_file = testing::TempDir() + "secret-" + std::to_string(getpid());
  std::filesystem::remove(config_.credentials_file);
  PrometheusClient client(thread_.io(), config_);
  const auto answer = Ask(client);
  ASSERT_FALSE(answer.has_value());
  EXPECT_THAT(answer.error().message(), HasSubstr("credentials_file: reading " +
                                                  config_.credentials_file + ": No such file"));
  EXPECT_TRUE(fake_.requests().empty());
  File("a\nb");
  EXPECT_THAT(Ask(client).error().message(), HasSubstr("more than one line"));
  File("late");
  EXPECT_TRUE(Ask(client).has_value());
  std::filesystem::remove(config_.credentials_file);
}

TEST_F(PrometheusClientTest, AMissingClientCertificateIsNamed) {
  config_.cert_file = "/nowhere/tls.crt";
  config_.key_file = "/nowhere/tls.key";
  EXPECT_THAT(Ask().error().message(), HasSubstr("cert_file: reading /nowhere/tls.crt"));
}

TEST_F(PrometheusClientTest, ReadsAGzipAnswer) {
  const std::string plain =
      R"({"status":"success","data":{"resultType":"scalar","result":[1,"42"]}})";
  std::string packed(1000, '\0');
  z_stream stream{};
  ASSERT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  ASSERT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  ServerResponse response = FakePrometheus::Json(packed);
  response.headers = {{"Content-Encoding", "gzip"}};
  fake_.Set("up", response);
  const auto answer = Ask();
  ASSERT_TRUE(answer.has_value()) << answer.error().message();
  EXPECT_EQ(answer->samples.at(0).value, 42);
}

TEST_F(PrometheusClientTest, ATokenNeverTravelsToAnotherHost) {
  FakePrometheus other;
  ServerResponse redirect;
  redirect.status = 302;
  redirect.headers = {{"Location", other.url() + "/api/v1/query"}};
  fake_.Set("up", redirect);
  config_.credentials = "secret";
  const auto answer = Ask();
  ASSERT_FALSE(answer.has_value());
  EXPECT_THAT(answer.error().message(), HasSubstr("not followed"));
  EXPECT_TRUE(other.requests().empty());
}

// The server tells whom it took the client for, in words that are no JSON and so come back to us.
TEST_F(PrometheusClientTest, PrivateAuthorityAndClientCertificate) {
  const TestAuthority authority;
  TlsServer server(authority.Issue("server", "DNS:prometheus.test"), authority.pem());
  const PemPair own = authority.Issue("leadline", "DNS:leadline.test");
  const std::string base = testing::TempDir() + "tls-" + std::to_string(getpid());
  config_.url = "https://127.0.0.1:" + std::to_string(server.port());
  EXPECT_EQ(Ask().error().code(), ErrorCode::kPermissionDenied);  // unknown authority
  std::ofstream(config_.ca_file = base + ".ca") << authority.pem();
  std::ofstream(config_.cert_file = base + ".crt") << own.certificate;
  std::ofstream(config_.key_file = base + ".key") << own.key;
  EXPECT_EQ(Ask().error().code(), ErrorCode::kPermissionDenied);  // another name
  config_.server_name = "prometheus.test";
  EXPECT_THAT(Ask().error().message(), HasSubstr("client=leadline sni=prometheus.test"));
  config_.ca_file.clear();
  config_.server_name.clear();
  config_.insecure_skip_verify = true;
  EXPECT_THAT(Ask().error().message(), HasSubstr("client=leadline"));
  for (const char* end : {".ca", ".crt", ".key"}) std::filesystem::remove(base + end);
}

TEST_F(PrometheusClientTest, NobodyThereAndNobodyAnswering) {
  fake_.Set("silence", ServerResponse{0, "", "", {}});
  config_.timeout = std::chrono::milliseconds(200);
  EXPECT_EQ(Ask("silence").error().code(), ErrorCode::kTimeout);
  {
    FakePrometheus gone;
    config_.url = gone.url();
  }
  config_.timeout = std::chrono::seconds(20);
  EXPECT_EQ(Ask().error().code(), ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace leadline
