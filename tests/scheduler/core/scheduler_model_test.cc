// Random interleavings of what happens in a cluster, what the watches say of it, cycles, answers to
// bindings and evictions, and time. No Pod is lost, none is in two places or bound twice, no node
// gets more than it has; and when nothing happens any more, no Pod waits that would fit somewhere,
// though nothing wakes it but the event that helped it: the sweep of the unschedulable Pods is off.
#include <cstdlib>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory_cluster.h"
#include "model_cluster.h"
#include "scheduler/framework/scripted_plugin.h"

namespace leadline {
namespace {

// Where a Pod may go, judged from the truth and told in a few lines.
bool Fits(const ModelCluster& cluster, const Pod& pod, const Node& node) {
  const auto tolerates = [&](const std::string& key) {
    return std::any_of(pod.spec.tolerations.begin(), pod.spec.tolerations.end(),
                       [&](const Toleration& one) { return one.key == key; });
  };
  if (node.unschedulable && !tolerates("node.kubernetes.io/unschedulable")) return false;
  if (!node.taints.empty() && !tolerates(node.taints[0].key)) return false;
  for (const auto& [key, value] : pod.spec.node_selector) {
    const auto label = node.metadata.labels.find(key);
    if (label == node.metadata.labels.end() || label->second != value) return false;
  }
  std::int64_t used = 0;
  for (const auto& [uid, other] : cluster.pods()) {
    if (other->spec.node_name != node.metadata.name || other->Finished()) continue;
    used += PodInfo(other).bound_requests.milli_cpu;
    const bool apart = !pod.spec.pod_anti_affinity.required.empty() ||
                       !other->spec.pod_anti_affinity.required.empty();
    if (apart && other->metadata.labels == pod.metadata.labels) return false;
    const auto &ports = pod.spec.containers[0].ports, &theirs = other->spec.containers[0].ports;
    if (!ports.empty() && !theirs.empty() && ports == theirs) return false;
  }
  return used + PodInfo(std::make_shared<const Pod>(pod)).requests.milli_cpu <=
         ToResource(node.allocatable).milli_cpu;
}

class RandomLife {
  static constexpr int kLargest = 6;  // cpus of a node

