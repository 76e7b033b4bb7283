#include "rollout_samples.h"

#include <algorithm>
#include <numeric>

namespace leadline {
namespace {

constexpr double kSampled = 0.15;     // of the decisions on the way
constexpr double kAstray = 0.2;       // of the decisions on the way are random
constexpr double kRejectTried = 0.3;  // of the samples try rejecting, too

struct Trial {
  double sum = 0;
  double decisions = 0;
};

// The reward of this action and of what the rule makes of the rest.
Trial Try(ClusterEnvironment environment, std::size_t action, PlacementPolicy& rule,
          std::size_t horizon, Rng rng) {
  Trial trial;
  trial.sum = environment.Step(action).reward;
  trial.decisions = 1;
  while (!environment.over() && trial.decisions < static_cast<double>(horizon)) {
    trial.sum += environment.Step(rule.Choose(environment, &rng)).reward;
    trial.decisions += 1;
  }
  return trial;
}

std::vector<std::size_t> PickCandidates(std::size_t nodes, std::size_t favourite, std::size_t most,
                                        Rng* rng) {
  std::vector<std::size_t> order(nodes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::swap(order[0], order[favourite]);
  for (std::size_t i = 1; i + 1 < nodes; ++i) std::swap(order[i], order[i + rng->Below(nodes - i)]);
  order.resize(std::min(nodes, most));
  return order;
}

RolloutSample TryOut(const RolloutOptions& options, const ClusterEnvironment& environment,
                     PlacementPolicy& rule, Rng* rng) {
  const Observation& observation = environment.Observe();
  const std::size_t favourite = rule.Choose(environment, rng);
  // All trials draw alike.
  const Rng draws(rng->NextU64());
  RolloutSample sample;
  sample.context = observation.context;
  for (std::size_t i : PickCandidates(observation.nodes, favourite, options.candidates, rng)) {
    const float* row = &observation.rows[i * observation.width];
    sample.rows.insert(sample.rows.end(), row, row + observation.width);
    const Trial trial = Try(environment, i, rule, options.horizon, draws);
    sample.returns.push_back(trial.sum);
    sample.scores.push_back(GreedyScore(environment, i, options.spread));
    sample.decisions = std::max(sample.decisions, trial.decisions);
  }
  sample.mean_return = std::accumulate(sample.returns.begin(), sample.returns.end(), 0.0) /
                       static_cast<double>(sample.returns.size());
  if (environment.CanReject() && rng->Uniform() < kRejectTried) {
    // Cut after as many decisions as the others: the one spent on rejecting places nothing.
    const auto decisions = static_cast<std::size_t>(sample.decisions);
    sample.reject_return = Try(environment, observation.nodes, rule, decisions, draws).sum;
  }
  return sample;
}

}  // namespace

std::vector<RolloutSample> CollectSamples(const RolloutOptions& options, PlacementPolicy& leader,
                                          ClusterEnvironment environment, Rng* rng) {
  const auto rule = MakeGreedyPolicy(options.spread);
  std::vector<RolloutSample> samples;
  while (samples.size() < options.states) {
    environment.Reset(rng->NextU64() >> 1);
    while (!environment.over() && samples.size() < options.states) {
      const std::size_t nodes = environment.candidates().size();
      if (nodes > 1 && rng->Uniform() < kSampled) {
        samples.push_back(TryOut(options, environment, *rule, rng));
      }
      const bool astray = rng->Uniform() < kAstray;
      environment.Step(astray ? rng->Below(nodes) : leader.Choose(environment, rng));
    }
  }
  return samples;
}

}  // namespace leadline
