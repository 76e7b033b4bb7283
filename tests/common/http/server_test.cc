#include "leadline/http/server.h"

#include <gmock/gmock.h>

#include <future>
#include <optional>

#include "common/http/io_thread.h"
#include "common/http/raw_connection.h"

namespace leadline {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class HttpServerTest : public ::testing::Test {
 protected:
  HttpServer& Start(HttpServerOptions options = {}) {
    server_.emplace(loop_.io(), std::move(options));
    server_->Handle("GET", "/hello", [](const ServerRequest& request, HttpServer::Responder reply) {
      std::string body = "hello";
      for (const auto& [key, value] : request.query) body += " " + key + "=" + value;
      ServerResponse response;
      response.body = body;
      response.headers.emplace_back("X-Seen", std::string(request.Header("x-mark")));
      reply(response);
    });
    server_->Handle("POST", "/echo", [](const ServerRequest& request, HttpServer::Responder reply) {
      ServerResponse response;
      response.body = request.body;
      reply(response);
    });
    server_->Handle("GET", "/tree/*",
                    [](const ServerRequest& request, HttpServer::Responder reply) {
                      ServerResponse response;
                      response.body = "tree " + request.path;
                      reply(response);
                    });
    server_->Handle("GET", "/dropped", [](const ServerRequest&, HttpServer::Responder) {});
    server_->Handle("GET", "/empty", [](const ServerRequest&, HttpServer::Responder reply) {
      ServerResponse response;
      response.status = 204;
      reply(response);
    });
    return *server_;
  }
  RawConnection Connect() {
    EXPECT_TRUE(server_->Listen());
    return RawConnection(server_->port());
  }

