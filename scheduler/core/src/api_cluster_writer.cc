#include "leadline/core/api_cluster_writer.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <boost/json.hpp>

namespace leadline {
namespace {

// A Binding is posted at most twice, and only ever for the same node.
constexpr int kMaxPosts = 2;
// Reading the Pod after an unclear outcome: long enough for an API server that restarts.
constexpr int kReadAttempts = 12;

std::string PodPath(const Pod& pod, std::string_view subresource = {}) {
  return ApiPath("/api/v1", pod.metadata.namespace_name, "pods", pod.metadata.name, subresource);
}

// One Pod on its way to its node; lives until the outcome is certain.
class Binding : public std::enable_shared_from_this<Binding> {
 public:
  using Done = std::function<void(Result<void>)>;
  Binding(ApiClient& api, std::shared_ptr<const Pod> pod, std::string node, Done done)
      : api_(api), pod_(std::move(pod)), node_(std::move(node)), done_(std::move(done)) {}

  void Post() {
    ++posts_;
    const ObjectMeta& meta = pod_->metadata;
    api_.Bind(meta.namespace_name, meta.name, meta.uid, node_,
              [self = shared_from_this()](const ApiResult<ApiResponse>& answer) {
                if (answer) return self->done_({});
                const ApiError& error = answer.error();
                const bool unclear = error.OutcomeUnknown() || error.code == ErrorCode::kConflict;
                if (!unclear) return self->done_(error.ToError());
                self->Read(error.ToError());
              });
  }

 private:
  // Whether it is bound after all, by us or by somebody else.
  void Read(const Error& why) {
    ApiRequest request;
    request.path = PodPath(*pod_);
    request.max_attempts = kReadAttempts;
    api_.Send(std::move(request),
              [self = shared_from_this(), why](const ApiResult<ApiResponse>& answer) {
                if (!answer)
                  return self->done_(answer.error().ToError().WithContext(why.message()));
                self->Judge(ParsePod(answer->body), why);
              });
  }

  void Judge(const Result<Pod>& now, const Error& why) {
    if (!now) return done_(now.error());
    if (now->metadata.uid != pod_->metadata.uid) {
      return done_(Error(ErrorCode::kNotFound, "the Pod was deleted and made again"));
    }
    if (now->spec.node_name == node_) return done_({});
    if (!now->spec.node_name.empty()) {
      return done_(Error(ErrorCode::kConflict,
                         fmt::format("the Pod is on {} already", now->spec.node_name)));
    }
    if (posts_ < kMaxPosts) return Post();
    done_(why);
  }

  ApiClient& api_;
  const std::shared_ptr<const Pod> pod_;
  const std::string node_;
  const Done done_;
  int posts_ = 0;
};

}  // namespace

void ApiClusterWriter::Bind(std::shared_ptr<const Pod> pod, const std::string& node,
                            std::function<void(Result<void>)> done) {
  std::make_shared<Binding>(api_, std::move(pod), node, std::move(done))->Post();
}

void ApiClusterWriter::RecordEvent(const Pod& pod, const PodEvent& told) {
  Event event;
  event.regarding = ReferenceTo(pod);
  event.warning = told.warning;
  event.reason = told.reason;
  event.action = told.action;
  event.note = told.note;
  events_.Record(std::move(event));
}

void ApiClusterWriter::SetUnscheduled(const Pod& pod, const std::string& reason,
                                      const std::string& message) {
  namespace json = boost::json;
  const std::string now = FormatRfc3339(Clock::Real().Now());
  const PodCondition* before = pod.FindCondition("PodScheduled");
  const bool was = before != nullptr && before->status == "False";
  json::object condition = {{"type", "PodScheduled"},
                            {"status", "False"},
                            {"reason", reason},
                            {"message", message},
                            {"lastProbeTime", nullptr}};
  condition["lastTransitionTime"] = was ? FormatRfc3339(before->last_transition) : now;
  // The UID keeps a Pod that was made again under this name out of it.
  const json::object body = {{"metadata", {{"uid", pod.metadata.uid}}},
                             {"status", {{"conditions", json::array{std::move(condition)}}}}};
  api_.Patch(PodPath(pod, "status"), PatchType::kStrategicMerge, json::serialize(body),
             [key = pod.metadata.Key()](const ApiResult<ApiResponse>& answer) {
               if (answer || answer.error().code == ErrorCode::kNotFound) return;
               spdlog::warn("condition of {}: {}", key, answer.error().message);
             });
}

}  // namespace leadline
