// Tokens that change and programs that make them, as the API server sees it.
#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <optional>

#include "common/http/certificates.h"
#include "common/http/io_thread.h"
#include "common/http/tls_server.h"
#include "common/kubernetes/fake_api.h"
#include "common/kubernetes/temporary_directory.h"
#include "leadline/kubernetes/api_client.h"

namespace leadline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CredentialsTest : public ::testing::Test {
 protected:
  void Connect(ClientConfig config) {
    config.server = server_.Config().server;
    ApiClientOptions options;
    options.clock = &clock_;
    client_.emplace(loop_.io(), std::move(config), options);
  }
  ApiResult<ApiResponse> Ask() {
    ApiRequest request;
    request.path = "/";
    return client_->SendAndWait(request);
  }
  ClientConfig Plugin(const std::string& script) {
    ClientConfig config;
    config.exec.emplace();
    config.exec->api_version = "client.authentication.k8s.io/v1";
    config.exec->command = directory_.Write("plugin", "#!/bin/sh\n" + script, true);
    config.exec->arguments = {directory_.path()};
    config.exec->environment = {{"MARK", "mark"}};
    return config;
  }
  void Accept(const std::string& token) {
    const std::lock_guard lock(mutex_);
    accepted_ = token;
  }
  int refused() const { return refused_; }

  TemporaryDirectory directory_;
  ManualClock clock_;
  std::mutex mutex_;
  std::string accepted_;
  std::atomic<int> refused_ = 0;
  FakeApi server_{[this](RawServer::Peer& peer, const FakeRequest& request) {
    const std::lock_guard lock(mutex_);
    if (request.Token() == accepted_) return peer.Answer("{}");
    ++refused_;
    return peer.Answer(StatusJson(401, "Unauthorized", "Unauthorized"), "401 Unauthorized");
  }};
  IoThread loop_;
  std::optional<ApiClient> client_;
};

constexpr char kCredential[] =
    R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":)";

TEST_F(CredentialsTest, TokenFileIsReadAgainEachMinuteAndAfterA401) {
  ClientConfig config;
  config.token_file = directory_.Write("token", "first\n");
  Accept("first");
  Connect(config);
  EXPECT_TRUE(Ask());
  directory_.Write("token", "second\n");
  EXPECT_TRUE(Ask());  // not read yet
  Accept("second");
  EXPECT_TRUE(Ask());  // refused once, read, sent again
  EXPECT_EQ(refused(), 1);
  directory_.Write("token", "third\n");
  clock_.Advance(std::chrono::seconds(61));
  Accept("third");
  EXPECT_TRUE(Ask());
  EXPECT_EQ(refused(), 1);
}

TEST_F(CredentialsTest, TheLastTokenIsKeptWhenTheFileIsMissing) {
  ClientConfig config;
  config.token_file = directory_.Write("token", "first\n");
  Accept("first");
  Connect(config);
  EXPECT_TRUE(Ask());
  std::filesystem::remove(config.token_file);
  clock_.Advance(std::chrono::seconds(61));
  EXPECT_TRUE(Ask());
  Accept("second");
  const auto response = Ask();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(refused(), 2);  // sent again once, not for ever
  directory_.Write("token", "second\n");
  EXPECT_TRUE(Ask());
}

TEST_F(CredentialsTest, WithoutAnyTokenNothingIsSent) {
  ClientConfig config;
  config.token_file = directory_.path() + "/none";
  Connect(config);
  const auto response = Ask();
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error().message, HasSubstr("/none"));
  EXPECT_EQ(refused(), 0);
}

