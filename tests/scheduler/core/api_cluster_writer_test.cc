#include "leadline/core/api_cluster_writer.h"

#include <atomic>
#include <future>
#include <mutex>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "common/http/io_thread.h"
#include "common/kubernetes/fake_api.h"

namespace leadline {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

// An API server that knows one Pod; the test decides how it answers Bindings.
class ApiClusterWriterTest : public testing::Test {
 protected:
  using OnBinding = std::function<bool(RawServer::Peer&, int call)>;

  ApiClusterWriterTest() {
    spdlog::set_level(spdlog::level::err);
    pod_->metadata.namespace_name = "default";
    pod_->metadata.name = "p";
    pod_->metadata.uid = "u1";
  }
  ~ApiClusterWriterTest() override { loop_.Stop(); }

  void Connect(OnBinding on_binding, std::size_t max_in_flight = 64) {
    server_.emplace([this, on_binding](RawServer::Peer& peer, const FakeRequest& request) {
      if (request.method == "GET") return AnswerGet(peer);
      const std::lock_guard lock(mutex_);
      bodies_.push_back(request.body);
      if (request.method != "POST") return peer.Answer("{}");
      const std::size_t at = request.body.rfind("\"name\":\"");
      targets_.push_back(request.body.substr(at + 8, request.body.find('"', at + 8) - at - 8));
      return on_binding(peer, static_cast<int>(targets_.size()));
    });
    ApiClientOptions client;
    client.first_backoff = milliseconds(1);
    api_.emplace(loop_.io(), server_->Config(), client);
    events_.emplace(loop_.io(), *api_, EventRecorderOptions{});
    writer_.emplace(*api_, *events_, max_in_flight);
  }
  Result<void> Bind(const std::string& node) {
    std::promise<Result<void>> promise;
    writer_->Bind(pod_, node, [&](Result<void> result) { promise.set_value(std::move(result)); });
    return promise.get_future().get();
  }
  bool AnswerGet(RawServer::Peer& peer) {
    const std::lock_guard lock(mutex_);
    if (unreadable_-- > 0) return peer.Answer("{}", "503 Service Unavailable");
    if (gone_) return peer.Answer(StatusJson(404, "NotFound", "gone"), "404 Not Found");
    return peer.Answer(R"({"metadata":{"namespace":"default","name":"p","uid":")" + uid_ +
                       R"("},"spec":{"nodeName":")" + node_ + R"(","containers":[]}})");
  }
  std::vector<std::string> targets() {
    const std::lock_guard lock(mutex_);
    return targets_;
  }

  std::shared_ptr<Pod> pod_ = std::make_shared<Pod>();
  std::mutex mutex_;
  std::vector<std::string> targets_, bodies_;
  std::string node_;  // that the server says the Pod is on
  std::string uid_ = "u1";
  bool gone_ = false;
  int unreadable_ = 0;
  std::optional<FakeApi> server_;
  IoThread loop_;
  std::optional<ApiClient> api_;
  std::optional<EventRecorder> events_;
  std::optional<ApiClusterWriter> writer_;
};

TEST_F(ApiClusterWriterTest, BindsByUid) {
  Connect([](RawServer::Peer& peer, int) { return peer.Answer("{}", "201 Created"); });
  EXPECT_TRUE(Bind("n1"));
  EXPECT_THAT(targets(), ElementsAre("n1"));
  EXPECT_THAT(bodies_[0], HasSubstr("\"uid\":\"u1\""));
}

TEST_F(ApiClusterWriterTest, ABindingWhoseAnswerWasLostIsFoundDone) {
  Connect([this](RawServer::Peer& peer, int) {
    node_ = "n1";
    unreadable_ = 7;  // more than one request is tried: looked at again
    peer.ResetOnClose();
    return false;
  });
  EXPECT_TRUE(Bind("n1"));
  EXPECT_THAT(targets(), ElementsAre("n1"));
}

