#include "api_binder.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace leadline {
namespace {

constexpr int kMaxPosts = 2;

}  // namespace

void ApiClusterWriter::Binder::Submit(std::shared_ptr<const Pod> pod, const std::string& node,
                                      std::function<void(Result<void>)> done) {
  const auto binding =
      std::make_shared<Binding>(Binding{std::move(pod), node, std::move(done), 0, Error()});
  {
    const std::lock_guard lock(mutex_);
    if (in_flight_ >= max_in_flight_) return waiting_.push_back(binding);
    ++in_flight_;
  }
  Post(binding);
}

void ApiClusterWriter::Binder::Post(const BindingPtr& binding) {
  ++binding->posts;
  const ObjectMeta& pod = binding->pod->metadata;
  api_.Bind(pod.namespace_name, pod.name, pod.uid, binding->node,
            [self = shared_from_this(), binding](const ApiResult<ApiResponse>& result) {
              self->OnPosted(binding, result);
            });
}

void ApiClusterWriter::Binder::OnPosted(const BindingPtr& binding,
                                        const ApiResult<ApiResponse>& result) {
  if (result) return Finish(binding, {});
  const ApiError error = result.error();
  binding->refusal = error.ToError();
  const bool unclear = error.OutcomeUnknown() || error.code == ErrorCode::kConflict;
  if (error.code == ErrorCode::kCancelled || !unclear) return Finish(binding, binding->refusal);
  Look(binding);
}

void ApiClusterWriter::Binder::Look(const BindingPtr& binding) {
  const ObjectMeta& pod = binding->pod->metadata;
  api_.Get(ApiPath("/api/v1", pod.namespace_name, "pods", pod.name),
           [self = shared_from_this(), binding](const ApiResult<ApiResponse>& result) {
             self->OnLooked(binding, result);
           });
}

void ApiClusterWriter::Binder::OnLooked(const BindingPtr& binding,
                                        const ApiResult<ApiResponse>& result) {
  if (result) {
    const Result<Pod> seen = ParsePod(result->body);
    if (seen) return Judge(binding, *seen);
    return Finish(binding, seen.error().WithContext("looking at a Pod after an unclear binding"));
  }
  const ApiError error = result.error();
  if (!error.OutcomeUnknown() || error.code == ErrorCode::kCancelled) {
    return Finish(binding, error.ToError());
  }
  // The client has tried for a while already. It must be known before another node is tried.
  spdlog::warn("{}: whether it was bound to {} is not known yet: {}", binding->pod->metadata.Key(),
               binding->node, error.message);
  Look(binding);
}

void ApiClusterWriter::Binder::Judge(const BindingPtr& binding, const Pod& seen) {
  const std::string& node = seen.spec.node_name;
  if (seen.metadata.uid != binding->pod->metadata.uid) {
    return Finish(binding, Error(ErrorCode::kNotFound, "the Pod was deleted and made again"));
  }
  if (node == binding->node) return Finish(binding, {});
  if (!node.empty()) {
    return Finish(binding, Error(ErrorCode::kConflict, fmt::format("the Pod is on {}", node)));
  }
  if (binding->posts < kMaxPosts) return Post(binding);
  // Not a conflict any more: it is on no node.
  Finish(binding, Error(ErrorCode::kInternal, std::string(binding->refusal.message())));
}

void ApiClusterWriter::Binder::Finish(const BindingPtr& binding, Result<void> result) {
  BindingPtr next;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) {
      --in_flight_;
    } else {
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
  }
  if (next) Post(next);
  binding->done(std::move(result));
}

}  // namespace leadline
