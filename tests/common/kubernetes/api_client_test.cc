#include "leadline/kubernetes/api_client.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <mutex>
#include <optional>

#include "common/http/io_thread.h"
#include "common/kubernetes/fake_api.h"

namespace leadline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ApiClientTest : public ::testing::Test {
 protected:
  ApiClient& Connect(FakeApi::Answer answer, ApiClientOptions options = {}) {
    server_.emplace(
        [this, answer = std::move(answer)](RawServer::Peer& peer, const FakeRequest& request) {
          {
            const std::lock_guard lock(mutex_);
            requests_.push_back(request);
          }
          return answer(peer, request);
        });
    options.first_backoff = std::chrono::milliseconds(1);
    options.max_retry_after = std::chrono::seconds(1);
    ClientConfig config = server_->Config();
    config.token = "secret-token";
    client_.emplace(loop_.io(), std::move(config), std::move(options));
    return *client_;
  }
  std::vector<FakeRequest> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  static ApiRequest Request(const std::string& method) {
    ApiRequest request;
    request.method = method;
    request.path = "/api/v1/pods";
    return request;
  }

  std::mutex mutex_;
  std::vector<FakeRequest> requests_;
  std::optional<FakeApi> server_;
  IoThread loop_;
  std::optional<ApiClient> client_;
};

TEST_F(ApiClientTest, SendsWhoWeAreAndWhatWeWant) {
  std::vector<std::string> seen;  // the observer's
  ApiClientOptions options;
  options.observer = [&](const ApiExchange& exchange) {
    seen.push_back(exchange.code + " " + exchange.method + " " + exchange.host);
  };
  ApiClient& client = Connect(
      [](RawServer::Peer& peer, const FakeRequest&) { return peer.Answer("{\"a\":1}"); }, options);
  ApiRequest request = Request("GET");
  request.query = {{"labelSelector", "a=b,c in (d)"}};
  const auto response = client.SendAndWait(request);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "{\"a\":1}");
  ASSERT_EQ(requests().size(), 1u);
  EXPECT_EQ(requests()[0].Token(), "secret-token");
  EXPECT_EQ(requests()[0].Query("labelSelector"), "a=b,c in (d)");
  EXPECT_THAT(requests()[0].text, HasSubstr("Accept: application/json\r\n"));
  EXPECT_THAT(seen, ElementsAre("200 GET " + server_->Config().server.substr(7)));
}

TEST_F(ApiClientTest, NamedRequestsSayWhatTheyShould) {
  ApiClient& client = Connect(
      [](RawServer::Peer& peer, const FakeRequest&) { return peer.Answer("{}", "201 Created"); });
  std::promise<void> done;
  const auto ignore = [](ApiResult<ApiResponse> result) { EXPECT_TRUE(result); };
  client.Bind("ns", "pod", "uid-1", "node", ignore);
  client.Patch("/p", PatchType::kStrategicMerge, "{}", ignore);
  client.Patch("/p", PatchType::kMerge, "{}", ignore);
  client.Delete("/d", "uid-1", ignore);
  client.SendAndWait(Request("GET"));
  while (requests().size() < 5) std::this_thread::yield();
  std::map<std::string, std::string> texts;
  for (const FakeRequest& request : requests()) texts[request.path] += request.text;
  EXPECT_THAT(texts["/api/v1/namespaces/ns/pods/pod/binding"],
              HasSubstr(R"("metadata":{"namespace":"ns","name":"pod","uid":"uid-1"},)"
                        R"("target":{"apiVersion":"v1","kind":"Node","name":"node"})"));
  EXPECT_THAT(texts["/p"], HasSubstr("application/merge-patch+json"));
  EXPECT_THAT(texts["/p"], HasSubstr("application/strategic-merge-patch+json"));
  EXPECT_THAT(texts["/d"], HasSubstr(R"("preconditions":{"uid":"uid-1"})"));
}

