#include "leadline/core/api_cluster_writer.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <spdlog/spdlog.h>

#include "api_binder.h"

namespace leadline {
namespace {

namespace json = boost::json;

// A strategic merge: conditions of other types are left alone. The UID keeps a Pod that was made
// again under the name from getting it.
std::string UnscheduledPatch(const Pod& pod, const std::string& reason,
                             const std::string& message) {
  const PodCondition* said = pod.FindCondition("PodScheduled");
  const bool already = said != nullptr && said->status == "False";
  const SystemTime since = already ? said->last_transition : Clock::Real().Now();
  const json::object condition{{"type", "PodScheduled"},
                               {"status", "False"},
                               {"reason", reason},
                               {"message", message},
                               {"lastTransitionTime", FormatRfc3339(since)}};
  return json::serialize(
      json::object{{"metadata", json::object{{"uid", pod.metadata.uid}}},
                   {"status", json::object{{"conditions", json::array{condition}}}}});
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
  events_.Record({.regarding = ReferenceTo(pod),
                  .related = {},
                  .warning = event.warning,
                  .reason = event.reason,
                  .action = event.action,
                  .note = event.note});
}

void ApiClusterWriter::SetUnscheduled(const Pod& pod, const std::string& reason,
                                      const std::string& message) {
  const ObjectMeta& metadata = pod.metadata;
  api_.Patch(ApiPath("/api/v1", metadata.namespace_name, "pods", metadata.name, "status"),
             PatchType::kStrategicMerge, UnscheduledPatch(pod, reason, message),
             [key = metadata.Key()](const ApiResult<ApiResponse>& result) {
               if (result) return;
               const ApiError error = result.error();
               // Gone, or made again: nobody is left to be told.
               if (error.code == ErrorCode::kNotFound || error.code == ErrorCode::kConflict) return;
               spdlog::warn("{}: writing its PodScheduled condition: {}", key, error.message);
             });
}

}  // namespace leadline
