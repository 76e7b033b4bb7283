#include "leadline/kubernetes/reflector.h"

namespace leadline {

ListerWatcher::ListerWatcher(std::string path, std::string label_selector,
                             std::string field_selector)
    : path_(std::move(path)),
      label_selector_(std::move(label_selector)),
      field_selector_(std::move(field_selector)) {}

ApiRequest ListerWatcher::Base() const {
  ApiRequest request;
  request.path = path_;
  request.max_attempts = 1;  // the reflector has its own backoff
  if (!label_selector_.empty()) request.query.emplace_back("labelSelector", label_selector_);
  if (!field_selector_.empty()) request.query.emplace_back("fieldSelector", field_selector_);
  return request;
}

ApiRequest ListerWatcher::List(int limit, const std::string& continue_token) const {
  ApiRequest request = Base();
  request.timeout = std::chrono::seconds(60);
  if (limit > 0) request.query.emplace_back("limit", std::to_string(limit));
  if (!continue_token.empty()) request.query.emplace_back("continue", continue_token);
  return request;
}

ApiRequest ListerWatcher::Watch(const std::string& resource_version,
                                std::chrono::seconds timeout) const {
  ApiRequest request = Base();
  request.query.emplace_back("watch", "true");
  request.query.emplace_back("allowWatchBookmarks", "true");
  request.query.emplace_back("resourceVersion", resource_version);
  request.query.emplace_back("timeoutSeconds", std::to_string(timeout.count()));
  request.timeout = std::chrono::milliseconds(0);
  return request;
}

}  // namespace leadline
