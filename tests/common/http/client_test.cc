#include "leadline/http/client.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <optional>

#include "common/http/io_thread.h"
#include "common/http/raw_server.h"
#include "leadline/http/server.h"

namespace leadline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class HttpClientTest : public ::testing::Test {
 protected:
  Result<HttpResponse> Get(const std::string& url) {
    HttpRequest request;
    request.url = url;
    return client_->SendAndWait(std::move(request));
  }
  // The answer of a server that follows `script`.
  Result<HttpResponse> GetFrom(RawServer::Script script, HttpRequest request = {}) {
    RawServer server(std::move(script));
    request.url = server.url() + "/path";
    Result<HttpResponse> result = client_->SendAndWait(std::move(request));
    return result;
  }

  IoThread loop_;
  std::optional<HttpClient> client_{std::in_place, loop_.io(), HttpTlsOptions{}};
};

TEST_F(HttpClientTest, SpeaksWithOurServer) {
  HttpServer server(loop_.io(), {});
  for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    server.Handle(method, "/all", [](const ServerRequest& request, HttpServer::Responder reply) {
      ServerResponse response;
      response.status = 201;
      response.headers.emplace_back("X-Type", std::string(request.Header("content-type")));
      response.headers.emplace_back("X-Expect", std::string(request.Header("expect")));
      response.body = request.method + " " + request.body;
      reply(response);
    });
  }
  ASSERT_TRUE(server.Listen());
  for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"}) {
    for (const std::string& body : {std::string(), std::string(3'000'000, 'b')}) {
      HttpRequest request;
      request.method = method;
      request.url = "http://127.0.0.1:" + std::to_string(server.port()) + "/all";
      request.headers = {{"Content-Type", "text/x-test"}, {"X-Empty", ""}};
      request.body = body;
      const bool head = request.method == "HEAD";
      const auto response = client_->SendAndWait(request);
      ASSERT_TRUE(response) << method << ": " << response.error().message();
      EXPECT_EQ(response->status, 201);
      EXPECT_EQ(response->Header("x-type"), "text/x-test");
      EXPECT_EQ(response->Header("x-expect"), "");
      EXPECT_EQ(response->body, head ? "" : method + (" " + body));
    }
  }
}

TEST_F(HttpClientTest, KeepsManyExchangesInFlight) {
  HttpServer server(loop_.io(), {});
  std::vector<HttpServer::Responder> waiting;  // only on the io thread
  server.Handle("GET", "/wait", [&](const ServerRequest&, HttpServer::Responder reply) {
    waiting.push_back(std::move(reply));
    if (waiting.size() == 64) {  // nobody is answered before all have come
      for (auto& each : waiting) each({});
    }
  });
  ASSERT_TRUE(server.Listen());
  std::promise<void> all;
  std::atomic<int> left = 64;
  for (int i = 0; i < 64; ++i) {
    HttpRequest request;
    request.url = "http://127.0.0.1:" + std::to_string(server.port()) + "/wait";
    client_->Send(std::move(request), [&](Result<HttpResponse> response) {
      EXPECT_TRUE(response);
      if (--left == 0) all.set_value();
    });
  }
  all.get_future().get();
}

TEST_F(HttpClientTest, KeepsConnections) {
  RawServer server([](RawServer::Peer& peer, int) {
    while (!peer.ReadRequest().empty() && peer.Answer("x")) {
    }
  });
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(Get(server.url()));
  EXPECT_EQ(server.connections(), 1);
  client_.reset();
}

TEST_F(HttpClientTest, HandsStreamsOverInPieces) {
  std::string seen;
  HttpRequest request;
  request.timeout = std::chrono::milliseconds(0);
  request.max_body_bytes = 1;
  request.on_data = [&](std::string_view piece) -> Result<void> {
    seen += piece;
    return {};
  };
  const auto response = GetFrom(
      [](RawServer::Peer& peer, int) {
        EXPECT_THAT(peer.ReadRequest(), Not(HasSubstr("Accept-Encoding")));
        peer.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        peer.Chunk("one ");
        peer.Chunk("two");
        peer.Write("0\r\n\r\n");
      },
      request);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "");
  EXPECT_EQ(seen, "one two");
}

TEST_F(HttpClientTest, AStreamEndsWithTheReadersError) {
  HttpRequest request;
  request.on_data = [](std::string_view) -> Result<void> {
    return Error(ErrorCode::kGone, "too old");
  };
  const auto response = GetFrom(
      [](RawServer::Peer& peer, int) {
        peer.ReadRequest();
        peer.Answer("x");
        peer.WaitForClose();
      },
      request);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), ErrorCode::kGone);
}

