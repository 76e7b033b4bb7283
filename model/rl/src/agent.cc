#include "leadline/rl/agent.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <spdlog/spdlog.h>

namespace leadline {
namespace {

bool AllFinite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

// The loss and the gradient of the value that is off by `error`.
struct Pull {
  double loss = 0, slope = 0;
};
Pull PullOf(double error, TdLoss kind) {
  if (kind == TdLoss::kHuber && std::abs(error) > 1.0) {
    return {std::abs(error) - 0.5, error > 0 ? 1.0 : -1.0};
  }
  return {0.5 * error * error, error};
}

std::vector<std::uint8_t> Mask(std::size_t nodes, bool can_reject) {
  std::vector<std::uint8_t> mask(nodes + 1, 1);
  mask[nodes] = can_reject;
  return mask;
}

// The index of the largest value that the mask allows.
std::size_t Best(const std::vector<float>& values, bool can_reject) {
  const auto end = values.end() - (can_reject ? 0 : 1);
  return static_cast<std::size_t>(std::max_element(values.begin(), end) - values.begin());
}

}  // namespace

Agent::Agent(const QNetworkShape& shape, const AgentOptions& options, std::uint64_t seed)
    : options_(options),
      rng_(seed),
      online_(shape, rng_),
      target_(online_),
      optimizer_(options.optimizer, options.learning_rate),
      replay_(options.replay_capacity) {}

PolicyChoice Agent::Act(const Observation& observation, bool can_reject) {
  const double epsilon = options_.epsilon.At(statistics_.steps++);
  online_.Forward(observation.rows, observation.context, &workspace_, &values_);
  const auto mask = Mask(observation.nodes, can_reject);
  return ChooseEpsilonGreedy(values_, mask, epsilon, &rng_).value();
}

std::size_t Agent::ActGreedily(const Observation& observation, bool can_reject) {
  online_.Forward(observation.rows, observation.context, &workspace_, &values_);
  return Best(values_, can_reject);
}

Transition Agent::MakeTransition(const Observation& before, std::size_t action, double reward,
                                 const Observation& after, bool after_can_reject, bool done) {
  const auto row_of = [](const Observation& observation, std::size_t i) {
    return observation.rows.begin() + static_cast<std::ptrdiff_t>(i * observation.width);
  };
  Transition transition;
  if (action < before.nodes) {
    transition.row.assign(row_of(before, action), row_of(before, action + 1));
  }
  transition.context = before.context;
  transition.reward = reward;
  transition.next_context = after.context;
  transition.next_can_reject = after_can_reject;
  transition.done = done;
  std::vector<std::size_t> order(after.nodes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t kept = std::min(order.size(), options_.candidates_kept);
  for (std::size_t i = 0; i < kept; ++i) {
    // With all kept there is nothing to draw.
    if (kept < order.size()) std::swap(order[i], order[i + rng_.Below(order.size() - i)]);
    transition.next_rows.insert(transition.next_rows.end(), row_of(after, order[i]),
                                row_of(after, order[i] + 1));
  }
  return transition;
}

bool Agent::IsUsable(const Transition& transition) const {
  const auto row = static_cast<std::size_t>(online_.shape().row_width);
  const auto context = static_cast<std::size_t>(online_.shape().context_width);
  return (transition.row.empty() || transition.row.size() == row) &&
         transition.context.size() == context && transition.next_context.size() == context &&
         transition.next_rows.size() % row == 0 && std::isfinite(transition.reward) &&
         AllFinite(transition.row) && AllFinite(transition.context) &&
         AllFinite(transition.next_rows) && AllFinite(transition.next_context);
}

bool Agent::Remember(Transition transition) {
  if (!IsUsable(transition)) {
    ++statistics_.refused_transitions;
    return false;
  }
  transition.reward =
      std::clamp(transition.reward, -options_.max_abs_reward, options_.max_abs_reward);
  const double mean = mean_reward_.value_or(transition.reward);
  mean_reward_ = mean + options_.centring_rate * (transition.reward - mean);
  replay_.Add(std::move(transition));
  return true;
}

double Agent::BestNext(const Transition& next) {
  target_.Forward(next.next_rows, next.next_context, &workspace_, &target_values_);
  const bool none = target_values_.size() == 1 && !next.next_can_reject;
  if (none) return 0.0;
  if (!options_.double_q) return target_values_[Best(target_values_, next.next_can_reject)];
  online_.Forward(next.next_rows, next.next_context, &workspace_, &values_);
  return target_values_[Best(values_, next.next_can_reject)];
}

double Agent::Target(const Transition& transition) {
  const double centre = options_.centre_rewards ? mean_reward_.value_or(0.0) : 0.0;
  const double follows = transition.done ? 0.0 : options_.gamma * BestNext(transition);
  return transition.reward - centre + follows;
}

std::optional<bool> Agent::Update() {
  if (replay_.size() == 0 || replay_.size() < options_.learn_after) return std::nullopt;
  gradient_.assign(online_.shape().ParameterCount(), 0.0f);
  double loss = 0;
  const auto share = static_cast<float>(1.0 / static_cast<double>(options_.batch_size));
  for (const Transition* transition : replay_.Sample(options_.batch_size, &rng_)) {
    const double target = Target(*transition);
    online_.Forward(transition->row, transition->context, &workspace_, &values_);
    const Pull pull = PullOf(values_[0] - target, options_.loss);
    loss += pull.loss * share;
    // A rejection has no row: its only weight is that of rejecting.
    std::vector<float> weights(values_.size(), 0.0f);
    weights[0] = static_cast<float>(pull.slope) * share;
    online_.AccumulateGradient(transition->row, transition->context, weights, weights[0],
                               &workspace_, &gradient_);
  }
  if (options_.max_gradient_norm > 0) ClipGradient(options_.max_gradient_norm, &gradient_);
  std::vector<float> parameters = online_.Parameters();
  if (!std::isfinite(loss) || !optimizer_.Step(gradient_, &parameters)) {
    ++statistics_.refused_updates;
    spdlog::warn(
        "learning: an update would have made weights that are not finite; the last good "
        "ones stay ({} refused so far)",
        statistics_.refused_updates);
    return false;
  }
  online_.SetParameters(parameters);
  statistics_.loss = loss;
  if (++statistics_.updates % options_.target_copy_updates == 0) target_ = online_;
  return true;
}

bool Agent::SetParameters(std::span<const float> parameters) {
  return online_.SetParameters(parameters) && target_.SetParameters(parameters);
}

AgentStatistics Agent::statistics() const {
  AgentStatistics all = statistics_;
  all.epsilon = options_.epsilon.At(statistics_.steps);
  all.mean_reward = mean_reward_.value_or(0.0);
  all.replay_size = replay_.size();
  return all;
}

}  // namespace leadline
