// The life of each Binding on its way to the API server.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "leadline/core/api_cluster_writer.h"

namespace leadline {

class ApiClusterWriter::Binder : public std::enable_shared_from_this<Binder> {
 public:
  Binder(ApiClient& api, std::size_t max_in_flight) : api_(api), max_in_flight_(max_in_flight) {}

  void Submit(std::shared_ptr<const Pod> pod, const std::string& node,
              std::function<void(Result<void>)> done);

 private:
  struct Binding {
    std::shared_ptr<const Pod> pod;
    std::string node;
    std::function<void(Result<void>)> done;
    int posts = 0;
    Error refusal;  // what the last post was answered
  };
  using BindingPtr = std::shared_ptr<Binding>;

  void Post(const BindingPtr& binding);
  void OnPosted(const BindingPtr& binding, const ApiResult<ApiResponse>& result);
  void Look(const BindingPtr& binding);
  void OnLooked(const BindingPtr& binding, const ApiResult<ApiResponse>& result);
  void Judge(const BindingPtr& binding, const Pod& seen);
  void Finish(const BindingPtr& binding, Result<void> result);

  ApiClient& api_;
  const std::size_t max_in_flight_;
  std::mutex mutex_;
  std::deque<BindingPtr> waiting_;  // both by mutex_
  std::size_t in_flight_ = 0;
};

}  // namespace leadline