TEST_F(ApiClientTest, EveryRequestIsSentAgainAfter429) {
  std::atomic<int> count = 0;
  ApiClient& client = Connect([&](RawServer::Peer& peer, const FakeRequest&) {
    return ++count % 3 != 0 ? peer.Answer("", "429 Too Many Requests", "Retry-After: 0\r\n")
                            : peer.Answer("{}");
  });
  for (const char* method : {"GET", "POST", "PATCH"}) {
    const auto response = client.SendAndWait(Request(method));
    EXPECT_TRUE(response) << method << response.error().message;
  }
  EXPECT_EQ(count, 9);
}

TEST_F(ApiClientTest, RetryAfterIsHonouredOrHandedOn) {
  std::atomic<int> count = 0;
  ApiClient& client = Connect([&](RawServer::Peer& peer, const FakeRequest&) {
    const char* const after = ++count == 1 ? "Retry-After: 1\r\n" : "Retry-After: 600\r\n";
    return peer.Answer("", "429 Too Many Requests", after);
  });
  const auto begun = std::chrono::steady_clock::now();
  const auto response = client.SendAndWait(Request("POST"));
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::seconds(1));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(response.error().retry_after, std::chrono::seconds(600));
  EXPECT_EQ(count, 2);
}

TEST_F(ApiClientTest, OnlyIdempotentRequestsAreSentAgainAfter5xxAndLostConnections) {
  for (const bool lost : {false, true}) {
    std::atomic<int> count = 0;
    ApiClient& client = Connect([&](RawServer::Peer& peer, const FakeRequest&) {
      ++count;
      return lost ? false : peer.Answer(StatusJson(500, "InternalError", "x"), "500 Oops");
    });
    EXPECT_FALSE(client.SendAndWait(Request("POST")));
    EXPECT_EQ(count, 1);
    EXPECT_FALSE(client.SendAndWait(Request("GET")));
    EXPECT_GE(count, 1 + 5);
    const int before = count;
    ApiRequest again = Request("POST");
    again.idempotent = true;
    again.max_attempts = 3;
    EXPECT_FALSE(client.SendAndWait(again));
    EXPECT_EQ(count, before + 3);
  }
}

TEST_F(ApiClientTest, DoesNotCarryTheTokenToAnotherHost) {
  std::atomic<int> visitors = 0;
  RawServer other([&](RawServer::Peer&, int) { ++visitors; });
  ApiClient& client = Connect([&](RawServer::Peer& peer, const FakeRequest&) {
    return peer.Answer("", "302 Found", "Location: " + other.url() + "\r\n");
  });
  const auto response = client.SendAndWait(Request("GET"));
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error().message, HasSubstr("redirect"));
  EXPECT_THAT(response.error().message, Not(HasSubstr("secret-token")));
  EXPECT_EQ(visitors, 0);
}

// The server carries the binding out and (a) resets, (b) never answers, (c) refuses a repeat.
TEST_F(ApiClientTest, ABindingOfUnknownOutcomeIsPostedOnceAndSaysSo) {
  std::atomic<int> posts = 0;
  Connect([&](RawServer::Peer& peer, const FakeRequest& request) {
    if (request.method != "POST") return peer.Answer("{}");
    switch (++posts) {
      case 1:
        peer.ResetOnClose();
        return false;
      case 2:
        peer.WaitForClose();
        return false;
      default:
        return peer.Answer(StatusJson(409, "Conflict", "pod x is already assigned to node y"),
                           "409 Conflict");
    }
  });
  client_->SendAndWait(Request("GET"));  // so that a kept connection is there
  const auto bind = [&] {
    ApiRequest request = Request("POST");
    request.body = "{}";
    request.timeout = std::chrono::milliseconds(300);
    return client_->SendAndWait(request).error();
  };
  const ApiError reset = bind();
  EXPECT_EQ(reset.code, ErrorCode::kUnavailable) << reset.message;
  EXPECT_TRUE(reset.OutcomeUnknown());
  EXPECT_EQ(posts, 1);
  const ApiError slow = bind();
  EXPECT_EQ(slow.code, ErrorCode::kTimeout) << slow.message;
  EXPECT_TRUE(slow.OutcomeUnknown());
  EXPECT_EQ(posts, 2);
  const ApiError conflict = bind();
  EXPECT_EQ(conflict.code, ErrorCode::kConflict);
  EXPECT_FALSE(conflict.OutcomeUnknown());
  EXPECT_EQ(posts, 3);
}

