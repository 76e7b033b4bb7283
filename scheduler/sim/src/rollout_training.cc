// Distilled rollouts: the network learns how much better a node is than the other candidates of the
// same state, judged by trying each on the same future.
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <type_traits>

#include <fmt/format.h>

#include "leadline/nn/optimizer.h"
#include "rollout_samples.h"
#include "trainers.h"

namespace leadline {
namespace {

constexpr std::size_t kBatch = 32;
constexpr double kLearningRate = 0.002;
constexpr double kMostAdvantage = 2.0;  // one unlucky trial must not outweigh a hundred
constexpr float kLevelling = 0.05f;     // keeps A around 0, which advantages alone leave open
constexpr std::size_t kHeldOutEvery = 10;

template <typename T>
T MeanOf(std::span<T> values) {
  std::remove_const_t<T> sum = 0;
  for (T value : values) sum += value;
  return sum / static_cast<T>(values.size());
}

// Gradients and losses of one network on samples.
class Regression {
 public:
  Regression(const QNetwork& network, double trust) : network_(network), trust_(trust) {}

  // Squared error of the advantages; adds the gradient, times `share`, unless null.
  double Add(const RolloutSample& sample, float share, std::vector<float>* gradient) {
    network_.Forward(sample.rows, sample.context, &workspace_, &values_);
    const std::size_t n = sample.returns.size();
    const float mean = MeanOf(std::span(values_).first(n));
    const double mean_score = MeanOf(std::span(sample.scores));
    std::vector<float> weights(n + 1, 0.0f);
    double loss = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double wanted = trust_ * Advantage(sample, sample.returns[i]) +
                            (1 - trust_) * (sample.scores[i] - mean_score);
      const float error = values_[i] - mean - static_cast<float>(wanted);
      loss += double{error} * error / static_cast<double>(n);
      weights[i] = share * error;
    }
    if (gradient == nullptr) return loss;
    // The value of the state is told as the reward of one decision.
    const float value_error = mean - static_cast<float>(sample.mean_return / sample.decisions);
    for (std::size_t i = 0; i < n; ++i) {
      weights[i] += share * kLevelling * value_error / static_cast<float>(n);
    }
    if (sample.reject_return) {
      weights[n] = share * (values_[n] - mean - Advantage(sample, *sample.reject_return));
    }
    network_.AccumulateGradient(sample.rows, sample.context, weights, share * value_error,
                                &workspace_, gradient);
    return loss;
  }

 private:
  static float Advantage(const RolloutSample& sample, double value) {
    return static_cast<float>(
        std::clamp(value - sample.mean_return, -kMostAdvantage, kMostAdvantage));
  }

  const QNetwork& network_;
  double trust_;
  QNetwork::Workspace workspace_;
  std::vector<float> values_;
};

struct Split {
  std::vector<RolloutSample> training, held_out;
};

double MeanLoss(const QNetwork& network, double trust, const std::vector<RolloutSample>& samples) {
  Regression regression(network, trust);
  double sum = 0;
  for (const RolloutSample& sample : samples) sum += regression.Add(sample, 1.0f, nullptr);
  return sum / static_cast<double>(samples.size());
}

// Fits a copy of the network and keeps the weights that did best on the states held out.
QNetwork Fit(QNetwork network, const Split& samples, const TrainOptions& options, Rng* rng) {
  Optimizer optimizer(OptimizerKind::kAdam, kLearningRate);
  QNetwork best = network;
  double lowest = MeanLoss(network, options.rollouts.trust, samples.held_out);
  const std::size_t updates = options.rollouts.updates;
  std::vector<float> gradient;
  for (std::size_t update = 1; update <= updates; ++update) {
    const double left = 1.0 - static_cast<double>(update) / static_cast<double>(updates + 1);
    optimizer.set_learning_rate(kLearningRate * left);
    gradient.assign(network.shape().ParameterCount(), 0.0f);
    Regression regression(network, options.rollouts.trust);
    for (std::size_t i = 0; i < kBatch; ++i) {
      regression.Add(samples.training[rng->Below(samples.training.size())],
                     1.0f / static_cast<float>(kBatch), &gradient);
    }
    ClipGradient(1.0, &gradient);
    std::vector<float> parameters = network.Parameters();
    if (optimizer.Step(gradient, &parameters)) network.SetParameters(parameters);
    if (update % (updates / 20 + 1) != 0 && update != updates) continue;
    const double loss = MeanLoss(network, options.rollouts.trust, samples.held_out);
    options.progress(
        fmt::format("update {} of {}: error {:.6f} on states held out", update, updates, loss));
    if (loss < lowest) lowest = loss, best = network;
  }
  return best;
}

}  // namespace

WeightsFile TrainByRollouts(const TrainOptions& options, const StateEncoder& encoder,
                            ClusterEnvironment environment) {
  Rng rng(options.seed);
  WeightsFile weights;
  weights.info = {std::string(encoder.Name()), "rollouts", options.seed};
  weights.network = QNetwork(ShapeFor(encoder), rng);
  std::unique_ptr<PlacementPolicy> leader = MakeGreedyPolicy(options.rollouts.spread);
  Split samples;
  for (std::size_t round = 1; round <= options.rollouts.rounds; ++round) {
    options.progress(fmt::format("round {} of {}: trying candidates out in {} states", round,
                                 options.rollouts.rounds, options.rollouts.states));
    auto collected = CollectSamples(options.rollouts, *leader, environment, &rng);
    for (std::size_t i = 0; i < collected.size(); ++i) {
      auto& part = i % kHeldOutEvery == 0 ? samples.held_out : samples.training;
      part.push_back(std::move(collected[i]));
    }
    weights.network = Fit(std::move(weights.network), samples, options, &rng);
    weights.info.steps += options.rollouts.updates;
    leader = MakeNetworkPolicy(std::make_shared<const WeightsFile>(weights), "network").value();
  }
  return weights;
}

}  // namespace leadline
