#include <gmock/gmock.h>

#include <fstream>

#include "common/http/certificates.h"
#include "common/http/io_thread.h"
#include "common/http/tls_server.h"
#include "leadline/http/client.h"

namespace leadline {
namespace {

using ::testing::HasSubstr;

class HttpClientTlsTest : public ::testing::Test {
 protected:
  Result<HttpResponse> Get(HttpTlsOptions tls, const std::string& host = "127.0.0.1") {
    HttpClient client(loop_.io(), std::move(tls));
    HttpRequest request;
    request.url = "https://" + host + ":" + std::to_string(server_.port()) + "/";
    return client.SendAndWait(std::move(request));
  }

  TestAuthority authority_;
  IoThread loop_;
  TlsServer server_{authority_.Issue("server", "IP:127.0.0.1,DNS:api.test"), ""};
};

TEST_F(HttpClientTlsTest, TrustsOnlyTheAuthorityItWasGiven) {
  HttpTlsOptions tls;
  tls.ca_pem = authority_.pem();
  const auto good = Get(tls);
  ASSERT_TRUE(good) << good.error().message();
  const std::string file = ::testing::TempDir() + "/leadline_http_ca.pem";
  std::ofstream(file) << authority_.pem();
  HttpTlsOptions from_file;
  from_file.ca_file = file;
  EXPECT_TRUE(Get(from_file));
  for (const std::string& other : {std::string(), TestAuthority().pem()}) {
    HttpTlsOptions wrong;
    wrong.ca_pem = other;
    const auto refused = Get(wrong);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kPermissionDenied) << refused.error().message();
    EXPECT_THAT(refused.error().message(), HasSubstr("certificate"));
  }
}

TEST_F(HttpClientTlsTest, VerifiesTheName) {
  HttpTlsOptions tls;
  tls.ca_pem = authority_.pem();
  const auto refused = Get(tls, "localhost");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kPermissionDenied) << refused.error().message();
  tls.server_name = "api.test";
  const auto named = Get(tls, "localhost");
  ASSERT_TRUE(named) << named.error().message();
  EXPECT_EQ(named->body, "client= sni=api.test host=localhost:" + std::to_string(server_.port()));
  tls.server_name = "other.test";
  EXPECT_FALSE(Get(tls));
}

TEST_F(HttpClientTlsTest, SkipsVerificationOnlyWhenTold) {
  HttpTlsOptions tls;
  EXPECT_FALSE(Get(tls, "localhost"));
  tls.insecure_skip_verify = true;
  EXPECT_TRUE(Get(tls, "localhost"));
}

TEST_F(HttpClientTlsTest, ShowsItsCertificate) {
  TlsServer strict(authority_.Issue("server", "IP:127.0.0.1"), authority_.pem());
  HttpTlsOptions tls;
  tls.ca_pem = authority_.pem();
  HttpRequest request;
  request.url = "https://127.0.0.1:" + std::to_string(strict.port()) + "/";
  {
    HttpClient client(loop_.io(), tls);
    EXPECT_FALSE(client.SendAndWait(request));
  }
  const PemPair pair = authority_.Issue("a-client", "");
  tls.client_cert_pem = pair.certificate;
  tls.client_key_pem = pair.key;
  HttpClient client(loop_.io(), tls);
  const auto response = client.SendAndWait(request);
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_THAT(response->body, HasSubstr("client=a-client"));
  tls.client_key_pem = authority_.Issue("other", "").key;
  HttpClient mismatched(loop_.io(), tls);
  const auto refused = mismatched.SendAndWait(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kPermissionDenied) << refused.error().message();
}

TEST_F(HttpClientTlsTest, SaysThatTheServerSpeaksNoTls) {
  boost::asio::io_context io;
  boost::asio::ip::tcp::acceptor acceptor(io, {boost::asio::ip::make_address("127.0.0.1"), 0});
  std::thread plain([&] {
    boost::asio::ip::tcp::socket socket(io);
    acceptor.accept(socket);
    boost::asio::write(socket, boost::asio::buffer("HTTP/1.1 400 Bad Request\r\n\r\n", 28));
    char byte;
    boost::system::error_code ignored;
    socket.read_some(boost::asio::buffer(&byte, 1), ignored);
  });
  HttpClient client(loop_.io(), {});
  HttpRequest request;
  request.url = "https://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()) + "/";
  const auto response = client.SendAndWait(request);
  plain.join();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(response.error().message(), HasSubstr("wrong version number"));
}

}  // namespace
}  // namespace leadline
