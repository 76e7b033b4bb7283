#include "leadline/sim/cluster_environment.h"

#include <algorithm>
#include <cmath>

namespace leadline {
namespace {

constexpr double kRetryAfter = 10;
constexpr int kMaxRejections = 3;
// How long the books go on after the last arrival before Pods still waiting are given up.
constexpr double kPatience = 120;

}  // namespace

ClusterEnvironment::ClusterEnvironment(std::shared_ptr<const StateEncoder> encoder,
                                       RewardCalculator reward, ScenarioOptions options)
    : encoder_(std::move(encoder)), reward_(std::move(reward)), options_(options) {
  Reset(0);
}

void ClusterEnvironment::Reset(std::uint64_t seed) {
  Reset(std::make_shared<const Scenario>(DrawScenario(options_, seed)));
}

void ClusterEnvironment::Reset(std::shared_ptr<const Scenario> scenario) {
  scenario_ = std::move(scenario);
  moves_ = Rng(scenario_->seed);
  nodes_.assign(scenario_->nodes.size(), Node{});
  congestion_.assign(scenario_->zone_ms.size(), 0.0);
  now_s_ = last_scrape_s_ = 0;
  next_arrival_ = 0;
  queue_.clear();
  retries_.clear();
  unschedulable_.clear();
  pending_reward_ = 0;
  over_ = false;
  counts_ = {};
  for (std::size_t i = 0; i < scenario_->running.size(); ++i) {
    // Long enough ago for the measurements to have seen it.
    Put(scenario_->running_on[i], i, -600.0);
  }
  Scrape();
  AdvanceToDecision();
}

const Observation& ClusterEnvironment::Observe() const {
  if (!encoded_) encoder_->Encode(candidates_, pod(), &observation_);
  encoded_ = true;
  return observation_;
}

bool ClusterEnvironment::CanReject() const {
  return !over_ && queue_.front().rejections < kMaxRejections;
}

PodFeatures ClusterEnvironment::pod() const {
  if (queue_.empty()) return {};
  const SimPod& pod = PodAt(queue_.front().pod);
  return {pod.milli_cpu, pod.memory};
}

StepResult ClusterEnvironment::Step(std::size_t action) {
  const Waiting waiting = queue_.front();
  queue_.pop_front();
  ++counts_.decisions;
  double reward = 0;
  if (action < candidate_nodes_.size()) {
    const std::size_t node = candidate_nodes_[action];
    Put(node, waiting.pod, now_s_);
    reward = PlacedReward(node);
    KillOverruns(node);
  } else {
    ++counts_.rejected;
    retries_.push_back({now_s_ + kRetryAfter, {waiting.pod, waiting.rejections + 1}});
  }
  AdvanceToDecision();
  reward += pending_reward_;
  pending_reward_ = 0;
  counts_.reward += reward;
  return {reward, false, over_};
}

double ClusterEnvironment::PlacedReward(std::size_t index) {
  Node& node = nodes_[index];
  const SimPod& pod = PodAt(node.running.back().pod);
  // A link this slow loses so much that Pods fail on it.
  if (pod.luck < (node.latency_ms - 150.0) / 400.0) {
    Remove(index, node.running.size() - 1);
    ++counts_.failed;
    return reward_.Of(RewardEvent::kNetworkUnreachable).total;
  }
  ++counts_.placed;
  counts_.latency_ms += node.latency_ms;
  double cpu = 0, memory = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    cpu += nodes_[i].used_milli_cpu / scenario_->nodes[i].milli_cpu;
    memory += nodes_[i].used_memory / scenario_->nodes[i].memory;
  }
  const auto count = static_cast<double>(nodes_.size());
  const SimNode& size = scenario_->nodes[index];
  return reward_
      .Of(RewardEvent::kPodScheduled,
          {std::min(1.0, node.used_milli_cpu / size.milli_cpu), node.used_memory / size.memory,
           node.latency_ms, std::min(1.0, cpu / count), memory / count})
      .total;
}

