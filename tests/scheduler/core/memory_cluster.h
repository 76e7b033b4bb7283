// An API server in memory: objects, watch order, bindings that fail on demand.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <spdlog/spdlog.h>

#include "leadline/base/rng.h"
#include "leadline/core/default_binder.h"
#include "leadline/core/scheduler.h"
#include "leadline/plugins/registry.h"

namespace leadline {

inline std::shared_ptr<const Node> MakeNode(const std::string& name, int cpu, int pods = 110) {
  auto node = std::make_shared<Node>();
  node->metadata.name = name;
  node->allocatable = {{"cpu", Quantity::FromUnits(cpu)},
                       {"memory", Quantity::FromUnits(std::int64_t{64} << 30)},
                       {"pods", Quantity::FromUnits(pods)}};
  return node;
}

inline std::shared_ptr<Pod> MakePod(const std::string& name, int milli_cpu) {
  auto pod = std::make_shared<Pod>();
  pod->metadata.name = name;
  pod->metadata.namespace_name = "default";
  pod->metadata.uid = "uid-" + name;
  pod->spec.scheduler_name = "dqn-scheduler";
  Container container;
  container.name = "c";
  container.requests = {{"cpu", Quantity::FromMilli(milli_cpu)}};
  pod->spec.containers.push_back(container);
  return pod;
}

// One thread plays API server and watch, as the io thread does in the program: all informer
// callbacks and binding completions come from it.
class MemoryCluster : public ClusterWriter {
 public:
  MemoryCluster() : thread_([this] { Run(); }) {}
  ~MemoryCluster() override { Stop(); }
  void Stop() {
    if (!thread_.joinable()) return;
    Post([this] { stopping_ = true; });
    thread_.join();
  }

  void set_scheduler(Scheduler* scheduler) {
    PostAndWait([this, scheduler] { scheduler_ = scheduler; });
  }
  // Decides what becomes of a binding: empty, or the error. Called on the cluster's thread.
  std::function<std::string(const Pod&, const std::string&)> on_bind;

  void Add(std::shared_ptr<const Node> node) {
    Post([this, node] { scheduler_->OnNodeAdd(node); });
  }
  void Update(std::shared_ptr<const Node> old, std::shared_ptr<const Node> node) {
    Post([this, old, node] { scheduler_->OnNodeUpdate(old, node); });
  }
  void Remove(std::shared_ptr<const Node> node) {
    Post([this, node] { scheduler_->OnNodeDelete(node); });
  }
  void Add(std::shared_ptr<const Pod> pod) {
    Post([this, pod] {
      pods_[pod->metadata.uid] = pod;
      scheduler_->OnPodAdd(pod);
    });
  }
  // Another scheduler, or a person, binds the Pod.
  void BindByAnother(const std::string& uid, const std::string& node) {
    Post([this, uid, node] {
      const auto found = pods_.find(uid);
      if (found == pods_.end() || !found->second->spec.node_name.empty()) return;
      foreign_.insert(uid);
      Change(found->second, [&](Pod& pod) { pod.spec.node_name = node; });
    });
  }
  void Update(const std::string& uid, std::function<void(Pod&)> change) {
    Post([this, uid, change = std::move(change)] { UpdateNow(uid, change); });
  }
  // On the cluster's own thread (on_bind).
  void UpdateNow(const std::string& uid, const std::function<void(Pod&)>& change) {
    const auto found = pods_.find(uid);
    if (found != pods_.end()) Change(found->second, change);
  }
  void Delete(const std::string& uid) {
    Post([this, uid] {
      const auto found = pods_.find(uid);
      if (found == pods_.end()) return;
      scheduler_->OnPodDelete(found->second);
      pods_.erase(found);
    });
  }

  void Bind(std::shared_ptr<const Pod> pod, const std::string& node,
            std::function<void(Result<void>)> done) override {
    Post([this, pod, node, done = std::move(done)] { FinishBind(*pod, node, done); });
  }
  void RecordEvent(const Pod& pod, const PodEvent& event) override {
    Post([this, text = event.reason + " " + pod.metadata.Key() + ": " + event.note] {
      events_.push_back(text);
    });
  }
  void SetUnscheduled(const Pod& pod, const std::string& reason,
                      const std::string& message) override {
    Post([this, uid = pod.metadata.uid, reason, message] {
      ++conditions_;
      const auto found = pods_.find(uid);
      if (found == pods_.end()) return;
      Change(found->second, [&](Pod& changed) {
        changed.status.conditions = {{"PodScheduled", "False", reason, message, {}}};
      });
    });
  }

  void SetNominatedNode(const Pod& pod, const std::string& node) override {
    Post([this, uid = pod.metadata.uid, node] {
      UpdateNow(uid, [&](Pod& changed) { changed.status.nominated_node_name = node; });
    });
  }
  // Whether evicted Pods are terminating until somebody deletes them; else they go at once.
  std::atomic<bool> victims_linger{false};
  // What becomes of an eviction: empty, or the error. Called on the cluster's thread.
  std::function<std::string(const Pod&)> on_evict;
  void Evict(std::shared_ptr<const Pod> pod, const std::string& message,
             std::function<void(Result<void>)> done) override {
    Post([this, pod, message, done = std::move(done)] {
      const auto found = pods_.find(pod->metadata.uid);
      if (found == pods_.end()) return done(Error(ErrorCode::kNotFound, "pods not found"));
      const std::string error = on_evict ? on_evict(*pod) : "";
      if (!error.empty()) return done(Error(ErrorCode::kInternal, error));
      Change(found->second, [&](Pod& victim) {
        victim.metadata.deleting = true;
        victim.status.conditions = {
            {"DisruptionTarget", "True", "PreemptionByScheduler", message, {}}};
      });
      done({});
      if (!victims_linger) Delete(pod->metadata.uid);
    });
  }