 public:
  // `alone`: nobody else binds, and nodes never shrink, so that no node may ever be overfull.
  RandomLife(std::uint64_t seed, bool alone) : alone_(alone), rng_(seed), metrics_(registry_) {
    PluginRegistry plugins = BuiltInPlugins(listers_);
    plugins.emplace(DefaultBinder::kName, MakeDefaultBinder(cluster_));
    // The watches go on while a cycle looks at its frozen picture.
    meanwhile_->pre_filter = [this](PreFilterResult*) {
      while (OneIn(2)) OneIn(2) ? cluster_.TellPods() : cluster_.TellNodes();
      return Status();
    };
    Register(&plugins, "Meanwhile", meanwhile_);
    ProfileConfig profile;
    profile.default_plugins = DefaultPlugins();
    profile.multi_point.enabled = {{"Meanwhile"}};
    profiles_.push_back(*Framework::Make(profile, plugins, nullptr));
    SchedulerOptions options;
    options.boot_id = "model";
    options.seed = seed;
    options.queue.max_in_unschedulable = std::chrono::hours(100'000);
    scheduler_ = std::make_unique<Scheduler>(options, profiles_, cache_, cluster_, metrics_,
                                             std::vector<DecisionObserver*>(), clock_);
    cluster_.set_scheduler(scheduler_.get());
    for (int i = 0; i < 4; ++i) AddNode("n" + std::to_string(i), 2 + i % 3);
  }
  ~RandomLife() {
    while (!cluster_.bindings.empty()) cluster_.Answer(0, true);
    while (!cluster_.evictions.empty()) cluster_.AnswerEviction(true, false);
  }

  // What is wrong; empty: nothing.
  std::string Run(int steps) {
    for (int step = 1; step <= steps; ++step) {
      Step();
      std::string wrong = FindWrong();
      if (wrong.empty() && OneIn(25)) wrong = Settle();
      if (!wrong.empty()) return fmt::format("step {}: {}", step, wrong);
    }
    return {};
  }

 private:
  bool OneIn(std::uint64_t n) { return rng_.Below(n) == 0; }

  template <typename Map>
  std::string AnyOf(const Map& map) {
    if (map.empty()) return {};
    auto any = map.begin();
    std::advance(any, static_cast<std::ptrdiff_t>(rng_.Below(map.size())));
    return any->first;
  }

  void Step() {
    switch (rng_.Below(13)) {
      case 0:
        return AddPod();
      case 1:
        return ChangePod(AnyOf(cluster_.pods()));
      case 2:
        return ChangeNode("n" + std::to_string(rng_.Below(4)));
      case 3:
      case 4:
      case 5:
        cluster_.TellPods();
        return;
      case 6:
        cluster_.TellNodes();
        return;
      case 7:
      case 8:
        Cycle();
        return;
      case 9:
        if (!cluster_.evictions.empty()) cluster_.AnswerEviction(OneIn(4), OneIn(2));
        return;
      case 10:
      case 11:
        if (!cluster_.bindings.empty()) {
          cluster_.Answer(rng_.Below(cluster_.bindings.size()), OneIn(4));
        }
        return;
      default:
        clock_.Advance(std::chrono::milliseconds(rng_.Below(3000)));
    }
  }

  bool Cycle() {
    const std::size_t before = cluster_.bindings.size();
    const bool any = scheduler_->ScheduleNext();
    if (cluster_.bindings.size() > before &&
        !cluster_.bindings.back().pod->spec.scheduling_gates.empty()) {
      gated_bound_ = true;
    }
    return any;
  }

  void AddNode(const std::string& name, int cpu) {
    cluster_.PutNode(name, MakeNode(name, cpu, 20));
  }

  void AddPod() {
    if (cluster_.pods().size() >= 25) return;
    auto pod =
        MakePod("p" + std::to_string(next_pod_++), 500 * static_cast<int>(1 + rng_.Below(5)));
    pod->spec.priority = static_cast<int>(rng_.Below(3));
    pod->metadata.labels["app"] = std::to_string(rng_.Below(3));
    if (OneIn(4)) pod->spec.node_selector["disk"] = "ssd";
    if (OneIn(5)) pod->spec.scheduling_gates = {"gate"};
    if (OneIn(5)) pod->spec.containers[0].ports = {{"", "TCP", 80}};
    if (OneIn(5)) {
      PodAffinityTerm term;
      term.topology_key = "host";
      term.label_selector =
          LabelSelector{{{"app", Requirement::Operator::kIn, {pod->metadata.labels["app"]}}}};
      pod->spec.pod_anti_affinity.required = {term};
    }
    cluster_.PutPod(pod->metadata.uid, pod);
  }

  void ChangePod(const std::string& uid) {
    if (uid.empty()) return;
    const Pod& pod = *cluster_.pods().at(uid);
    const bool bound = !pod.spec.node_name.empty();
    switch (rng_.Below(7)) {
      case 0:
      case 1:
        return cluster_.PutPod(uid, nullptr);
      case 2:
        return cluster_.ChangePod(uid, [](Pod& changed) { changed.metadata.deleting = true; });
      case 3:
        return cluster_.ChangePod(uid, [](Pod& changed) { changed.spec.scheduling_gates.clear(); });
      case 4:
        return cluster_.ChangePod(uid, [&](Pod& changed) {
          const char* key = OneIn(2) ? "node.kubernetes.io/unschedulable" : "gpu";
          changed.spec.tolerations.push_back({key, "Exists", "", ""});
        });
      case 5:
        if (bound) {
          return cluster_.ChangePod(uid, [](Pod& changed) { changed.status.phase = "Succeeded"; });
        }
        if (alone_ || cluster_.nodes().empty()) return;
        return cluster_.ChangePod(
            uid, [&](Pod& changed) { changed.spec.node_name = AnyOf(cluster_.nodes()); });
      default:  // resized in place, smaller
        if (!bound) return;
        return cluster_.ChangePod(uid, [](Pod& changed) {
          changed.spec.containers[0].requests = {{"cpu", Quantity::FromMilli(500)}};
        });
    }
  }

  void ChangeNode(const std::string& name) {
    if (!cluster_.nodes().contains(name)) return AddNode(name, kLargest);  // its Pods are there yet
    switch (rng_.Below(6)) {
      case 0:
        return OneIn(3) ? cluster_.PutNode(name, nullptr) : void();
      case 1:
        return cluster_.ChangeNode(name, [](Node& node) { node.unschedulable ^= true; });
      case 2:
        return cluster_.ChangeNode(name, [](Node& node) {
          node.taints = node.taints.empty() ? std::vector<Taint>{{"gpu", "", "NoSchedule"}}
                                            : std::vector<Taint>();
        });
      case 3:
        return cluster_.ChangeNode(name, [&](Node& node) {
          if (node.metadata.labels.erase("disk") == 0) node.metadata.labels["disk"] = "ssd";
        });
      case 4:
        return cluster_.ChangeNode(
            name, [&](Node& node) { node.metadata.labels["host"] = node.metadata.name; });
      default:
        return cluster_.ChangeNode(name, [&](Node& node) {
          const int cpu = static_cast<int>(ToResource(node.allocatable).milli_cpu / 1000);
          const int size = OneIn(2) && !alone_ ? 1 : std::min(kLargest, cpu + 1);
          node.allocatable = MakeNode("", size, 20)->allocatable;
        });
    }
  }

  std::string FindWrong() {
    if (cluster_.bound_twice > 0) return "a Pod was bound twice";
    if (gated_bound_) return "a gated Pod was bound";
    if (std::string books = cache_.FindInconsistency(); !books.empty()) return books;
    const SchedulingQueue& queue = scheduler_->queue();
    std::size_t known = 0;
    for (const auto& [uid, pod] : cluster_.told_pods()) {
      const bool contained = queue.Contains(uid);
      known += contained;
      const bool waits = pod->spec.node_name.empty() && !pod->Finished();
      if (contained && !waits) return uid + " waits although it has a node, or an end";
      if (waits && !contained && !pod->metadata.deleting && cache_.NodeOf(uid).empty()) {
        return uid + " is lost";
      }
    }
    const auto sizes = queue.sizes();
    const std::size_t placed =
        sizes.active + sizes.backoff + sizes.unschedulable + sizes.gated + sizes.in_flight;
    if (placed != known) return fmt::format("{} Pods are in {} places", known, placed);
    if (alone_) return FindOverfull();
    return {};
  }

  std::string FindOverfull() const {
    std::map<std::string, std::int64_t> used;
    for (const auto& [uid, pod] : cluster_.pods()) {
      if (pod->Finished()) continue;
      used[pod->spec.node_name] += PodInfo(pod).bound_requests.milli_cpu;
    }
    for (const auto& [name, node] : cluster_.nodes()) {
      if (used[name] > ToResource(node->allocatable).milli_cpu) return name + " is overfull";
    }
    return {};
  }

  // Lets everything under way come to its end, then looks for a Pod that waits in vain.
  std::string Settle() {
    for (int round = 0; round < 40; ++round) {
      while (cluster_.TellNodes() || cluster_.TellPods() || Cycle()) {
      }
      while (!cluster_.bindings.empty()) cluster_.Answer(0, false);
      while (!cluster_.evictions.empty()) cluster_.AnswerEviction(false, false);
      EndTerminating();
      if (std::string wrong = FindWrong(); !wrong.empty()) return "when settling, " + wrong;
      clock_.Advance(std::chrono::seconds(3));
    }
    if (cache_.sizes().assumed > 0) return "an assumption never ends";
    for (const auto& [uid, pod] : cluster_.pods()) {
      const bool wants = pod->spec.node_name.empty() && !pod->Finished() &&
                         !pod->metadata.deleting && pod->spec.scheduling_gates.empty();
      if (!wants) continue;
      for (const auto& [name, node] : cluster_.nodes()) {
        if (Fits(cluster_, *pod, *node)) return fmt::format("{} waits but fits {}", uid, name);
      }
    }
    return {};
  }

  // What is being deleted goes at last, so that nobody waits for it.
  void EndTerminating() {
    std::vector<std::string> ending;
    for (const auto& [uid, pod] : cluster_.pods()) {
      if (pod->metadata.deleting) ending.push_back(uid);
    }
    for (const std::string& uid : ending) cluster_.PutPod(uid, nullptr);
  }

  const bool alone_;
  const std::shared_ptr<Script> meanwhile_ = std::make_shared<Script>();
  Rng rng_;
  ManualClock clock_;
  Listers listers_;
  Registry registry_;
  SchedulerMetrics metrics_;
  Scheduler::Profiles profiles_;
  Cache cache_;
  ModelCluster cluster_;
  std::unique_ptr<Scheduler> scheduler_;
  int next_pod_ = 0;
  bool gated_bound_ = false;
};

// LEADLINE_SLOW=1 lives far more of them.
TEST(SchedulerModelTest, NothingIsLostAndNobodyWaitsInVain) {
  spdlog::set_level(spdlog::level::off);  // bindings fail here on purpose
  const char* slow = std::getenv("LEADLINE_SLOW");
  const std::uint64_t seeds = slow != nullptr && std::string(slow) == "1" ? 3000 : 60;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    ASSERT_EQ(RandomLife(seed, seed % 2 == 0).Run(1500), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace leadline
