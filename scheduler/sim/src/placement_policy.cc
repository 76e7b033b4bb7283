#include "leadline/sim/placement_policy.h"

#include <fmt/format.h>

#include "leadline/rl/least_allocated.h"
#include "leadline/rl/policy.h"

namespace leadline {
namespace {

// How much emptiness counts in "spread": the best of 0, 0.05, 0.1, 0.2, 0.4 and 0.8.
constexpr double kSpread = 0.4;

// Scores every candidate and takes the best, ties drawn.
class ScoringPolicy : public PlacementPolicy {
 public:
  std::size_t Choose(const ClusterEnvironment& environment, Rng* rng) override {
    scores_.resize(environment.candidates().size());
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      scores_[i] = static_cast<float>(Score(environment, i));
    }
    return ChooseEpsilonGreedy(scores_, {}, 0.0, rng)->action;
  }

 protected:
  virtual double Score(const ClusterEnvironment& environment, std::size_t candidate) const = 0;

 private:
  std::vector<float> scores_;
};

class RandomPolicy : public ScoringPolicy {
 public:
  std::string Name() const override { return "random"; }

 protected:
  double Score(const ClusterEnvironment&, std::size_t) const override { return 0.0; }
};

class LeastAllocatedPolicy : public ScoringPolicy {
 public:
  std::string Name() const override { return "least-allocated"; }

 protected:
  double Score(const ClusterEnvironment& environment, std::size_t i) const override {
    return LeastAllocatedScore(environment.candidates()[i], environment.pod());
  }
};

class GreedyPolicy : public ScoringPolicy {
 public:
  explicit GreedyPolicy(double spread) : spread_(spread) {}
  std::string Name() const override { return spread_ == 0 ? "greedy" : "spread"; }

 protected:
  double Score(const ClusterEnvironment& environment, std::size_t i) const override {
    return GreedyScore(environment, i, spread_);
  }

 private:
  double spread_;
};

class NetworkPolicy : public PlacementPolicy {
 public:
  NetworkPolicy(std::unique_ptr<StateEncoder> encoder, std::shared_ptr<const WeightsFile> weights,
                std::string name)
      : encoder_(std::move(encoder)), weights_(std::move(weights)), name_(std::move(name)) {}
  std::string Name() const override { return name_; }

  std::size_t Choose(const ClusterEnvironment& environment, Rng* rng) override {
    DecoderInput input;
    input.nodes = environment.candidates();
    input.pod = environment.pod();
    input.rejections = environment.rejections();
    encoder_->Encode(input.nodes, input.pod, &observation_);
    weights_->network.Forward(observation_.rows, observation_.context, &workspace_, &values_);
    input.values = values_;
    return decoder_.Decode(input, rng).action;
  }

 private:
  std::unique_ptr<StateEncoder> encoder_;
  std::shared_ptr<const WeightsFile> weights_;
  std::string name_;
  ActionDecoder decoder_;
  Observation observation_;
  QNetwork::Workspace workspace_;
  std::vector<float> values_;
};

}  // namespace

std::unique_ptr<PlacementPolicy> MakeRandomPolicy() { return std::make_unique<RandomPolicy>(); }

std::unique_ptr<PlacementPolicy> MakeLeastAllocatedPolicy() {
  return std::make_unique<LeastAllocatedPolicy>();
}

double GreedyScore(const ClusterEnvironment& environment, std::size_t candidate, double spread) {
  const double empty =
      LeastAllocatedScore(environment.candidates()[candidate], environment.pod()) / 100;
  return environment.PredictedReward(candidate) + spread * empty;
}

std::unique_ptr<PlacementPolicy> MakeGreedyPolicy(double spread) {
  return std::make_unique<GreedyPolicy>(spread);
}

Result<std::unique_ptr<PlacementPolicy>> MakeNetworkPolicy(
    std::shared_ptr<const WeightsFile> weights, std::string name) {
  auto encoder = MakeEncoder(weights->info.encoder);
  if (!encoder) return encoder.error();
  const StateEncoder& made = **encoder;
  const auto matches = weights->Matches(made.Name(), made.width(), made.context_width());
  if (!matches) return matches.error();
  return std::unique_ptr<PlacementPolicy>(std::make_unique<NetworkPolicy>(
      std::move(encoder).value(), std::move(weights), std::move(name)));
}

Result<std::unique_ptr<PlacementPolicy>> MakeBaseline(const std::string& name) {
  if (name == "random") return MakeRandomPolicy();
  if (name == "least-allocated") return MakeLeastAllocatedPolicy();
  if (name == "greedy") return MakeGreedyPolicy(0.0);
  if (name == "spread") return MakeGreedyPolicy(kSpread);
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("unknown policy \"{}\"; there are random, least-allocated, greedy and "
                           "spread",
                           name));
}

void Play(PlacementPolicy& policy, ClusterEnvironment& environment, Rng* rng) {
  while (!environment.over()) environment.Step(policy.Choose(environment, rng));
}

}  // namespace leadline
