// Objects as they will be once the API server has heard of our decisions.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "leadline/base/result.h"

namespace leadline {

// Over a store of T (anything with Get(key)): an assumed object stands for the stored one as long
// as that has the same resourceVersion; what the watch brings always wins. Thread-safe.
template <typename T, typename Stored>
class AssumeCache {
 public:
  using Pointer = std::shared_ptr<const T>;

  // `store` must outlive it.
  explicit AssumeCache(const Stored& store) : store_(store) {}

  // Null when there is none.
  Pointer Get(const std::string& key) const { return Over(store_.Get(key)); }
  // What is to be seen in place of a stored object.
  Pointer Over(Pointer stored) const {
    if (stored == nullptr) return stored;
    const std::lock_guard lock(mutex_);
    if (assumed_.empty()) return stored;
    const auto found = assumed_.find(stored->metadata.Key());
    return found != assumed_.end() && SameVersion(*found->second, *stored) ? found->second
                                                                           : std::move(stored);
  }

  // kConflict unless `object` was made of what is stored now.
  Result<void> Assume(Pointer object) {
    std::string key = object->metadata.Key();
    const Pointer stored = store_.Get(key);
    if (stored == nullptr) return Error(ErrorCode::kNotFound, fmt::format("\"{}\" not found", key));
    if (!SameVersion(*stored, *object)) {
      return Error(ErrorCode::kConflict, fmt::format("\"{}\" is out of sync (stored: {}, assume: "
                                                     "{})",
                                                     key, stored->metadata.resource_version,
                                                     object->metadata.resource_version));
    }
    const std::lock_guard lock(mutex_);
    assumed_[std::move(key)] = std::move(object);
    return {};
  }
  // Unless it has been assumed in another version since.
  void Restore(const T& object) {
    const std::lock_guard lock(mutex_);
    const auto found = assumed_.find(object.metadata.Key());
    if (found != assumed_.end() && SameVersion(*found->second, object)) assumed_.erase(found);
  }
  // Forgets what the watch has overtaken; saves memory only.
  void Prune() {
    const std::lock_guard lock(mutex_);
    std::erase_if(assumed_, [this](const auto& entry) {
      const Pointer stored = store_.Get(entry.first);
      return stored == nullptr || !SameVersion(*stored, *entry.second);
    });
  }

 private:
  static bool SameVersion(const T& a, const T& b) {
    return a.metadata.resource_version == b.metadata.resource_version &&
           a.metadata.uid == b.metadata.uid;
  }

  const Stored& store_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Pointer> assumed_;  // by mutex_
};

}  // namespace leadline
