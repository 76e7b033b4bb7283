#include "dqn_features.h"

#include "leadline/rl/least_allocated.h"

namespace leadline {
namespace {

std::array<double, 3> Encoded(const ThreeState& state) {
  return EncodeThree(state.cpu_ratio, state.memory_ratio, state.latency_ms);
}

std::optional<double> MeanOfKnown(const std::vector<std::optional<double>>& values) {
  double sum = 0;
  std::size_t known = 0;
  for (const auto& value : values) {
    if (!value) continue;
    sum += *value;
    ++known;
  }
  if (known == 0) return std::nullopt;
  return sum / static_cast<double>(known);
}

std::array<double, 3> MeanOf(const std::vector<ThreeState>& states) {
  std::array<double, 3> mean{};
  for (const ThreeState& state : states) {
    const auto three = Encoded(state);
    for (std::size_t i = 0; i < 3; ++i) mean[i] += three[i] / static_cast<double>(states.size());
  }
  return mean;
}

}  // namespace

std::vector<NodeState> FeaturesOf(NodeList nodes, const std::vector<ThreeState>& states) {
  std::vector<NodeState> features(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeInfo& node = *nodes[i];
    NodeState& out = features[i];
    out.cpu_ratio = states[i].cpu_ratio;
    out.memory_ratio = states[i].memory_ratio;
    out.latency_ms = states[i].latency_ms;
    out.requested_milli_cpu = static_cast<double>(node.requested().milli_cpu);
    out.allocatable_milli_cpu = static_cast<double>(node.allocatable().milli_cpu);
    out.requested_memory = static_cast<double>(node.requested().memory);
    out.allocatable_memory = static_cast<double>(node.allocatable().memory);
    out.pods = static_cast<double>(node.pods().size());
    out.allocatable_pods = static_cast<double>(node.allocatable().allowed_pods);
  }
  return features;
}

PodFeatures PodFeaturesOf(const PodInfo& pod) {
  return {static_cast<double>(pod.non_zero.milli_cpu), static_cast<double>(pod.non_zero.memory)};
}

std::vector<float> LeastAllocatedScores(std::span<const NodeState> nodes, const PodFeatures& pod) {
  std::vector<float> scores;
  for (const NodeState& node : nodes) {
    scores.push_back(static_cast<float>(LeastAllocatedScore(node, pod)));
  }
  return scores;
}

void SetMeasured(const std::vector<ThreeState>& states, DecoderInput* input) {
  std::size_t usable = 0;
  input->no_metrics = true;
  for (const ThreeState& state : states) {
    if (state.cpu_ratio || state.memory_ratio || state.latency_ms) input->no_metrics = false;
    if (state.cpu_ratio && state.memory_ratio) ++usable;
  }
  input->stale_metrics = 2 * usable < states.size();
}

Outcome OutcomeOf(const CycleState& state, const PodInfo& pod, const std::string& node) {
  const LearnedDecision& learned = *state.learned;
  Outcome outcome;
  outcome.decision_id = state.decision_id();
  outcome.time = Clock::Real().Now();
  outcome.pod = pod.pod->metadata.Key();
  outcome.uid = pod.uid();
  outcome.node = node;
  outcome.candidates = learned.states.size();
  outcome.action = learned.action;
  outcome.state = node.empty() ? MeanOf(learned.states) : Encoded(learned.states[learned.action]);
  outcome.fallback = learned.fallback;
  outcome.explored = learned.explored;
  outcome.propensity = learned.propensity;
  return outcome;
}

Placement PlacementOf(const LearnedDecision& learned) {
  const ThreeState& chosen = learned.states[learned.action];
  std::vector<std::optional<double>> cpu, memory;
  for (const ThreeState& node : learned.cluster) {
    cpu.push_back(node.cpu_ratio);
    memory.push_back(node.memory_ratio);
  }
  Placement placement;
  placement.cpu_ratio = chosen.cpu_ratio;
  placement.memory_ratio = chosen.memory_ratio;
  placement.latency_ms = chosen.latency_ms;
  placement.mean_cpu_ratio = MeanOfKnown(cpu);
  placement.mean_memory_ratio = MeanOfKnown(memory);
  return placement;
}

}  // namespace leadline
