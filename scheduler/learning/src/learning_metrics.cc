#include "leadline/learning/learning_metrics.h"

#include <algorithm>

namespace leadline {
namespace {

const std::vector<double> kValues = {-5, -2, -1, -0.5, -0.2, 0, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100};
const std::vector<double> kRewards = {-3, -2, -1.5, -1, -0.5, 0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2};
const std::vector<double> kLatencies = {0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01,
                                        0.02,   0.05,   0.1,    0.2,   0.5,   1};

}  // namespace

LearningMetrics::LearningMetrics(Registry& registry)
    : decisions_(registry.DeclareCounter({"leadline_decisions_total",
                                          "Decisions that DQNScore took part in, by who decided: "
                                          "the network, or the fallback in its place.",
                                          {"profile", "decided_by"}})),
      fallbacks_(registry.DeclareCounter({"leadline_fallbacks_total",
                                          "Decisions left to a fallback, and why.",
                                          {"fallback", "reason"}})),
      rejections_(registry.DeclarePlainCounter("leadline_rejections_total",
                                               "Pods put off because the policy rather waits.")),
      explored_(registry.DeclarePlainCounter("leadline_explorations_total",
                                             "Actions drawn at random to learn from.")),
      chosen_value_(registry.DeclarePlainHistogram(
          "leadline_chosen_value", "Action value of the chosen node, as the network gave it.",
          kValues)),
      advantage_(registry.DeclarePlainHistogram(
          "leadline_chosen_advantage",
          "Value of the chosen node above the mean value of all candidates.", kValues)),
      chosen_latency_(registry.DeclarePlainHistogram(
          "leadline_chosen_latency_seconds",
          "Measured mean round trip of the chosen node to its peers.", kLatencies)),
      reward_(registry.DeclarePlainHistogram("leadline_reward", "Rewards of decisions.", kRewards)),
      reward_parts_(registry.DeclareGauge(
          {"leadline_reward_part_sum", "Sum of each part of the rewards since start.", {"part"}})),
      outcomes_(registry.DeclareCounter({"leadline_outcomes_total",
                                         "Decisions whose reward is known, by what Kubernetes "
                                         "reported.",
                                         {"event"}})),
      epsilon_(registry.DeclarePlainGauge("leadline_epsilon",
                                          "Probability of a random feasible action now.")),
      model_(registry.DeclareGauge({"leadline_model_info",
                                    "1, with the encoder and the checksum of the weights in use.",
                                    {"encoder", "weights"}})) {}

void LearningMetrics::OnDecision(std::shared_ptr<const Decision> decision) {
  if (!decision->learned || decision->candidates.empty()) return;
  const LearnedDecision& learned = *decision->learned;
  const std::string by = learned.fallback.empty() ? "network" : learned.fallback;
  decisions_.With({decision->profile, by}).Increment();
  if (!learned.fallback.empty()) {
    fallbacks_.With({learned.fallback, learned.fallback_reason}).Increment();
  }
  if (decision->result == Decision::Result::kDeferred) rejections_.Increment();
  if (learned.explored) explored_.Increment();
  if (learned.action >= learned.states.size()) return;
  const auto& latency = learned.states[learned.action].latency_ms;
  if (latency) chosen_latency_.Observe(*latency / 1e3);
  if (learned.values.empty()) return;
  double sum = 0;
  for (float value : learned.values) sum += value;
  const double value = learned.values[learned.action];
  chosen_value_.Observe(value);
  advantage_.Observe(value - sum / static_cast<double>(learned.values.size()));
}

void LearningMetrics::OnOutcome(std::shared_ptr<const Outcome> outcome) {
  outcomes_.With({outcome->event}).Increment();
  reward_.Observe(outcome->reward);
  for (const auto& [part, value] : outcome->reward_parts) reward_parts_.With({part}).Add(value);
}

void LearningMetrics::SetModel(const std::string& encoder, const std::string& weights) {
  model_.ReplaceAll({{{encoder, weights.empty() ? "none" : weights}, 1.0}});
}

}  // namespace leadline
