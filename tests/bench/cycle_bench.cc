// One scheduling cycle without its binding, at 1,000 and 5,000 nodes of ten Pods each: the
// snapshot, the filters and the scores. Baseline: the same with every node copied each cycle. Then
// Pods that care about other Pods, of which every fifth node has one.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "leadline/cache/cache.h"
#include "leadline/framework/framework.h"
#include "scheduler/plugins/binds_nothing.h"

namespace leadline {
namespace {

constexpr int kPodsPerNode = 10;

std::shared_ptr<const Node> BenchNode(int i) {
  auto node = std::make_shared<Node>();
  node->metadata.name = "node-" + std::to_string(100'000 + i);
  node->metadata.labels = {{"kubernetes.io/hostname", node->metadata.name},
                           {"topology.kubernetes.io/zone", "z" + std::to_string(i % 3)}};
  node->allocatable = {{"cpu", Quantity::FromUnits(64)},
                       {"memory", Quantity::FromUnits(std::int64_t{256} << 30)},
                       {"pods", Quantity::FromUnits(110)}};
  return node;
}

std::shared_ptr<Pod> BenchPod(const std::string& name) {
  auto pod = std::make_shared<Pod>();
  pod->metadata.name = name;
  pod->metadata.namespace_name = "default";
  pod->metadata.uid = "uid-" + name;
  pod->spec.scheduler_name = "dqn-scheduler";
  Container container;
  container.requests = {{"cpu", Quantity::FromMilli(500)},
                        {"memory", Quantity::FromUnits(std::int64_t{1} << 30)}};
  pod->spec.containers.push_back(container);
  return pod;
}

void Fill(Cache* cache, int nodes) {
  for (int i = 0; i < nodes; ++i) {
    const auto node = BenchNode(i);
    cache->SetNode(node);
    for (int j = 0; j < kPodsPerNode; ++j) {
      auto pod = BenchPod(node->metadata.name + "-" + std::to_string(j));
      pod->spec.node_name = node->metadata.name;
      cache->SetPod(pod);
    }
  }
}

// As if nothing were known of what changed.
std::shared_ptr<const Snapshot> CopyAll(const Snapshot& from) {
  NodeInfos nodes;
  for (const auto& node : from.nodes()) nodes.push_back(std::make_shared<const NodeInfo>(*node));
  return std::make_shared<const Snapshot>(from.id(), std::move(nodes));
}

// The cycle's own change: a Pod comes to a node and another leaves it.
class Churn {
 public:
  explicit Churn(Cache* cache) : cache_(cache) {}
  void Step(const Snapshot& snapshot) {
    const auto& nodes = snapshot.nodes();
    cache_->Forget("uid-churn");
    cache_->Assume(pod_, nodes[next_++ % nodes.size()]->name());
  }

 private:
  Cache* cache_;
  std::shared_ptr<const PodInfo> pod_ = std::make_shared<PodInfo>(BenchPod("churn"));
  std::size_t next_ = 0;
};

template <bool kCopyAll>
void SnapshotOf(benchmark::State& state) {
  Cache cache;
  Fill(&cache, static_cast<int>(state.range(0)));
  Churn churn(&cache);
  auto snapshot = cache.UpdateSnapshot();
  for (auto _ : state) {
    churn.Step(*snapshot);
    snapshot = cache.UpdateSnapshot();
    if (kCopyAll) snapshot = CopyAll(*snapshot);
    benchmark::DoNotOptimize(snapshot);
  }
}

std::unique_ptr<Framework> DefaultFramework(const Listers& listers) {
  ProfileConfig profile;
  profile.default_plugins = DefaultPlugins();
  return *Framework::Make(profile, PluginsThatBindNothing(listers), nullptr);
}

// The Pod of one cycle: a replica of one workload, or a Pod that asks for what no other asks for.
PodInfo NextPod(int number, bool alike) {
  auto pod = BenchPod("p" + std::to_string(number));
  if (!alike) pod->spec.containers[0].requests[0].second = Quantity::FromMilli(500 + number % 499);
  return PodInfo(pod);
}

template <bool kCopyAll, bool kAlike>
void Cycle(benchmark::State& state) {
  Cache cache;
  Fill(&cache, static_cast<int>(state.range(0)));
  const Listers listers;
  const auto framework = DefaultFramework(listers);
  Churn churn(&cache);
  auto snapshot = cache.UpdateSnapshot();
  int number = 0;
  for (auto _ : state) {
    const PodInfo pod = NextPod(number++, kAlike);
    churn.Step(*snapshot);
    snapshot = cache.UpdateSnapshot();
    if (kCopyAll) snapshot = CopyAll(*snapshot);
    CycleState cycle("bench", *snapshot, 0);
    const Feasibility found = framework->FindFeasible(cycle, pod);
    std::vector<NodeScore> scores;
    const Status status = framework->Prioritize(cycle, pod, found.feasible, &scores);
    if (!status.ok() || scores.size() != snapshot->nodes().size()) {
      state.SkipWithError("not every node is feasible");
    }
    benchmark::DoNotOptimize(scores);
  }
}

// What scheduler_perf of Kubernetes places: Pods of one label that are spread over zones, kept
// together in a zone, or kept apart on hosts; preferred and by the system's defaults, too.
enum class Social { kSpread, kSoftSpread, kAffinity, kAntiAffinity, kPreferred, kOwned };

std::shared_ptr<Pod> SocialPod(const std::string& name, Social kind) {
  const LabelSelector blue = {{{"color", Requirement::Operator::kIn, {"blue"}}}};
  auto pod = BenchPod(name);
  pod->metadata.labels = {{"color", "blue"}, {"app", "bench"}};
  PodSpec& spec = pod->spec;
  PodAffinityTerm term;
  term.label_selector = blue;
  term.topology_key =
      kind == Social::kAntiAffinity ? "kubernetes.io/hostname" : "topology.kubernetes.io/zone";
  if (kind == Social::kSpread || kind == Social::kSoftSpread) {
    TopologySpreadConstraint& constraint = spec.spread_constraints.emplace_back();
    constraint.max_skew = 5000;
    constraint.topology_key = term.topology_key;
    constraint.do_not_schedule = kind == Social::kSpread;
    constraint.label_selector = blue;
  }
  if (kind == Social::kAffinity) spec.pod_affinity.required.push_back(term);
  if (kind == Social::kAntiAffinity) spec.pod_anti_affinity.required.push_back(term);
  if (kind == Social::kPreferred) spec.pod_affinity.preferred.push_back({1, term});
  return pod;
}

void FillSocial(Cache* cache, int nodes, Social kind) {
  Fill(cache, nodes);
  for (int i = 0; i < nodes; i += 5) {
    const std::string node = BenchNode(i)->metadata.name;
    auto pod = SocialPod(node + "-social", kind);
    pod->spec.node_name = node;
    cache->SetPod(pod);
  }
}

// Each cycle places one more Pod, as a queue of them would.
template <Social kKind>
void SocialCycle(benchmark::State& state) {
  Cache cache;
  FillSocial(&cache, static_cast<int>(state.range(0)), kKind);
  Listers listers;
  auto service = std::make_shared<Workload>();
  service->metadata.name = "bench";
  service->metadata.namespace_name = kKind == Social::kOwned ? "default" : "elsewhere";
  service->selector = LabelSelector{{{"app", Requirement::Operator::kIn, {"bench"}}}};
  listers.services.Put(service);
  const auto framework = DefaultFramework(listers);
  int placed = 0;
  std::string last;
  for (auto _ : state) {
    const auto pod =
        std::make_shared<const PodInfo>(SocialPod("p" + std::to_string(placed++), kKind));
    const auto snapshot = cache.UpdateSnapshot();
    CycleState cycle("bench", *snapshot, 0);
    const Feasibility found = framework->FindFeasible(cycle, *pod);
    std::vector<NodeScore> scores;
    const Status status = framework->Prioritize(cycle, *pod, found.feasible, &scores);
    if (!status.ok() || scores.empty()) {
      state.SkipWithError("no node is feasible");
      break;
    }
    const auto worse = [](const NodeScore& a, const NodeScore& b) { return a.score < b.score; };
    const auto best = std::max_element(scores.begin(), scores.end(), worse);
    // The one before goes, so that any number of cycles finds room.
    cache.Forget(last);
    cache.Assume(pod, best->node->name());
    last = pod->uid();
  }
}

void CycleBenchmark(const char* name, void (*cycle)(benchmark::State&)) {
  benchmark::RegisterBenchmark(name, cycle)->Arg(1000)->Arg(5000)->Unit(benchmark::kMicrosecond);
}

const bool kRegistered = [] {
  CycleBenchmark("cycle/changed_only", Cycle<false, true>);
  CycleBenchmark("cycle/copy_all", Cycle<true, true>);
  CycleBenchmark("cycle/no_two_alike", Cycle<false, false>);
  CycleBenchmark("cycle/spread", SocialCycle<Social::kSpread>);
  CycleBenchmark("cycle/soft_spread", SocialCycle<Social::kSoftSpread>);
  CycleBenchmark("cycle/affinity", SocialCycle<Social::kAffinity>);
  CycleBenchmark("cycle/anti_affinity", SocialCycle<Social::kAntiAffinity>);
  CycleBenchmark("cycle/preferred_affinity", SocialCycle<Social::kPreferred>);
  CycleBenchmark("cycle/spread_by_default", SocialCycle<Social::kOwned>);
  return true;
}();

BENCHMARK(SnapshotOf<false>)->Name("snapshot/changed_only")->Arg(1000)->Arg(5000);
BENCHMARK(SnapshotOf<true>)->Name("snapshot/copy_all")->Arg(1000)->Arg(5000);

}  // namespace
}  // namespace leadline
