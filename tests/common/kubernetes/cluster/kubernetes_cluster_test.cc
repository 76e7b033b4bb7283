// The client against a real API server: $LEADLINE_TEST_KUBECONFIG names one that may be filled.
#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <optional>

#include "common/http/io_thread.h"
#include "leadline/kubernetes/event_recorder.h"
#include "leadline/kubernetes/informer.h"
#include "leadline/kubernetes/node.h"
#include "leadline/kubernetes/pod.h"

namespace leadline {
namespace {

using ::testing::HasSubstr;

constexpr char kPods[] = "/api/v1/namespaces/default/pods";

int OpenSockets() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code code;
    const auto target = std::filesystem::read_symlink(entry.path(), code);
    count += target.string().rfind("socket:", 0) == 0;
  }
  return count;
}

class KubernetesClusterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const file = std::getenv("LEADLINE_TEST_KUBECONFIG");
    if (file == nullptr) {
      GTEST_SKIP() << "LEADLINE_TEST_KUBECONFIG names no cluster";
    }
    auto config = LoadKubeconfig(file);
    ASSERT_TRUE(config) << config.error().message();
    config_ = *config;
    client_.emplace(loop_.io(), config_);
  }

  ApiResult<ApiResponse> Ask(const std::string& method, const std::string& path,
                             const std::string& body = "") {
    ApiRequest request;
    request.method = method;
    request.path = path;
    request.body = body;
    return client_->SendAndWait(request);
  }
  static std::string PodJson(const std::string& name) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
           R"("},"spec":{"schedulerName":"nobody","containers":[{"name":"c","image":"i"}]}})";
  }
  Pod CreatePod(const std::string& name) {
    const auto created = Ask("POST", kPods, PodJson(name));
    EXPECT_TRUE(created) << created.error().message;
    return ParsePod(created->body).value();
  }
  Pod ReadPod(const std::string& name) {
    return ParsePod(Ask("GET", kPods + ("/" + name))->body).value();
  }
  template <typename Condition>
  void Await(const std::string& what, Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_TRUE(condition()) << what;
  }

  ClientConfig config_;
  IoThread loop_;
  std::optional<ApiClient> client_;
};

TEST_F(KubernetesClusterTest, KeepsTheServersWords) {
  const auto missing = Ask("GET", kPods + std::string("/none"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().reason, "NotFound");
  EXPECT_EQ(missing.error().message, "pods \"none\" not found");
  const auto invalid = Ask("POST", kPods, R"({"metadata":{"name":"A B"}})");
  ASSERT_FALSE(invalid);
  EXPECT_EQ(invalid.error().code, ErrorCode::kInvalidArgument);
  ASSERT_TRUE(invalid.error().details);
  EXPECT_FALSE(invalid.error().details->causes.empty());
  config_.token = "wrong";
  client_.emplace(loop_.io(), config_);
  EXPECT_EQ(Ask("GET", kPods).error().code, ErrorCode::kPermissionDenied);
}

TEST_F(KubernetesClusterTest, BindsOnlyTheIncarnationThatWasMeant) {
  ASSERT_TRUE(Ask("POST", "/api/v1/nodes",
                  R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"bind-node"}})"));
  const Pod pod = CreatePod("bound");
  const auto bind = [&](const std::string& uid, const std::string& node) {
    std::promise<ApiResult<ApiResponse>> promise;
    client_->Bind("default", "bound", uid, node,
                  [&](ApiResult<ApiResponse> result) { promise.set_value(std::move(result)); });
    return promise.get_future().get();
  };
  const auto other = bind("00000000-0000-0000-0000-000000000000", "bind-node");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kConflict) << other.error().message;
  EXPECT_EQ(ReadPod("bound").spec.node_name, "");
  const auto good = bind(pod.metadata.uid, "bind-node");
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ(ReadPod("bound").spec.node_name, "bind-node");
  const auto again = bind(pod.metadata.uid, "bind-node");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kConflict);
  EXPECT_FALSE(again.error().OutcomeUnknown());
}

TEST_F(KubernetesClusterTest, PatchesThePodScheduledCondition) {
  CreatePod("patched");
  std::promise<ApiResult<ApiResponse>> promise;
  client_->Patch(ApiPath("/api/v1", "default", "pods", "patched", "status"),
                 PatchType::kStrategicMerge,
                 R"({"status":{"conditions":[{"type":"PodScheduled","status":"False",)"
                 R"("reason":"Unschedulable","message":"0/1 nodes"}]}})",
                 [&](ApiResult<ApiResponse> result) { promise.set_value(std::move(result)); });
  const auto result = promise.get_future().get();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(ReadPod("patched").FindCondition("PodScheduled")->message, "0/1 nodes");
}

