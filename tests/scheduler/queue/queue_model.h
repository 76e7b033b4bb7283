// What the queue should do, told as simply as possible: one list of Pods, looked through each time.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "queue_fixture.h"

namespace leadline {

class QueueModel {
 public:
  explicit QueueModel(const Clock& clock) : clock_(clock) {}

  void Set(const std::shared_ptr<const Pod>& pod) {
    const auto [found, added] = pods_.try_emplace(pod->metadata.uid);
    One& one = found->second;
    const auto before = std::exchange(one.pod, pod);
    if (added) {
      one.queued_at = Now();
      return Admit(one);
    }
    if (one.place == Place::kInFlight) {
      one.changed = true;
    } else if (one.Parked() && Helped(one, OfItself(before, pod))) {
      Admit(one);
    }
  }
  void Remove(const std::string& uid) { pods_.erase(uid); }

  // The UID; empty: none.
  std::string Pop() {
    Flush();
    One* best = nullptr;
    for (auto& [uid, one] : pods_) {
      if (one.place == Place::kActive && (best == nullptr || Before(one, *best))) best = &one;
    }
    if (best == nullptr) {
      const auto earlier = [](const One& a, const One& b) {
        return a.backoff_end != b.backoff_end ? a.backoff_end < b.backoff_end : Before(a, b);
      };
      for (auto& [uid, one] : pods_) {
        if (one.place != Place::kBackoff || one.plugins.empty()) continue;
        if (best == nullptr || earlier(one, *best)) best = &one;
      }
    }
    if (best == nullptr) return "";
    best->place = Place::kInFlight;
    best->popped = best->pod;
    best->missed.clear();
    return best->pod->metadata.uid;
  }
  void Done(const std::string& uid) { pods_.erase(uid); }

  void Fail(const std::string& uid, const std::set<std::string>& plugins, bool deferred) {
    One& one = pods_.at(uid);
    one.plugins = plugins;
    one.queued_at = Now();
    if (!deferred) one.errors = plugins.empty() ? one.errors + 1 : 0;
    const int failures = deferred          ? ++one.deferrals
                         : plugins.empty() ? one.errors
                                           : ++one.rejections;
    const int seconds = failures > 4 ? 10 : 1 << (failures - 1);
    // The end of the whole second in which it would end.
    const auto end = Now() + std::chrono::seconds(seconds);
    one.backoff_end = std::chrono::floor<std::chrono::seconds>(end) + std::chrono::seconds(1);
    bool again = plugins.empty() || std::exchange(one.activated, false);
    if (std::exchange(one.changed, false) && Helped(one, OfItself(one.popped, one.pod))) {
      again = true;
    }
    for (const auto& [change, audience] : one.missed) {
      again = again || (audience.Includes(*one.pod) && Helped(one, change));
    }
    one.activated = false;
    if (again) return Admit(one);
    one.place = Place::kUnschedulable;
    one.parked_at = Now();
  }

  void OnEvent(const ClusterChange& change, const Audience& audience) {
    for (auto& [uid, one] : pods_) {
      if (one.place == Place::kInFlight) one.missed.emplace_back(change, audience);
      if (one.Parked() && audience.Includes(*one.pod) && Helped(one, change)) Admit(one);
    }
  }

  void Activate(const std::string& uid) {
    const auto found = pods_.find(uid);
    if (found == pods_.end()) return;
    One& one = found->second;
    if (one.place == Place::kInFlight) {
      one.activated = true;
    } else if (one.place == Place::kBackoff) {
      one.place = Place::kActive;
    } else if (one.Parked()) {
      Admit(one);
      if (one.place == Place::kBackoff) one.place = Place::kActive;
    }
  }

  void Flush() {
    for (auto& [uid, one] : pods_) {
      if (one.place == Place::kBackoff && one.backoff_end <= Now()) one.place = Place::kActive;
    }
    if (Now() < next_sweep_) return;
    next_sweep_ = Now() + std::chrono::seconds(30);
    for (auto& [uid, one] : pods_) {
      if (one.Parked() && Now() - one.parked_at >= std::chrono::minutes(5)) Admit(one);
    }
  }

  // As QueueFixture::Sizes.
  std::string Sizes() const {
    std::map<Place, int> count;
    for (const auto& [uid, one] : pods_) ++count[one.place];
    std::string text;
    for (Place place : {Place::kActive, Place::kBackoff, Place::kUnschedulable, Place::kGated,
                        Place::kInFlight}) {
      text += (text.empty() ? "" : "/") + std::to_string(count[place]);
    }
    return text;
  }

 private:
  enum class Place { kActive, kBackoff, kUnschedulable, kGated, kInFlight };
  struct One {
    std::shared_ptr<const Pod> pod, popped;
    Place place = Place::kActive;
    std::set<std::string> plugins;
    SteadyTime queued_at{}, backoff_end{}, parked_at{};
    int errors = 0, rejections = 0, deferrals = 0;
    std::vector<std::pair<ClusterChange, Audience>> missed;
    bool changed = false, activated = false;

    bool Parked() const { return place == Place::kUnschedulable || place == Place::kGated; }
  };

  SteadyTime Now() const { return clock_.SteadyNow(); }
  static bool Before(const One& a, const One& b) {
    const auto key = [](const One& one) {
      return std::tuple(-one.pod->Priority(), one.queued_at, one.pod->metadata.uid);
    };
    return key(a) < key(b);
  }
  static ClusterChange OfItself(std::shared_ptr<const Pod> old, std::shared_ptr<const Pod> now) {
    ClusterChange change{ClusterEvent::kUnscheduledPodUpdate};
    change.old_pod = std::move(old);
    change.pod = std::move(now);
    return change;
  }
  static bool Helped(const One& one, const ClusterChange& change) {
    static const SchedulingQueueHooks hooks = TestHooks();
    return std::any_of(one.plugins.begin(), one.plugins.end(), [&](const std::string& plugin) {
      const PluginHints hints = hooks.hints_of("", plugin);
      return hints.events.test(static_cast<std::size_t>(change.event)) &&
             hints.helps(*one.pod, change);
    });
  }
  void Admit(One& one) {
    if (!one.pod->spec.scheduling_gates.empty()) {
      one.place = Place::kGated;
      one.plugins = {"Gates"};
      one.parked_at = Now();
    } else {
      one.place = one.backoff_end > Now() ? Place::kBackoff : Place::kActive;
    }
  }

  const Clock& clock_;
  std::map<std::string, One> pods_;
  SteadyTime next_sweep_{};
};

}  // namespace leadline