  // Waits until `condition`, which sees the Pods, holds; false after a generous while.
  using Pods = std::map<std::string, std::shared_ptr<const Pod>>;
  bool WaitFor(const std::function<bool(const Pods&)>& condition) {
    for (int i = 0; i < 12'000; ++i) {
      bool holds = false;
      PostAndWait([&] { holds = condition(pods_); });
      if (holds) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  bool WaitForBound(std::size_t count) {
    return WaitFor([count](const Pods& pods) {
      return static_cast<std::size_t>(std::count_if(pods.begin(), pods.end(), [](const auto& p) {
               return !p.second->spec.node_name.empty();
             })) == count;
    });
  }
  Pods pods() {
    Pods copy;
    PostAndWait([&] { copy = pods_; });
    return copy;
  }
  std::vector<std::string> events() {
    std::vector<std::string> copy;
    PostAndWait([&] { copy = events_; });
    return copy;
  }
  // On the cluster's own thread (in WaitFor's condition).
  const std::vector<std::string>& events_now() const { return events_; }
  int bindings_refused_twice() const { return bound_twice_; }
  int conditions_written() const { return conditions_; }
  int events_written() { return static_cast<int>(events().size()); }

 private:
  void FinishBind(const Pod& pod, const std::string& node,
                  const std::function<void(Result<void>)>& done) {
    const auto found = pods_.find(pod.metadata.uid);
    if (found == pods_.end()) return done(Error(ErrorCode::kNotFound, "pods not found"));
    if (!found->second->spec.node_name.empty()) {
      if (foreign_.count(pod.metadata.uid) == 0) ++bound_twice_;
      return done(Error(ErrorCode::kConflict, "pod is already assigned to a node"));
    }
    const std::string error = on_bind ? on_bind(pod, node) : "";
    if (!error.empty()) return done(Error(ErrorCode::kInternal, error));
    // The answer comes before what the watch says, or after it.
    const auto bind = [&](Pod& bound) { bound.spec.node_name = node; };
    if (++binds_ % 2 == 0) {
      done({});
      Change(found->second, bind);
    } else {
      Change(found->second, bind);
      done({});
    }
  }

  void Change(std::shared_ptr<const Pod>& pod, const std::function<void(Pod&)>& change) {
    auto changed = std::make_shared<Pod>(*pod);
    change(*changed);
    const auto old = std::exchange(pod, changed);
    scheduler_->OnPodUpdate(old, changed);
  }

  void Post(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    wake_.notify_one();
  }
  void PostAndWait(const std::function<void()>& task) {
    std::mutex mutex;
    std::condition_variable ran;
    bool done = false;
    Post([&] {
      task();
      const std::lock_guard lock(mutex);
      done = true;
      ran.notify_one();
    });
    std::unique_lock lock(mutex);
    ran.wait(lock, [&] { return done; });
  }
  void Run() {
    while (!stopping_) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return !tasks_.empty(); });
      const auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  Scheduler* scheduler_ = nullptr;
  Pods pods_;
  std::vector<std::string> events_;
  std::set<std::string> foreign_;
  int binds_ = 0;
  std::atomic<int> bound_twice_{0}, conditions_{0};
  bool stopping_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  std::thread thread_;
};

// A scheduler on a MemoryCluster, with the default plugins (no learned score).
class Bench : public DecisionObserver {
 public:
  // `writer`: not the cluster, but this.
  explicit Bench(PluginRegistry extra = {}, std::vector<EnabledPlugin> enabled = {},
                 ClusterWriter* writer = nullptr)
      : metrics_(registry_) {
    spdlog::set_level(spdlog::level::err);  // bindings fail here on purpose
    PluginRegistry plugins = BuiltInPlugins(listers_);
    plugins.emplace(DefaultBinder::kName, MakeDefaultBinder(writer == nullptr ? cluster : *writer));
    plugins.merge(extra);
    ProfileConfig profile;
    profile.default_plugins = DefaultPlugins();
    profile.multi_point.enabled = std::move(enabled);
    profiles_.push_back(*Framework::Make(profile, plugins, nullptr));
    SchedulerOptions options;
    options.boot_id = "test";
    options.waiting_pods = waiting_pods;
    options.queue.initial_backoff = std::chrono::milliseconds(10);
    options.queue.max_backoff = std::chrono::milliseconds(40);
    options.queue.backoff_window = std::chrono::milliseconds(10);
    scheduler = std::make_unique<Scheduler>(options, profiles_, cache,
                                            writer == nullptr ? cluster : *writer, metrics_,
                                            std::vector<DecisionObserver*>{this});
    metrics_.Watch(registry_, scheduler->queue(), cache);
    cluster.set_scheduler(scheduler.get());
    scheduler->Start();
  }
  ~Bench() override {
    scheduler->Stop(std::chrono::seconds(10));
    cluster.Stop();
  }

  void OnDecision(std::shared_ptr<const Decision> decision) override {
    const std::lock_guard lock(mutex_);
    decisions_.push_back(std::move(decision));
  }
  std::vector<std::shared_ptr<const Decision>> decisions() {
    const std::lock_guard lock(mutex_);
    return decisions_;
  }
  std::string Metrics() { return registry_.Expose(); }
  Listers& listers() { return listers_; }

 private:
  Listers listers_;
  Registry registry_;
  SchedulerMetrics metrics_;
  Scheduler::Profiles profiles_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<const Decision>> decisions_;

 public:
  Cache cache;
  const std::shared_ptr<WaitingPods> waiting_pods = std::make_shared<WaitingPods>();
  std::unique_ptr<Scheduler> scheduler;
  MemoryCluster cluster;
};

}  // namespace leadline