TEST_F(KubernetesClusterTest, FollowsPodsThatComeChangeAndGo) {
  ReflectorOptions options;
  options.page_size = 3;
  for (int i = 0; i < 10; ++i) CreatePod("follow-" + std::to_string(i));
  std::atomic<int> added = 0;
  std::atomic<int> updated = 0;
  std::atomic<int> deleted = 0;
  InformerHandlers<Pod> handlers;
  handlers.on_add = [&](const auto&) { ++added; };
  handlers.on_update = [&](const auto&, const auto&) { ++updated; };
  handlers.on_delete = [&](const auto&) { ++deleted; };
  Informer<Pod> pods(loop_.io(), *client_, ListerWatcher(kPods, "", "spec.schedulerName=nobody"),
                     ParsePod, std::move(handlers), options);
  pods.Start();
  Await("a list", [&] { return pods.HasSynced(); });
  const int listed = added;
  EXPECT_GE(listed, 10);
  CreatePod("follow-new");
  Await("an add", [&] { return added == listed + 1; });
  EXPECT_NE(pods.store().Get("default/follow-new"), nullptr);
  client_->Patch(ApiPath("/api/v1", "default", "pods", "follow-0"), PatchType::kMerge,
                 R"({"metadata":{"labels":{"a":"b"}}})", [](ApiResult<ApiResponse>) {});
  Await("an update", [&] { return updated > 0; });
  const auto pod = pods.store().Get("default/follow-1");
  client_->Delete(ApiPath("/api/v1", "default", "pods", "follow-1"), pod->metadata.uid,
                  [](ApiResult<ApiResponse> result) { EXPECT_TRUE(result); });
  Await("a delete", [&] { return deleted > 0; });
  EXPECT_EQ(pods.store().Get("default/follow-1"), nullptr);
}

// 32 and more in flight share few connections (HTTP/2), and each gets its own answer.
TEST_F(KubernetesClusterTest, BindsManyAtOnce) {
  constexpr int kPodsAtOnce = 200;
  std::atomic<int> good = 0;
  std::atomic<int> done = 0;
  for (int i = 0; i < kPodsAtOnce; ++i) {
    client_->Create(kPods, PodJson("many-" + std::to_string(i)),
                    [&](ApiResult<ApiResponse> created) {
                      const auto pod = created ? ParsePod(created->body) : Error();
                      if (!pod) {
                        ++done;
                        return;
                      }
                      client_->Bind("default", pod->metadata.name, pod->metadata.uid, "bind-node",
                                    [&](ApiResult<ApiResponse> bound) {
                                      good += bound.has_value();
                                      ++done;
                                    });
                    });
  }
  Await("all bindings", [&] { return done == kPodsAtOnce; });
  EXPECT_EQ(good, kPodsAtOnce);
  // Without HTTP/2, up to 64 connections would have been kept.
  EXPECT_LT(OpenSockets(), 20);
}

TEST_F(KubernetesClusterTest, WritesEventsThatKubectlCanRead) {
  const Pod pod = CreatePod("eventful");
  EventRecorderOptions options;
  options.reporting_controller = "dqn-scheduler";
  options.reporting_instance = "dqn-scheduler-test";
  options.flush_interval = std::chrono::milliseconds(100);
  EventRecorder recorder(loop_.io(), *client_, options);
  Event event;
  event.regarding = ReferenceTo(pod);
  event.warning = true;
  event.reason = "FailedScheduling";
  event.action = "Scheduling";
  event.note = "0/1 nodes are available: " + std::string(2000, 'x');
  for (int i = 0; i < 5; ++i) recorder.Record(event);
  std::string events;
  Await("a series of five", [&] {
    ApiRequest request;
    request.path = "/api/v1/namespaces/default/events";
    request.query = {{"fieldSelector", "involvedObject.name=eventful"}};
    events = client_->SendAndWait(request)->body;
    return events.find("\"count\":5") != std::string::npos;
  });
  EXPECT_THAT(events, HasSubstr("\"name\":\"eventful."));
  EXPECT_EQ(recorder.counters().failed, 0u);
  EXPECT_EQ(recorder.counters().created, 1u);
}

}  // namespace
}  // namespace leadline