TEST_F(HttpClientTest, CollectsTheBodyOfARefusedStream) {
  HttpRequest request;
  request.on_data = [](std::string_view) -> Result<void> { return Error(); };
  const auto response = GetFrom(
      [](RawServer::Peer& peer, int) {
        peer.ReadRequest();
        peer.Answer("why", "410 Gone");
      },
      request);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 410);
  EXPECT_EQ(response->body, "why");
}

TEST_F(HttpClientTest, ABodyCutShortIsDataLoss) {
  const auto cut = [](std::string_view head) {
    return [head](RawServer::Peer& peer, int) {
      peer.ReadRequest();
      peer.Write(head);
    };
  };
  for (const char* head : {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
                           "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
                           "Content-Length: 4\r\n\r\nwhat",
                           "SSH-2.0-OpenSSH_9.2\r\n"}) {
    const auto response = GetFrom(cut(head));
    ASSERT_FALSE(response) << head;
    EXPECT_EQ(response.error().code(), ErrorCode::kDataLoss) << response.error().message();
  }
}

TEST_F(HttpClientTest, SaysThatNobodyAnswered) {
  std::uint16_t closed = 0;
  {
    closed = RawServer([](RawServer::Peer&, int) {}).port();
  }
  const auto refused = Get("http://127.0.0.1:" + std::to_string(closed) + "/secret?token=x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message(), StartsWith("GET http://127.0.0.1:"));
  EXPECT_THAT(refused.error().message(), Not(HasSubstr("secret")));
  const auto reset = GetFrom([](RawServer::Peer& peer, int) {
    peer.ReadRequest();
    peer.ResetOnClose();
  });
  ASSERT_FALSE(reset);
  EXPECT_EQ(reset.error().code(), ErrorCode::kUnavailable) << reset.error().message();
}

TEST_F(HttpClientTest, GivesUpInTime) {
  HttpRequest request;
  request.timeout = std::chrono::milliseconds(100);
  const auto slow = GetFrom(
      [](RawServer::Peer& peer, int) {
        peer.ReadRequest();
        peer.WaitForClose();
      },
      request);
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().code(), ErrorCode::kTimeout);
}

TEST_F(HttpClientTest, GivesUpWhenNothingMoreArrives) {
  HttpRequest request;
  request.timeout = std::chrono::milliseconds(0);
  request.idle_timeout = std::chrono::milliseconds(200);
  std::string seen;
  request.on_data = [&](std::string_view piece) -> Result<void> {
    seen += piece;
    return {};
  };
  const auto stalled = GetFrom(
      [](RawServer::Peer& peer, int) {
        peer.ReadRequest();
        peer.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        peer.Chunk("first");
        peer.WaitForClose();
      },
      request);
  ASSERT_FALSE(stalled);
  EXPECT_EQ(stalled.error().code(), ErrorCode::kTimeout);
  EXPECT_EQ(seen, "first");
}

TEST_F(HttpClientTest, CancelCallsTheHandlerOnce) {
  RawServer server([](RawServer::Peer& peer, int) { peer.WaitForClose(); });
  HttpRequest request;
  request.url = server.url();
  std::promise<Result<HttpResponse>> promise;
  const auto id =
      client_->Send(request, [&](Result<HttpResponse> result) { promise.set_value(result); });
  client_->Cancel(id);
  client_->Cancel(id);
  const auto result = promise.get_future().get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::kCancelled);
  client_->Cancel(12345);
}

TEST_F(HttpClientTest, DoesNotFollowRedirects) {
  std::atomic<int> visitors = 0;
  RawServer other([&](RawServer::Peer& peer, int) {
    ++visitors;
    peer.ReadRequest();
  });
  const auto response = GetFrom([&](RawServer::Peer& peer, int) {
    peer.ReadRequest();
    peer.Answer("", "302 Found", "Location: " + other.url() + "\r\n");
  });
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 302);
  EXPECT_EQ(visitors, 0);
}

TEST_F(HttpClientTest, RefusesWhatIsTooLarge) {
  HttpRequest request;
  request.max_body_bytes = 1000;
  const auto large = GetFrom(
      [](RawServer::Peer& peer, int) {
        peer.ReadRequest();
        peer.Answer(std::string(1001, 'x'));
      },
      request);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code(), ErrorCode::kResourceExhausted);
  const auto header = GetFrom([](RawServer::Peer& peer, int) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\n");
    const std::string line = "X-A: " + std::string(1000, 'a') + "\r\n";
    while (peer.Write(line)) {
    }
  });
  ASSERT_FALSE(header);
}