TEST_F(CredentialsTest, PluginRunsOnceForManyAndAgainWhenItsTokenEnds) {
  Accept("from-plugin");
  Connect(Plugin("echo \"$MARK $KUBERNETES_EXEC_INFO\" >> $1/runs\ncat <<E\n" +
                 std::string(kCredential) +
                 R"({"token":"from-plugin","expirationTimestamp":"2026-01-01T00:01:00Z"}})"
                 "\nE\n"));
  std::vector<std::future<bool>> answers;
  for (int i = 0; i < 10; ++i) {
    answers.push_back(std::async(std::launch::async, [this] { return Ask().has_value(); }));
  }
  for (auto& answer : answers) EXPECT_TRUE(answer.get());
  const std::string run = directory_.Read("runs");
  EXPECT_EQ(std::count(run.begin(), run.end(), '\n'), 1);
  EXPECT_THAT(run, HasSubstr("mark {\"apiVersion\":\"client.authentication.k8s.io/v1\""));
  EXPECT_THAT(run, HasSubstr("\"interactive\":false"));
  clock_.Advance(std::chrono::seconds(60));
  EXPECT_TRUE(Ask());
  const std::string runs = directory_.Read("runs");
  EXPECT_EQ(std::count(runs.begin(), runs.end(), '\n'), 2);
}

TEST_F(CredentialsTest, PluginRunsAgainAfterA401) {
  Accept("token-2");
  Connect(Plugin("echo >> $1/runs\ncat <<E\n" + std::string(kCredential) +
                 "{\"token\":\"token-$(wc -l < $1/runs)\"}}\nE\n"));
  EXPECT_TRUE(Ask());
  EXPECT_EQ(refused(), 1);
}

TEST_F(CredentialsTest, PluginThatFailsIsNamedWithoutItsOutput) {
  const auto message = [&](ClientConfig config) {
    Connect(std::move(config));
    const auto response = Ask();
    EXPECT_FALSE(response);
    return response ? "" : response.error().message;
  };
  EXPECT_THAT(message(Plugin("echo secret; exit 3")), HasSubstr("plugin: exited with 3"));
  EXPECT_THAT(message(Plugin("echo secret")),
              ::testing::AllOf(HasSubstr("not a JSON object"), Not(HasSubstr("secret"))));
  EXPECT_THAT(message(Plugin("echo '{\"kind\":\"Other\"}'")), HasSubstr("kind ExecCredential"));
  EXPECT_THAT(message(Plugin("echo '" + std::string(kCredential) + "{}}'")),
              HasSubstr("neither token nor clientCertificateData"));
  ClientConfig slow = Plugin("sleep 1000");
  slow.exec->timeout = std::chrono::milliseconds(100);
  EXPECT_THAT(message(slow), HasSubstr("did not end in time"));
  ClientConfig missing = Plugin("");
  missing.exec->command = "leadline-no-such-program";
  missing.exec->install_hint = "install it";
  EXPECT_THAT(message(missing), HasSubstr("No such file or directory; install it"));
  EXPECT_EQ(refused(), 0);
}

TEST_F(CredentialsTest, IsDroppedWhileThePluginRuns) {
  Connect(Plugin("touch $1/runs\nsleep 1000"));
  std::atomic<bool> called = false;
  ApiRequest request;
  request.path = "/";
  client_->Send(request, [&](ApiResult<ApiResponse>) { called = true; });
  while (!std::filesystem::exists(directory_.path() + "/runs")) std::this_thread::yield();
  client_.reset();
  EXPECT_FALSE(called);
}

TEST_F(CredentialsTest, PluginMayGiveACertificate) {
  const TestAuthority authority;
  TlsServer strict(authority.Issue("server", "IP:127.0.0.1"), authority.pem());
  const PemPair pair = authority.Issue("plugin-client", "");
  const auto escaped = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
      text.replace(at, 1, "\\n");
    }
    return text;
  };
  ClientConfig config = Plugin("cat <<'E'\n" + std::string(kCredential) +
                               "{\"clientCertificateData\":\"" + escaped(pair.certificate) +
                               "\",\"clientKeyData\":\"" + escaped(pair.key) + "\"}}\nE\n");
  config.server = "https://127.0.0.1:" + std::to_string(strict.port());
  config.tls.ca_pem = authority.pem();
  client_.emplace(loop_.io(), config);
  const auto response = Ask();
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_THAT(response->body, HasSubstr("client=plugin-client"));
}

}  // namespace
}  // namespace leadline
