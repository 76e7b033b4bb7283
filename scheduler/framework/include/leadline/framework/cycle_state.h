// What the plugins of one cycle tell one another.
#pragma once

#include <any>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "leadline/framework/decision.h"
#include "leadline/framework/snapshot.h"

namespace leadline {

// Lives for one scheduling and binding cycle of one Pod. Written by one thread at a time. A copy is
// another world: what is written into it leaves the original as it was. Thousands of bindings may
// be under way in a large cluster, so what grows with the cluster ends with the scheduling cycle.
class CycleState {
 public:
  CycleState(std::string decision_id, const Snapshot& snapshot, int deferrals)
      : decision_id_(std::move(decision_id)), snapshot_(&snapshot), deferrals_(deferrals) {}

  const std::string& decision_id() const { return decision_id_; }
  // Valid during the scheduling cycle only (not in binding).
  const Snapshot& snapshot() const { return *snapshot_; }
  // How often this Pod has been deferred already.
  int deferrals() const { return deferrals_; }

  // Until the scheduling cycle ends.
  template <typename T>
  void Write(std::string_view key, T value) {
    entries_.insert_or_assign(std::string(key), Entry{std::any(std::move(value)), false});
  }
  // Until the binding cycle ends, for Unreserve, PreBind, Bind and PostBind.
  template <typename T>
  void WriteForBinding(std::string_view key, T value) {
    entries_.insert_or_assign(std::string(key), Entry{std::any(std::move(value)), true});
  }
  // Null when the key is absent or holds another type.
  template <typename T>
  const T* Read(std::string_view key) const {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : std::any_cast<T>(&found->second.value);
  }

  template <typename T>
  T* Mutable(std::string_view key) {
    return const_cast<T*>(std::as_const(*this).template Read<T>(key));
  }

  // Between Permit and PreBind.
  void EndScheduling() {
    snapshot_ = nullptr;
    std::erase_if(entries_, [](const auto& entry) { return !entry.second.for_binding; });
    learned.reset();
  }

  // Filled by a policy that learns; moves into the Decision.
  std::optional<LearnedDecision> learned;
  // Whether each plugin's time is taken in this cycle; costs too much to do it in all.
  bool sampled = false;
  // Plugins whose Filter has nothing to say in this cycle, by their PreFilter.
  std::set<std::string, std::less<>> skipped_filters;

 private:
  struct Entry {
    std::any value;
    bool for_binding;
  };

  std::string decision_id_;
  const Snapshot* snapshot_;
  int deferrals_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace leadline
