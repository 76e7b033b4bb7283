#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "common/http/certificates.h"
#include "common/http/io_thread.h"
#include "leadline/http/client.h"
#include "leadline/http/server.h"

namespace leadline {
namespace {

using ::testing::HasSubstr;

class HttpServerTlsTest : public ::testing::Test {
 protected:
  HttpServerTlsTest() {
    directory_ = ::testing::TempDir() + "/leadline_server_tls";
    std::filesystem::create_directories(directory_);
    options_.tls.cert_file = directory_ + "/server.pem";
    options_.tls.key_file = directory_ + "/server.key";
    options_.tls.client_ca_file = Write("clients.pem", clients_.pem());
    WritePair(authority_.Issue("server", "IP:127.0.0.1"));
  }
  ~HttpServerTlsTest() override { std::filesystem::remove_all(directory_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(directory_ + "/" + name) << text;
    return directory_ + "/" + name;
  }
  void WritePair(const PemPair& pair) {
    Write("server.pem", pair.certificate);
    Write("server.key", pair.key);
    // Two writes within one tick of the file system's clock would look like one.
    age_ += std::chrono::seconds(2);
    for (const std::string& file : {options_.tls.cert_file, options_.tls.key_file}) {
      std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() + age_);
    }
  }
  Result<void> Start() {
    server_.emplace(loop_.io(), options_);
    server_->Handle("POST", "/who", [](const ServerRequest& request, HttpServer::Responder reply) {
      ServerResponse response;
      response.body = "client=" + request.client + " " + request.body;
      reply(response);
    });
    return server_->Listen();
  }
  Result<HttpResponse> Ask(const std::string& ca, const PemPair& own = {}) {
    HttpTlsOptions tls;
    tls.ca_pem = ca;
    tls.client_cert_pem = own.certificate;
    tls.client_key_pem = own.key;
    HttpClient client(loop_.io(), tls);
    HttpRequest request;
    request.method = "POST";
    request.url = "https://127.0.0.1:" + std::to_string(server_->port()) + "/who";
    request.body = std::string(200'000, 'x');
    return client.SendAndWait(std::move(request));
  }

  TestAuthority authority_, clients_;
  std::string directory_;
  HttpServerOptions options_;
  std::chrono::seconds age_{0};
  IoThread loop_;
  std::optional<HttpServer> server_;
};

TEST_F(HttpServerTlsTest, NamesTheClientThatItsAuthorityKnows) {
  ASSERT_TRUE(Start());
  const auto nobody = Ask(authority_.pem());
  ASSERT_TRUE(nobody) << nobody.error().message();
  EXPECT_EQ(nobody->body, "client= " + std::string(200'000, 'x'));
  const auto known = Ask(authority_.pem(), clients_.Issue("kube-scheduler", ""));
  ASSERT_TRUE(known) << known.error().message();
  EXPECT_THAT(known->body, HasSubstr("client=kube-scheduler "));
}

TEST_F(HttpServerTlsTest, AClientOfAnotherAuthorityIsNotServed) {
  ASSERT_TRUE(Start());
  EXPECT_FALSE(Ask(authority_.pem(), TestAuthority().Issue("kube-scheduler", "")));
  EXPECT_TRUE(Ask(authority_.pem()));  // and the server goes on
}

TEST_F(HttpServerTlsTest, PlainHttpIsNotAnswered) {
  ASSERT_TRUE(Start());
  HttpClient client(loop_.io(), {});
  HttpRequest request;
  request.url = "http://127.0.0.1:" + std::to_string(server_->port()) + "/who";
  EXPECT_FALSE(client.SendAndWait(std::move(request)));
}

TEST_F(HttpServerTlsTest, TakesUpANewCertificateAndKeepsAGoodOne) {
  ASSERT_TRUE(Start());
  const TestAuthority next;
  WritePair(next.Issue("server", "IP:127.0.0.1"));
  EXPECT_TRUE(Ask(next.pem()));
  EXPECT_FALSE(Ask(authority_.pem()));
  WritePair({"not a certificate", "nor a key"});
  EXPECT_TRUE(Ask(next.pem()));
}

TEST_F(HttpServerTlsTest, FilesThatCannotBeUsedAreNamed) {
  WritePair({"not a certificate", "nor a key"});
  const auto started = Start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(started.error().message(), HasSubstr(options_.tls.cert_file));
  WritePair(authority_.Issue("server", "IP:127.0.0.1"));
  options_.tls.client_ca_file = directory_ + "/absent.pem";
  const auto without_ca = Start();
  ASSERT_FALSE(without_ca);
  EXPECT_THAT(without_ca.error().message(), HasSubstr("absent.pem"));
}

}  // namespace
}  // namespace leadline
