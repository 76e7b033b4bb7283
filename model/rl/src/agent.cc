#include "leadline/rl/agent.h"

#include <algorithm>
#include <cmath>

#include "agent_state.h"

namespace leadline {
namespace {

constexpr double kMeanRewardRate = 0.001;  // of reward centring
// Beyond this a reward is a mistake, not a signal.
constexpr float kMaxReward = 1e6f;

std::size_t BestAllowed(const std::vector<float>& values, const std::vector<char>& mask) {
  std::size_t best = values.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!mask.empty() && mask[i] == 0) continue;
    if (best == values.size() || values[i] > values[best]) best = i;
  }
  return best;
}

bool Sound(const AgentState& state) {
  const auto fine = [](float x) { return std::isfinite(x) && std::abs(x) < 1e6f; };
  return std::all_of(state.rows.begin(), state.rows.end(), fine) &&
         std::all_of(state.context.begin(), state.context.end(), fine);
}

}  // namespace

Agent::Agent(QNetworkShape shape, AgentOptions options, std::uint64_t seed)
    : options_(options),
      rng_(seed),
      network_(std::move(shape), rng_),
      target_(network_),
      optimizer_(options.learning_rate),
      replay_(options.replay_capacity) {}

void Agent::Values(const QNetwork& network, const AgentState& state, std::vector<float>* values) {
  network.Values(state.rows, state.context, &workspace_, values);
}

PolicyChoice Agent::Act(const AgentState& state) {
  std::vector<float> values;
  Values(network_, state, &values);
  const double epsilon = options_.epsilon.At(steps_++);
  return EpsilonGreedy(values, state.mask, epsilon, rng_);
}

std::size_t Agent::Greedy(const AgentState& state) {
  std::vector<float> values;
  Values(network_, state, &values);
  return BestAllowed(values, state.mask);
}

double Agent::Target(const Transition& transition) {
  const double reward = transition.reward - (options_.reward_centring ? mean_reward_ : 0.0);
  if (transition.done) return reward;
  std::vector<float> next;
  Values(target_, transition.next_state, &next);
  std::size_t best = BestAllowed(next, transition.next_state.mask);
  if (options_.double_dqn) {
    std::vector<float> online;
    Values(network_, transition.next_state, &online);
    best = BestAllowed(online, transition.next_state.mask);
  }
  return best == next.size() ? reward : reward + options_.gamma * next[best];
}

Agent::UpdateResult Agent::Update() {
  UpdateResult result;
  if (replay_.size() == 0) return result;
  std::vector<float> gradient(network_.parameter_count(), 0.0f);
  std::vector<float> values;
  bool sound = true;
  for (std::size_t i = 0; i < options_.batch; ++i) {
    const Transition& transition = replay_.Sample(rng_);
    if (!Sound(transition.state) || !Sound(transition.next_state) ||
        !(std::abs(transition.reward) <= kMaxReward)) {
      sound = false;
      break;
    }
    mean_reward_ += kMeanRewardRate * (transition.reward - mean_reward_);
    const double target = Target(transition);
    Values(network_, transition.state, &values);
    const double error = values[transition.action] - target;
    const double size = std::abs(error);
    result.loss += options_.huber && size > 1 ? size - 0.5 : 0.5 * error * error;
    const double slope = options_.huber ? std::clamp(error, -1.0, 1.0) : error;
    std::vector<float> weights(values.size(), 0.0f);
    weights[transition.action] = static_cast<float>(slope / static_cast<double>(options_.batch));
    network_.AccumulateGradient(transition.state.rows, transition.state.context, weights,
                                &workspace_, &gradient);
  }
  result.loss /= static_cast<double>(options_.batch);
  if (options_.max_gradient_norm > 0) ClipGradient(options_.max_gradient_norm, &gradient);
  std::vector<float> parameters = network_.Parameters();
  sound = sound && std::isfinite(result.loss) && optimizer_.Step(gradient, &parameters) &&
          network_.SetParameters(parameters);
  if (!sound) {
    ++discarded_;
    return result;
  }
  result.applied = true;
  if (++updates_ % options_.target_period == 0) target_ = network_;
  return result;
}

std::string Agent::SaveState() const {
  AgentCheckpoint checkpoint;
  checkpoint.network = network_.Parameters();
  checkpoint.target = target_.Parameters();
  checkpoint.optimizer = optimizer_.state();
  checkpoint.rng = rng_.state();
  checkpoint.steps = steps_;
  checkpoint.updates = updates_;
  checkpoint.mean_reward = mean_reward_;
  checkpoint.replay = replay_.items();
  return Serialize(checkpoint);
}

Result<void> Agent::RestoreState(const std::string& bytes) {
  Result<AgentCheckpoint> checkpoint = ParseCheckpoint(bytes);
  if (!checkpoint) return checkpoint.error();
  QNetwork network = network_, target = target_;
  if (!network.SetParameters(checkpoint->network) || !target.SetParameters(checkpoint->target)) {
    return Error(ErrorCode::kInvalidArgument,
                 "the saved state belongs to a network of another shape, or is not finite");
  }
  network_ = std::move(network);
  target_ = std::move(target);
  optimizer_.set_state(std::move(checkpoint->optimizer));
  rng_ = Rng(checkpoint->rng);
  steps_ = checkpoint->steps;
  updates_ = checkpoint->updates;
  mean_reward_ = checkpoint->mean_reward;
  replay_ = ReplayBuffer(options_.replay_capacity);
  for (Transition& transition : checkpoint->replay) replay_.Add(std::move(transition));
  return {};
}

}  // namespace leadline
