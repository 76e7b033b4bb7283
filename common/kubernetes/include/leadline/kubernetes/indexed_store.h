// A Store whose objects can also be asked for by one of their fields.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace leadline {

// As Store, with `field` (a std::string of T) as a second key, which many objects may share. Each
// call costs what it gives back, not the size of the store. Thread-safe.
template <typename T, std::string T::*field>
class IndexedStore {
 public:
  using Pointer = std::shared_ptr<const T>;

  Pointer Get(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(key);
    return found == objects_.end() ? nullptr : found->second;
  }
  // Those whose field has this value, in no order.
  std::vector<Pointer> On(const std::string& value) const {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(value);
    return found == index_.end() ? std::vector<Pointer>() : found->second;
  }
  std::size_t CountOn(const std::string& value) const {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(value);
    return found == index_.end() ? 0 : found->second.size();
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return objects_.size();
  }

  void Put(Pointer object) {
    const std::lock_guard lock(mutex_);
    Pointer& place = objects_[object->metadata.Key()];
    if (place != nullptr) Unlink(place);
    index_[(*object).*field].push_back(object);
    place = std::move(object);
  }
  void Erase(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(key);
    if (found == objects_.end()) return;
    Unlink(found->second);
    objects_.erase(found);
  }

 private:
  void Unlink(const Pointer& object) {
    const auto bucket = index_.find((*object).*field);
    std::erase(bucket->second, object);
    if (bucket->second.empty()) index_.erase(bucket);
  }

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Pointer> objects_;             // by mutex_
  std::unordered_map<std::string, std::vector<Pointer>> index_;  // by mutex_
};

}  // namespace leadline