void ClusterEnvironment::KillOverruns(std::size_t index) {
  Node& node = nodes_[index];
  while (node.used_memory > scenario_->nodes[index].memory) {
    // The kernel kills who overran its request by most.
    const auto worst = std::max_element(node.running.begin(), node.running.end(),
                                        [this](const Running& a, const Running& b) {
                                          return PodAt(a.pod).used_memory - PodAt(a.pod).memory <
                                                 PodAt(b.pod).used_memory - PodAt(b.pod).memory;
                                        });
    Remove(index, static_cast<std::size_t>(worst - node.running.begin()));
    ++counts_.failed;
    pending_reward_ += reward_.Of(RewardEvent::kInsufficientResources).total;
  }
}

double ClusterEnvironment::PredictedReward(std::size_t candidate) const {
  const NodeState& node = candidates_[candidate];
  const PodFeatures asks = pod();
  Placement placement;
  if (node.cpu_ratio && node.memory_ratio) {
    placement.cpu_ratio =
        std::min(1.0, *node.cpu_ratio + asks.milli_cpu / node.allocatable_milli_cpu);
    placement.memory_ratio =
        std::min(1.0, *node.memory_ratio + asks.memory / node.allocatable_memory);
    placement.mean_cpu_ratio = seen_mean_[0];
    placement.mean_memory_ratio = seen_mean_[1];
  }
  placement.latency_ms = node.latency_ms;
  return reward_.Of(RewardEvent::kPodScheduled, placement).total;
}

void ClusterEnvironment::AdvanceToDecision() {
  encoded_ = false;
  while (true) {
    while (!queue_.empty()) {
      if (FindCandidates()) return;
      unschedulable_.push_back(queue_.front());
      queue_.pop_front();
    }
    const double next = NextEvent();
    const bool all_came = next_arrival_ == scenario_->arrivals.size();
    const bool waits = !retries_.empty() || !unschedulable_.empty();
    const double last = scenario_->arrivals.empty() ? 0 : scenario_->arrivals.back().arrival_s;
    if (all_came && (!waits || next > last + kPatience)) break;
    AdvanceTo(next);
  }
  over_ = true;
  candidates_.clear();
  candidate_nodes_.clear();
}

double ClusterEnvironment::NextEvent() const {
  double next = next_scrape_s_;
  if (next_arrival_ < scenario_->arrivals.size()) {
    next = std::min(next, scenario_->arrivals[next_arrival_].arrival_s);
  }
  for (const Retry& retry : retries_) next = std::min(next, retry.at_s);
  for (const Node& node : nodes_) {
    for (const Running& running : node.running) next = std::min(next, running.ends_s);
  }
  return std::max(next, now_s_);
}

void ClusterEnvironment::AdvanceTo(double time_s) {
  now_s_ = time_s;
  EndPods();
  if (next_scrape_s_ <= now_s_) Scrape();
  while (next_arrival_ < scenario_->arrivals.size() &&
         scenario_->arrivals[next_arrival_].arrival_s <= now_s_) {
    queue_.push_back({scenario_->running.size() + next_arrival_++});
    ++counts_.arrived;
  }
  const auto due = std::stable_partition(retries_.begin(), retries_.end(),
                                         [this](const Retry& r) { return r.at_s > now_s_; });
  for (auto it = due; it != retries_.end(); ++it) queue_.push_back(it->waiting);
  retries_.erase(due, retries_.end());
}

double ClusterEnvironment::CpuDeviation() const { return RatioDeviation(true); }
double ClusterEnvironment::MemoryDeviation() const { return RatioDeviation(false); }

double ClusterEnvironment::RatioDeviation(bool cpu) const {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const double ratio = cpu ? nodes_[i].used_milli_cpu / scenario_->nodes[i].milli_cpu
                             : nodes_[i].used_memory / scenario_->nodes[i].memory;
    sum += ratio;
    squares += ratio * ratio;
  }
  const auto count = static_cast<double>(nodes_.size());
  return std::sqrt(std::max(0.0, squares / count - sum / count * (sum / count)));
}

}  // namespace leadline
