// Objects of one kind by "namespace/name".
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "leadline/base/error.h"

namespace leadline {

// Thread-safe. The objects never change; a newer state is another object.
template <typename T>
class Store {
 public:
  using Pointer = std::shared_ptr<const T>;

  // Null when there is none.
  Pointer Get(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(key);
    return found == objects_.end() ? nullptr : found->second;
  }
  std::vector<Pointer> List() const {
    const std::lock_guard lock(mutex_);
    std::vector<Pointer> out;
    out.reserve(objects_.size());
    for (const auto& [key, object] : objects_) out.push_back(object);
    return out;
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return objects_.size();
  }

  void Put(Pointer object) {
    const std::lock_guard lock(mutex_);
    std::string key = object->metadata.Key();
    objects_[std::move(key)] = std::move(object);
  }
  void Erase(const std::string& key) {
    const std::lock_guard lock(mutex_);
    objects_.erase(key);
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Pointer> objects_;  // by mutex_
};

// "pods: default/a cannot be read: ..." as a warning.
void LogUnreadable(const std::string& path, std::string_view json, const Error& error);

}  // namespace leadline