TEST_F(HttpClientTest, UnpacksGzip) {
  // printf hello | gzip -n
  const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05\x00"
      "\x00\x00",
      25);
  const auto response = GetFrom([&](RawServer::Peer& peer, int) {
    EXPECT_THAT(peer.ReadRequest(), HasSubstr("Accept-Encoding: gzip\r\n"));
    peer.Answer(packed, "200 OK", "Content-Encoding: gzip\r\n");
  });
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->body, "hello");
}

TEST_F(HttpClientTest, NeverSendsAPostTwice) {
  std::atomic<int> posts = 0;
  RawServer server([&](RawServer::Peer& peer, int) {
    for (int i = 0;; ++i) {
      const std::string request = peer.ReadRequest();
      if (request.rfind("POST", 0) == 0) {
        ++posts;
        return;  // carried out, never answered, on a connection that had worked
      }
      if (request.empty() || !peer.Answer("x")) return;
    }
  });
  ASSERT_TRUE(Get(server.url()));
  HttpRequest post;
  post.method = "POST";
  post.url = server.url();
  post.body = "{}";
  const auto result = client_->SendAndWait(post);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::kUnavailable) << result.error().message();
  EXPECT_EQ(posts, 1);
}

TEST_F(HttpClientTest, RefusesBadRequestsAtOnce) {
  for (const char* url : {"", "127.0.0.1:9090", "prometheus.example.test:9090", "ftp://x/",
                          "file:///etc/passwd", "http://", "http://a b/"}) {
    const auto result = Get(url);
    ASSERT_FALSE(result) << url;
    EXPECT_EQ(result.error().code(), ErrorCode::kInvalidArgument) << result.error().message();
    EXPECT_THAT(result.error().message(), HasSubstr("http://"));
  }
  HttpRequest split;
  split.url = "http://127.0.0.1:1/";
  split.headers = {{"Authorization", "Bearer a\r\nX: y"}};
  const auto result = client_->SendAndWait(split);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(result.error().message(), Not(HasSubstr("Bearer")));
}

TEST_F(HttpClientTest, IsDroppedWithExchangesInFlight) {
  RawServer server([](RawServer::Peer& peer, int) { peer.WaitForClose(); });
  std::atomic<int> called = 0;
  for (int i = 0; i < 20; ++i) {
    HttpRequest request;
    request.url = server.url();
    client_->Send(request, [&](Result<HttpResponse>) { ++called; });
  }
  client_.reset();
  loop_.Stop();
  EXPECT_EQ(called, 0);
}

TEST_F(HttpClientTest, IoContextMayStopAndGoWithExchangesInFlight) {
  RawServer server([](RawServer::Peer& peer, int) { peer.WaitForClose(); });
  std::atomic<int> called = 0;
  auto loop = std::make_unique<IoThread>();
  auto client = std::make_unique<HttpClient>(loop->io(), HttpTlsOptions{});
  for (int i = 0; i < 5; ++i) {
    HttpRequest request;
    request.url = server.url();
    request.idle_timeout = std::chrono::hours(1);
    client->Send(request, [&](Result<HttpResponse>) { ++called; });
  }
  while (server.connections() < 5) std::this_thread::yield();
  loop->Stop();
  client.reset();
  loop.reset();
  EXPECT_EQ(called, 0);
}

TEST_F(HttpClientTest, MayBeDroppedByAHandlerOrAStream) {
  for (const bool from_stream : {false, true}) {
    client_.emplace(loop_.io(), HttpTlsOptions{});
    RawServer server([](RawServer::Peer& peer, int) {
      while (!peer.ReadRequest().empty() && peer.Answer("x")) {
      }
    });
    std::promise<void> dropped;
    HttpRequest request;
    request.url = server.url();
    if (from_stream) {
      request.on_data = [&](std::string_view) -> Result<void> {
        client_.reset();
        dropped.set_value();
        return {};
      };
    }
    client_->Send(request, [&](Result<HttpResponse>) {
      client_.reset();
      dropped.set_value();
    });
    dropped.get_future().get();
  }
}

TEST_F(HttpClientTest, OneWhoWaitsIsToldWhenItIsDropped) {
  RawServer server([](RawServer::Peer& peer, int) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    peer.WaitForClose();
  });
  HttpRequest request;
  request.url = server.url();
  std::promise<void> begun;
  request.on_data = [&](std::string_view) -> Result<void> {
    begun.set_value();
    return {};
  };
  auto answer = std::async(std::launch::async, [&] { return client_->SendAndWait(request); });
  begun.get_future().get();
  client_.reset();
  EXPECT_EQ(answer.get().error().code(), ErrorCode::kCancelled);
}

}  // namespace
}  // namespace leadline