TEST_F(ApiClusterWriterTest, ALostBindingIsPostedOnceMoreToTheSameNode) {
  Connect([this](RawServer::Peer& peer, int call) {
    if (call == 1) return peer.Answer(StatusJson(500, "", "etcd"), "500 Internal Server Error");
    node_ = "n1";
    return peer.Answer(StatusJson(409, "Conflict", "already assigned"), "409 Conflict");
  });
  EXPECT_TRUE(Bind("n1"));
  EXPECT_THAT(targets(), ElementsAre("n1", "n1"));
}

TEST_F(ApiClusterWriterTest, AfterTwoFailuresItSaysSo) {
  Connect([](RawServer::Peer& peer, int) {
    return peer.Answer(StatusJson(500, "InternalError", "etcd is down"),
                       "500 Internal Server Error");
  });
  const Result<void> result = Bind("n1");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("etcd is down"));
  EXPECT_EQ(targets().size(), 2u);
}

TEST_F(ApiClusterWriterTest, SomebodyElseWasFaster) {
  Connect([this](RawServer::Peer& peer, int) {
    node_ = "n2";
    return peer.Answer(StatusJson(409, "Conflict", "already assigned"), "409 Conflict");
  });
  const Result<void> result = Bind("n1");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::kConflict);
  EXPECT_THAT(result.error().message(), HasSubstr("n2"));
}

TEST_F(ApiClusterWriterTest, APodMadeAgainIsNotBound) {
  Connect([this](RawServer::Peer& peer, int) {
    uid_ = "u2";
    return peer.Answer(StatusJson(409, "Conflict", "uid"), "409 Conflict");
  });
  EXPECT_EQ(Bind("n1").error().code(), ErrorCode::kNotFound);
}

