#include "leadline/core/api_cluster_writer.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <spdlog/spdlog.h>

#include "api_binder.h"

namespace leadline {
namespace {

namespace json = boost::json;

// The UID keeps a Pod that was made again under the name from getting it.
std::string StatusPatch(const Pod& pod, json::object status) {
  return json::serialize(json::object{{"metadata", json::object{{"uid", pod.metadata.uid}}},
                                      {"status", std::move(status)}});
}

// A strategic merge: conditions of other types are left alone.
json::object ConditionPatch(const Pod& pod, const PodCondition& wanted) {
  const PodCondition* said = pod.FindCondition(wanted.type);
  const bool already = said != nullptr && said->status == wanted.status;
  const SystemTime since = already ? said->last_transition : Clock::Real().Now();
  const json::object condition{{"type", wanted.type},
                               {"status", wanted.status},
                               {"reason", wanted.reason},
                               {"message", wanted.message},
                               {"lastTransitionTime", FormatRfc3339(since)}};
  return json::object{{"conditions", json::array{condition}}};
}

std::string PathOf(const Pod& pod, std::string_view subresource = {}) {
  const ObjectMeta& metadata = pod.metadata;
  return ApiPath("/api/v1", metadata.namespace_name, "pods", metadata.name, subresource);
}

// Gone, or made again under the name: nobody is left to be told.
bool Gone(const ApiError& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kConflict;
}

ApiClient::Handler WarnOfFailure(const Pod& pod, std::string what) {
  return [key = pod.metadata.Key(), what = std::move(what)](const auto& result) {
    // Cancelled: not ours to tell any more.
    if (result || Gone(result.error()) || result.error().code == ErrorCode::kCancelled) return;
    spdlog::warn("{}: writing its {}: {}", key, what, result.error().message);
  };
}

Result<void> Evicted(const ApiResult<ApiResponse>& result) {
  if (result) return {};
  const ApiError error = result.error();
  return Error(Gone(error) ? ErrorCode::kNotFound : error.code, error.message);
}

}  // namespace

ApiClusterWriter::ApiClusterWriter(ApiClient& api, EventRecorder& events, std::size_t max_in_flight)
    : binder_(std::make_shared<Binder>(api, max_in_flight)), api_(api), events_(events) {}

ApiClusterWriter::~ApiClusterWriter() = default;

void ApiClusterWriter::Bind(std::shared_ptr<const Pod> pod, const std::string& node,
                            std::function<void(Result<void>)> done) {
  binder_->Submit(std::move(pod), node, std::move(done));
}

void ApiClusterWriter::RecordEvent(const Pod& pod, const PodEvent& event) {
  events_.Record(
      {.regarding = ReferenceTo(pod),
       .related = event.related ? std::optional(ReferenceTo(*event.related)) : std::nullopt,
       .warning = event.warning,
       .reason = event.reason,
       .action = event.action,
       .note = event.note});
}

void ApiClusterWriter::SetUnscheduled(const Pod& pod, const std::string& reason,
                                      const std::string& message) {
  const PodCondition condition{"PodScheduled", "False", reason, message, {}};
  api_.Patch(PathOf(pod, "status"), PatchType::kStrategicMerge,
             StatusPatch(pod, ConditionPatch(pod, condition)),
             WarnOfFailure(pod, "PodScheduled condition"));
}

void ApiClusterWriter::SetNominatedNode(const Pod& pod, const std::string& node) {
  json::object status;
  status["nominatedNodeName"] = node.empty() ? json::value() : json::value(node);  // null clears
  api_.Patch(PathOf(pod, "status"), PatchType::kStrategicMerge, StatusPatch(pod, std::move(status)),
             WarnOfFailure(pod, "nominated node"));
}

void ApiClusterWriter::Evict(std::shared_ptr<const Pod> pod, const std::string& message,
                             std::function<void(Result<void>)> done) {
  const PodCondition condition{"DisruptionTarget", "True", "PreemptionByScheduler", message, {}};
  const auto remove = [this, pod, done = std::move(done)](const ApiResult<ApiResponse>& patched) {
    if (!patched) return done(Evicted(patched));
    api_.Delete(PathOf(*pod), pod->metadata.uid,
                [done](const ApiResult<ApiResponse>& deleted) { done(Evicted(deleted)); });
  };
  api_.Patch(PathOf(*pod, "status"), PatchType::kStrategicMerge,
             StatusPatch(*pod, ConditionPatch(*pod, condition)), remove);
}

}  // namespace leadline
