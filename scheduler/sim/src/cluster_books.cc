// The cluster's books: what runs where, what is true of a node, and what is seen of it.
#include <algorithm>
#include <cmath>

#include "leadline/sim/cluster_environment.h"

namespace leadline {
namespace {

// The rate of CPU use is taken over about a minute, so a new Pod shows in it little by little.
constexpr double kSettle = 60;

}  // namespace

const SimPod& ClusterEnvironment::PodAt(std::size_t index) const {
  const std::size_t first = scenario_->running.size();
  return index < first ? scenario_->running[index] : scenario_->arrivals[index - first];
}

void ClusterEnvironment::Put(std::size_t index, std::size_t pod_index, double placed_s) {
  Node& node = nodes_[index];
  const SimPod& pod = PodAt(pod_index);
  node.running.push_back({pod_index, placed_s, std::max(placed_s, 0.0) + pod.lifetime_s});
  node.requested_milli_cpu += pod.milli_cpu;
  node.requested_memory += pod.memory;
  node.used_milli_cpu += pod.used_milli_cpu;
  node.used_memory += pod.used_memory;
  Look(index);
}

void ClusterEnvironment::Remove(std::size_t index, std::size_t at) {
  Node& node = nodes_[index];
  const SimPod& pod = PodAt(node.running[at].pod);
  node.requested_milli_cpu -= pod.milli_cpu;
  node.requested_memory -= pod.memory;
  node.used_milli_cpu -= pod.used_milli_cpu;
  node.used_memory -= pod.used_memory;
  node.running.erase(node.running.begin() + static_cast<std::ptrdiff_t>(at));
  Look(index);
}

void ClusterEnvironment::EndPods() {
  bool freed = false;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (std::size_t at = nodes_[i].running.size(); at-- > 0;) {
      if (nodes_[i].running[at].ends_s > now_s_) continue;
      Remove(i, at);
      freed = true;
    }
  }
  if (!freed) return;
  // Where something ended, what did not fit may fit now.
  queue_.insert(queue_.end(), unschedulable_.begin(), unschedulable_.end());
  unschedulable_.clear();
}

void ClusterEnvironment::Scrape() {
  last_scrape_s_ = now_s_;
  next_scrape_s_ = now_s_ + scenario_->scrape_s;
  MoveLatency();
  for (std::size_t i = 0; i < nodes_.size(); ++i) Look(i);
}

void ClusterEnvironment::MoveLatency() {
  for (double& congestion : congestion_) {
    congestion = 0.9 * congestion + 0.15 * moves_.Normal();
    if (moves_.Uniform() < 0.01) congestion += 1.5;  // a link breaks, traffic takes the long way
  }
  std::vector<double> members(congestion_.size(), 0.0);
  double access = 0;
  for (const SimNode& node : scenario_->nodes) {
    members[node.zone] += 1;
    access += node.access_ms;
  }
  const double others = std::max(1.0, static_cast<double>(nodes_.size()) - 1);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const SimNode& node = scenario_->nodes[i];
    double sum = access - node.access_ms;
    for (std::size_t zone = 0; zone < members.size(); ++zone) {
      const double peers = members[zone] - (zone == node.zone ? 1.0 : 0.0);
      sum += peers * scenario_->zone_ms[node.zone][zone] *
             std::exp((congestion_[node.zone] + congestion_[zone]) / 2);
    }
    nodes_[i].latency_ms = node.access_ms + sum / others * std::exp(0.05 * moves_.Normal());
  }
}

void ClusterEnvironment::Look(std::size_t index) {
  Node& node = nodes_[index];
  const SimNode& size = scenario_->nodes[index];
  double cpu = 0, memory = 0;
  for (const Running& running : node.running) {
    const SimPod& pod = PodAt(running.pod);
    const double seen = std::clamp((last_scrape_s_ - running.placed_s) / kSettle, 0.0, 1.0);
    cpu += seen * pod.used_milli_cpu + (1 - seen) * pod.milli_cpu;
    memory += seen * pod.used_memory + (1 - seen) * pod.memory;
  }
  NodeState& state = node.seen;
  state = {};
  if (size.usage_known) {
    state.cpu_ratio = std::min(1.0, cpu / size.milli_cpu);
    state.memory_ratio = std::min(1.0, memory / size.memory);
  }
  if (size.latency_known) state.latency_ms = node.latency_ms;
  state.requested_milli_cpu = node.requested_milli_cpu;
  state.requested_memory = node.requested_memory;
  state.allocatable_milli_cpu = size.milli_cpu;
  state.allocatable_memory = size.memory;
  state.pods = static_cast<double>(node.running.size());
  state.allocatable_pods = size.pods;
}

bool ClusterEnvironment::FindCandidates() {
  candidates_.clear();
  candidate_nodes_.clear();
  const PodFeatures asks = pod();
  double cpu = 0, memory = 0, known = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const SimNode& size = scenario_->nodes[i];
    const Node& node = nodes_[i];
    if (size.usage_known) {
      cpu += *node.seen.cpu_ratio, memory += *node.seen.memory_ratio;
      known += 1;
    }
    if (node.requested_milli_cpu + asks.milli_cpu > size.milli_cpu ||
        node.requested_memory + asks.memory > size.memory ||
        static_cast<double>(node.running.size()) + 1 > size.pods) {
      continue;
    }
    candidate_nodes_.push_back(i);
    candidates_.push_back(node.seen);
  }
  seen_mean_ = {known > 0 ? cpu / known : 0.5, known > 0 ? memory / known : 0.5};
  return !candidates_.empty();
}

}  // namespace leadline