TEST_F(ApiClientTest, CancelCallsTheHandlerOnce) {
  ApiClient& client = Connect([](RawServer::Peer& peer, const FakeRequest&) {
    peer.WaitForClose();
    return false;
  });
  std::promise<ErrorCode> promise;
  const auto id = client.Send(Request("GET"), [&](ApiResult<ApiResponse> result) {
    promise.set_value(result.error().code);
  });
  while (requests().empty()) std::this_thread::yield();
  client.Cancel(id);
  client.Cancel(id);
  EXPECT_EQ(promise.get_future().get(), ErrorCode::kCancelled);
}

TEST_F(ApiClientTest, IsDroppedWithRequestsInFlightAndWaiting) {
  ApiClient& client = Connect([](RawServer::Peer& peer, const FakeRequest& request) {
    if (request.method == "GET") return peer.Answer("", "503 Busy", "Retry-After: 1\r\n");
    peer.WaitForClose();
    return false;
  });
  std::atomic<int> called = 0;
  for (int i = 0; i < 10; ++i) {
    client.Send(Request(i % 2 == 0 ? "GET" : "POST"), [&](ApiResult<ApiResponse>) { ++called; });
  }
  while (requests().size() < 10) std::this_thread::yield();
  client_.reset();
  loop_.Stop();
  EXPECT_EQ(called, 0);
}

TEST_F(ApiClientTest, IoContextMayStopFirst) {
  ApiClient& client = Connect([](RawServer::Peer& peer, const FakeRequest& request) {
    if (request.method == "GET") return peer.Answer("", "503 Busy", "Retry-After: 1\r\n");
    peer.WaitForClose();
    return false;
  });
  for (int i = 0; i < 10; ++i) {
    client.Send(Request(i % 2 == 0 ? "GET" : "POST"), [](ApiResult<ApiResponse>) { FAIL(); });
  }
  while (requests().size() < 10) std::this_thread::yield();
  loop_.Stop();
}

TEST_F(ApiClientTest, ManyRequestsTakeTurns) {
  std::atomic<int> now = 0;
  std::atomic<int> most = 0;
  ApiClientOptions options;
  options.max_in_flight = 4;
  ApiClient& client = Connect(
      [&](RawServer::Peer& peer, const FakeRequest&) {
        const int in_flight = ++now;
        int seen = most;
        while (in_flight > seen && !most.compare_exchange_weak(seen, in_flight)) {
        }
        --now;
        return peer.Answer("{}");
      },
      options);
  std::promise<void> all;
  std::atomic<int> left = 100;
  for (int i = 0; i < 100; ++i) {
    client.Send(Request("GET"), [&](ApiResult<ApiResponse> result) {
      EXPECT_TRUE(result);
      if (--left == 0) all.set_value();
    });
  }
  all.get_future().get();
  EXPECT_LE(most, 4);
}

TEST_F(ApiClientTest, WhoMayWriteIsAskedBeforeEachAttempt) {
  std::atomic<bool> may = false;
  ApiClientOptions options;
  options.may_write = [&] { return may.load(); };
  ApiClient& client = Connect(
      [&](RawServer::Peer& peer, const FakeRequest& request) {
        if (request.method == "GET") return peer.Answer("{}");
        may = false;  // while the client waits to send it again
        return peer.Answer("", "429 Too Many Requests");
      },
      options);
  EXPECT_TRUE(client.SendAndWait(Request("GET")));
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    EXPECT_EQ(client.SendAndWait(Request(method)).error().code, ErrorCode::kCancelled);
  }
  EXPECT_EQ(requests().size(), 1u);
  may = true;
  EXPECT_EQ(client.SendAndWait(Request("POST")).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(requests().size(), 2u);
}

TEST(ApiPathTest, EscapesEachPart) {
  EXPECT_EQ(ApiPath("/api/v1", "", "nodes"), "/api/v1/nodes");
  EXPECT_EQ(ApiPath("/api/v1", "a", "pods", "b/../c", "status"),
            "/api/v1/namespaces/a/pods/b%2F..%2Fc/status");
}

}  // namespace
}  // namespace leadline
