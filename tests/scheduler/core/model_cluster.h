// An API server and its watches without threads: what it says arrives when the test wants.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leadline/core/cluster_writer.h"
#include "leadline/core/scheduler.h"

namespace leadline {

class ModelCluster : public ClusterWriter {
 public:
  using Pods = std::map<std::string, std::shared_ptr<const Pod>>;    // by UID
  using Nodes = std::map<std::string, std::shared_ptr<const Node>>;  // by name

  void set_scheduler(Scheduler* scheduler) { scheduler_ = scheduler; }

  // The truth, and the Pods as the scheduler was told of them.
  const Pods& pods() const { return pods_; }
  const Nodes& nodes() const { return nodes_; }
  const Pods& told_pods() const { return told_; }

  // Null deletes.
  void PutPod(const std::string& uid, std::shared_ptr<const Pod> pod) {
    const auto old = Swap(pods_, uid, pod);
    if (old == nullptr && pod == nullptr) return;
    pod_events_.push_back([this, uid, old, pod] {
      Swap(told_, uid, pod);
      if (pod == nullptr) return scheduler_->OnPodDelete(old);
      if (old == nullptr) return scheduler_->OnPodAdd(pod);
      scheduler_->OnPodUpdate(old, pod);
    });
  }
  void PutNode(const std::string& name, std::shared_ptr<const Node> node) {
    const auto old = Swap(nodes_, name, node);
    if (old == nullptr && node == nullptr) return;
    node_events_.push_back([this, old, node] {
      if (node == nullptr) return scheduler_->OnNodeDelete(old);
      if (old == nullptr) return scheduler_->OnNodeAdd(node);
      scheduler_->OnNodeUpdate(old, node);
    });
  }
  void ChangePod(const std::string& uid, const std::function<void(Pod&)>& change) {
    auto changed = std::make_shared<Pod>(*pods_.at(uid));
    change(*changed);
    PutPod(uid, std::move(changed));
  }
  void ChangeNode(const std::string& name, const std::function<void(Node&)>& change) {
    auto changed = std::make_shared<Node>(*nodes_.at(name));
    change(*changed);
    PutNode(name, std::move(changed));
  }

  // The next thing that the watch of Pods, or that of nodes, says. False: there is none.
  bool TellPods() { return TellNext(pod_events_); }
  bool TellNodes() { return TellNext(node_events_); }

  struct Binding {
    std::shared_ptr<const Pod> pod;
    std::string node;
    std::function<void(Result<void>)> done;
  };
  // Bindings that wait for their answer.
  std::vector<Binding> bindings;
  // How often a Pod was to be bound that had been already, by the scheduler itself.
  int bound_twice = 0;

  // Carries out one, unless that is impossible or it is to `fail`.
  void Answer(std::size_t index, bool fail) {
    const Binding binding = std::move(bindings[index]);
    bindings.erase(bindings.begin() + static_cast<std::ptrdiff_t>(index));
    const std::string& uid = binding.pod->metadata.uid;
    const auto found = pods_.find(uid);
    if (found == pods_.end()) return binding.done(Error(ErrorCode::kNotFound, "not found"));
    if (found->second->metadata.deleting || !found->second->spec.node_name.empty()) {
      if (ours_.contains(uid)) ++bound_twice;
      return binding.done(Error(ErrorCode::kConflict, "it is being deleted, or on a node"));
    }
    if (fail) return binding.done(Error(ErrorCode::kInternal, "etcd is slow today"));
    ours_[uid] = binding.node;
    ChangePod(uid, [&](Pod& pod) { pod.spec.node_name = binding.node; });
    binding.done({});
  }

  struct Eviction {
    std::shared_ptr<const Pod> pod;
    std::function<void(Result<void>)> done;
  };
  // Evictions that wait for their answer.
  std::vector<Eviction> evictions;

  // The oldest eviction; a Pod that is evicted is `slow` to end, or gone at once.
  void AnswerEviction(bool fail, bool slow) {
    const Eviction eviction = std::move(evictions.front());
    evictions.erase(evictions.begin());
    const std::string& uid = eviction.pod->metadata.uid;
    if (fail) return eviction.done(Error(ErrorCode::kInternal, "etcd is slow today"));
    if (!pods_.contains(uid)) return eviction.done(Error(ErrorCode::kNotFound, "not found"));
    if (slow) {
      ChangePod(uid, [](Pod& pod) {
        pod.metadata.deleting = true;
        pod.status.conditions = {{"DisruptionTarget", "True", "PreemptionByScheduler", "", {}}};
      });
    } else {
      PutPod(uid, nullptr);
    }
    eviction.done({});
  }

  void Bind(std::shared_ptr<const Pod> pod, const std::string& node,
            std::function<void(Result<void>)> done) override {
    bindings.push_back({std::move(pod), node, std::move(done)});
  }
  void RecordEvent(const Pod&, const PodEvent&) override {}
  void SetUnscheduled(const Pod& pod, const std::string& reason,
                      const std::string& message) override {
    if (!pods_.contains(pod.metadata.uid)) return;
    ChangePod(pod.metadata.uid, [&](Pod& changed) {
      changed.status.conditions = {{"PodScheduled", "False", reason, message, {}}};
    });
  }
  void SetNominatedNode(const Pod& pod, const std::string& node) override {
    if (!pods_.contains(pod.metadata.uid)) return;
    ChangePod(pod.metadata.uid, [&](Pod& changed) { changed.status.nominated_node_name = node; });
  }
  void Evict(std::shared_ptr<const Pod> pod, const std::string&,
             std::function<void(Result<void>)> done) override {
    evictions.push_back({std::move(pod), std::move(done)});
  }

 private:
  using Events = std::deque<std::function<void()>>;

  template <typename Map, typename Object>
  static Object Swap(Map& map, const std::string& key, const Object& object) {
    const auto found = map.find(key);
    const Object old = found == map.end() ? nullptr : found->second;
    if (object != nullptr) {
      map[key] = object;
    } else if (found != map.end()) {
      map.erase(found);
    }
    return old;
  }
  static bool TellNext(Events& events) {
    if (events.empty()) return false;
    const auto next = std::move(events.front());
    events.pop_front();
    next();
    return true;
  }

  Scheduler* scheduler_ = nullptr;
  Pods pods_, told_;
  Nodes nodes_;
  Events pod_events_, node_events_;
  std::map<std::string, std::string> ours_;  // bound by us, and where
};

}  // namespace leadline