  IoThread loop_;
  std::optional<HttpServer> server_;
};

TEST_F(HttpServerTest, KeepsTheConnectionAndDecodesTheTarget) {
  Start();
  RawConnection client = Connect();
  for (int i = 0; i < 3; ++i) {
    client.Write("GET /hel%6co?a=1%202&b HTTP/1.1\r\nHost: x\r\nX-Mark: m\r\n\r\n");
    const std::string answer = client.ReadResponse();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer, HasSubstr("X-Seen: m\r\n"));
    EXPECT_THAT(answer, HasSubstr("Content-Type: text/plain; charset=utf-8\r\n"));
    EXPECT_THAT(answer, EndsWith("\r\n\r\nhello a=1 2 b="));
  }
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  Start();
  RawConnection client = Connect();
  client.Write(
      "GET /hello?n=1 HTTP/1.1\r\nHost: x\r\n\r\nGET /hello?n=2 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.ReadResponse(), EndsWith("n=1"));
  EXPECT_THAT(client.ReadResponse(), EndsWith("n=2"));
}

TEST_F(HttpServerTest, HeadHasTheLengthButNoBody) {
  Start();
  RawConnection client = Connect();
  client.Write("HEAD /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string answer = client.ReadAll();
  EXPECT_THAT(answer, HasSubstr("Content-Length: 5\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST_F(HttpServerTest, ClosesAfterHttp10) {
  Start();
  RawConnection client = Connect();
  client.Write("GET /hello HTTP/1.0\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), EndsWith("hello"));
}

TEST_F(HttpServerTest, SaysWhatIsUnknownOrNotAllowed) {
  Start();
  RawConnection client = Connect();
  client.Write("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 404 "));
  client.Write("POST /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
  const std::string refused = client.ReadResponse();
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(refused, HasSubstr("Allow: GET, HEAD\r\n"));
  client.Write("GET /dropped HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 500 "));
  client.Write("GET /tree/a/b HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.ReadResponse(), EndsWith("tree /tree/a/b"));
  client.Write("GET /empty HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.ReadResponse(), Not(HasSubstr("Content-Length")));
}

TEST_F(HttpServerTest, RefusesLargeBodiesAndGarbage) {
  HttpServerOptions options;
  options.max_body_bytes = 10;
  Start(options);
  RawConnection large = Connect();
  large.Write("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n");
  EXPECT_THAT(large.ReadAll(), StartsWith("HTTP/1.1 413 "));
  RawConnection chunked(server_->port());
  chunked.Write("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  chunked.Write("b\r\nhello world\r\n0\r\n\r\n");
  EXPECT_THAT(chunked.ReadAll(), StartsWith("HTTP/1.1 413 "));
  RawConnection garbage(server_->port());
  garbage.Write("\x16\x03\x01 what\r\n\r\n");
  EXPECT_THAT(garbage.ReadAll(), StartsWith("HTTP/1.1 400 "));
  RawConnection broken(server_->port());
  broken.Write("GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(broken.ReadAll(), StartsWith("HTTP/1.1 400 "));
  RawConnection header(server_->port());
  header.Write("GET / HTTP/1.1\r\nA: " + std::string(100 << 10, 'a') + "\r\n\r\n");
  EXPECT_THAT(header.ReadAll(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(HttpServerTest, InvitesABodyThatWaits) {
  Start();
  RawConnection client = Connect();
  client.Write(
      "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_THAT(client.ReadResponse(false), StartsWith("HTTP/1.1 100 "));
  client.Write("abc");
  EXPECT_THAT(client.ReadResponse(), EndsWith("\r\n\r\nabc"));
}

TEST_F(HttpServerTest, ClosesSilentConnections) {
  HttpServerOptions options;
  options.idle_timeout = std::chrono::seconds(1);
  Start(options);
  RawConnection client = Connect();
  client.Write("GET /hello HT");
  EXPECT_THAT(client.ReadAll(), IsEmpty());  // returns only because the server closes
}

TEST_F(HttpServerTest, ClosesConnectionsBeyondTheLimit) {
  HttpServerOptions options;
  options.max_connections = 1;
  Start(options);
  RawConnection first = Connect();
  first.Write("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(first.ReadResponse(), EndsWith("hello"));
  RawConnection second(server_->port());
  EXPECT_THAT(second.ReadAll(), IsEmpty());
  first.Write("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(first.ReadResponse(), EndsWith("hello"));
}

TEST_F(HttpServerTest, TakesTheAnswerFromAnyThreadOnce) {
  std::vector<std::future<void>> threads;
  std::mutex mutex;
  HttpServer& server = Start();
  server.Handle("GET", "/later", [&](const ServerRequest&, HttpServer::Responder reply) {
    const std::lock_guard lock(mutex);
    threads.push_back(std::async(std::launch::async, [reply] {
      ServerResponse response;
      response.body = "first";
      reply(response);
      response.body = "second";
      reply(response);
    }));
  });
  RawConnection client = Connect();
  for (int i = 0; i < 20; ++i) {
    client.Write("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(client.ReadResponse(), EndsWith("first"));
  }
  const std::lock_guard lock(mutex);
  threads.clear();
}

TEST_F(HttpServerTest, StopClosesEverythingWithAnswersOutstanding) {
  std::promise<HttpServer::Responder> waiting;
  HttpServer& server = Start();
  server.Handle("GET", "/wait", [&](const ServerRequest&, HttpServer::Responder reply) {
    waiting.set_value(std::move(reply));
  });
  RawConnection client = Connect();
  client.Write("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  const HttpServer::Responder reply = waiting.get_future().get();
  const std::uint16_t port = server.port();
  server_.reset();
  EXPECT_THAT(client.ReadAll(), IsEmpty());
  reply({});  // too late, and harmless
  bool refused = false;
  for (int i = 0; i < 1000 && !refused; ++i) {
    try {
      RawConnection(port).ReadAll();
    } catch (const boost::system::system_error&) {
      refused = true;
    }
  }
  EXPECT_TRUE(refused);
}

TEST_F(HttpServerTest, SaysWhichAddressIsTaken) {
  HttpServer& server = Start();
  ASSERT_TRUE(server.Listen());
  HttpServerOptions options;
  options.port = server.port();
  HttpServer other(loop_.io(), options);
  const auto result = other.Listen();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(result.error().message(), HasSubstr(std::to_string(server.port())));
}

TEST(ParseHttpAddressTest, TakesWhatTheFlagsPromise) {
  const auto at = [](std::string_view text) {
    const auto options = ParseHttpAddress(text);
    return options ? options->host + " " + std::to_string(options->port)
                   : options.error().message();
  };
  EXPECT_EQ(at("127.0.0.1:8080"), "127.0.0.1 8080");
  EXPECT_EQ(at("[::1]:0"), "::1 0");
  EXPECT_EQ(at(":9090"), ":: 9090");
  EXPECT_EQ(at("localhost:1"), "127.0.0.1 1");
  for (const char* wrong :
       {"", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:80", "[127.0.0.1]:80",
        "[]:80", "a:b", "host.example:80", "1.2.3.4:-1", "1.2.3.4:8 "}) {
    const auto options = ParseHttpAddress(wrong);
    ASSERT_FALSE(options) << wrong;
    EXPECT_EQ(options.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(options.error().message(), HasSubstr("expected HOST:PORT"));
  }
}

}  // namespace
}  // namespace leadline