TEST_F(ApiClusterWriterTest, ADeletedPodIsGone) {
  Connect([this](RawServer::Peer& peer, int call) {
    gone_ = true;
    if (call == 1) return peer.Answer("bad gateway", "502 Bad Gateway");
    return peer.Answer(StatusJson(404, "NotFound", "gone"), "404 Not Found");
  });
  EXPECT_EQ(Bind("n1").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(Bind("n1").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(targets().size(), 2u);
}

TEST_F(ApiClusterWriterTest, ARefusalIsAnErrorAtOnce) {
  Connect([](RawServer::Peer& peer, int) {
    return peer.Answer(StatusJson(403, "Forbidden", "no pods/binding for you"), "403 Forbidden");
  });
  const Result<void> result = Bind("n1");
  EXPECT_EQ(result.error().code(), ErrorCode::kPermissionDenied);
  EXPECT_EQ(targets().size(), 1u);
}

TEST_F(ApiClusterWriterTest, BindingsBeyondTheLimitWaitForTheirTurn) {
  Connect([](RawServer::Peer& peer, int) { return peer.Answer("{}", "201 Created"); }, 1);
  std::promise<void> all;
  std::atomic<int> left{20};
  for (int i = 0; i < 20; ++i) {
    writer_->Bind(pod_, "n" + std::to_string(i), [&](const Result<void>& result) {
      EXPECT_TRUE(result);
      if (--left == 0) all.set_value();
    });
  }
  all.get_future().wait();
  std::vector<std::string> expected;
  for (int i = 0; i < 20; ++i) expected.push_back("n" + std::to_string(i));
  EXPECT_EQ(targets(), expected);  // one after the other
}

TEST_F(ApiClusterWriterTest, TheConditionKeepsItsTransitionTime) {
  Connect([](RawServer::Peer&, int) { return false; });
  pod_->status.conditions = {
      {"PodScheduled", "False", "Unschedulable", "x", FromUnixSeconds(1'700'000'000)}};
  writer_->SetUnscheduled(*pod_, "Unschedulable", "0/1 nodes are available: 1 \"why\".");
  for (int i = 0; i < 3000; ++i) {
    {
      const std::lock_guard lock(mutex_);
      if (!bodies_.empty()) break;
    }
    std::this_thread::sleep_for(milliseconds(10));
  }
  const std::lock_guard lock(mutex_);
  ASSERT_EQ(bodies_.size(), 1u);
  EXPECT_THAT(bodies_[0], HasSubstr(R"("metadata":{"uid":"u1"})"));
  EXPECT_THAT(bodies_[0], HasSubstr(R"("lastTransitionTime":"2023-11-14T22:13:20Z")"));
  EXPECT_THAT(bodies_[0], HasSubstr(R"(1 \"why\".)"));
}

TEST_F(ApiClusterWriterTest, EvictsByConditionAndUid) {
  std::vector<std::string> calls;
  server_.emplace([&](RawServer::Peer& peer, const FakeRequest& request) {
    const std::lock_guard lock(mutex_);
    calls.push_back(request.method + " " + request.path + " " + request.body);
    return peer.Answer("{}");
  });
  api_.emplace(loop_.io(), server_->Config());
  events_.emplace(loop_.io(), *api_, EventRecorderOptions{});
  writer_.emplace(*api_, *events_);
  std::promise<Result<void>> done;
  writer_->Evict(pod_, "s: make room", [&](Result<void> result) { done.set_value(result); });
  EXPECT_TRUE(done.get_future().get());
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_THAT(calls[0], HasSubstr("PATCH /api/v1/namespaces/default/pods/p/status "));
  EXPECT_THAT(calls[0], HasSubstr(R"("uid":"u1")"));
  EXPECT_THAT(calls[0], HasSubstr(R"("type":"DisruptionTarget","status":"True","reason":)"
                                  R"("PreemptionByScheduler","message":"s: make room")"));
  EXPECT_THAT(calls[1], HasSubstr("DELETE /api/v1/namespaces/default/pods/p "));
  EXPECT_THAT(calls[1], HasSubstr(R"("preconditions":{"uid":"u1"})"));
}

TEST_F(ApiClusterWriterTest, SaysWhetherAVictimWasGoneOrCouldNotBeDeleted) {
  std::string status;
  server_.emplace([&](RawServer::Peer& peer, const FakeRequest& request) {
    if (request.method == "PATCH") return peer.Answer("{}");
    const int code = std::stoi(status);
    return peer.Answer(StatusJson(code, code == 403 ? "Forbidden" : "NotFound", "no"), status);
  });
  ApiClientOptions client;
  client.first_backoff = milliseconds(1);
  api_.emplace(loop_.io(), server_->Config(), client);
  events_.emplace(loop_.io(), *api_, EventRecorderOptions{});
  writer_.emplace(*api_, *events_);
  const auto evict = [&](const std::string& answer) {
    status = answer;
    std::promise<Result<void>> done;
    writer_->Evict(pod_, "m", [&](Result<void> result) { done.set_value(result); });
    return done.get_future().get().error().code();
  };
  EXPECT_EQ(evict("404 Not Found"), ErrorCode::kNotFound);
  EXPECT_EQ(evict("409 Conflict"), ErrorCode::kNotFound) << "made again under its name";
  EXPECT_EQ(evict("403 Forbidden"), ErrorCode::kPermissionDenied);
}

TEST_F(ApiClusterWriterTest, WritesAndClearsTheNominatedNode) {
  std::promise<void> both;
  server_.emplace([&](RawServer::Peer& peer, const FakeRequest& request) {
    const std::lock_guard lock(mutex_);
    bodies_.push_back(request.body);
    if (bodies_.size() == 2) both.set_value();
    return peer.Answer("{}");
  });
  api_.emplace(loop_.io(), server_->Config());
  events_.emplace(loop_.io(), *api_, EventRecorderOptions{});
  writer_.emplace(*api_, *events_);
  writer_->SetNominatedNode(*pod_, "n1");
  writer_->SetNominatedNode(*pod_, "");
  both.get_future().wait();
  std::sort(bodies_.begin(), bodies_.end());
  EXPECT_THAT(bodies_[0], HasSubstr(R"("status":{"nominatedNodeName":"n1"})"));
  EXPECT_THAT(bodies_[1], HasSubstr(R"("status":{"nominatedNodeName":null})"));
}

}  // namespace
}  // namespace leadline
