#include "dqn_features.h"

#include <algorithm>

namespace leadline {
namespace {

float FreeShare(std::int64_t requested, std::int64_t allocatable) {
  if (allocatable <= 0 || requested > allocatable) return 0.0f;
  return 100.0f * static_cast<float>(allocatable - requested) / static_cast<float>(allocatable);
}

std::array<double, 3> Encoded(const ThreeState& state) {
  return EncodeThree(state.cpu_ratio, state.memory_ratio, state.latency_ms);
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

std::vector<float> LeastAllocatedScores(NodeList nodes, const PodInfo& pod) {
  std::vector<float> scores;
  for (const NodeInfo* node : nodes) {
    const float cpu = FreeShare(node->non_zero_requested().milli_cpu + pod.non_zero.milli_cpu,
                                node->allocatable().milli_cpu);
    const float memory = FreeShare(node->non_zero_requested().memory + pod.non_zero.memory,
                                   node->allocatable().memory);
    scores.push_back((cpu + memory) / 2);
  }
  return scores;
}

void SetMeasured(const std::vector<ThreeState>& states, DecoderInput* input) {
  std::size_t usable = 0;
  for (const ThreeState& state : states) {
    if (state.cpu_ratio || state.memory_ratio || state.latency_ms) input->has_metrics = true;
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

PlacementState PlacementOf(const LearnedDecision& learned) {
  const auto chosen = Encoded(learned.states[learned.action]);
  std::vector<ThreeState> all;
  for (const NamedState& node : learned.cluster) all.push_back(node.state);
  const auto mean = MeanOf(all);
  return {chosen[0], chosen[1], chosen[2], mean[0], mean[1]};
}

}  // namespace leadline
