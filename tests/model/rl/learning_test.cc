// Whether the agent learns at all: small known problems, with fixed seeds.
#include <gtest/gtest.h>

#include <algorithm>

#include "leadline/rl/agent.h"
#include "model/rl/cart_pole.h"

namespace leadline {
namespace {

// Three nodes; the fuller one pays more when the context says so, the emptier one when not.
Observation Bandit(Rng& rng) {
  Observation seen{3, 2, {}, {}};
  const auto wanted = static_cast<float>(rng.Below(2));
  for (int i = 0; i < 3; ++i) {
    seen.rows.push_back(static_cast<float>(rng.Uniform()));
    seen.rows.push_back(wanted);
  }
  seen.context = {wanted, 1.0f - wanted, 0.5f};
  return seen;
}
double Pay(const Observation& seen, std::size_t action) {
  if (action == 3) return 0.4;  // rejecting is worth something, most nodes are worth more
  const double full = seen.rows[2 * action];
  return seen.context[0] > 0.5f ? full : 1.0 - full;
}

TEST(LearningTest, FindsTheBestActionOfAContextualBandit) {
  AgentOptions options;
  options.epsilon = {1.0, 0.5, 200, 0.1};
  Agent agent({2, 3, {32}, {8}}, options, 21);
  Rng rng(22);
  for (int i = 0; i < 3000; ++i) {
    const Observation seen = Bandit(rng);
    const std::size_t action = agent.Act(seen, true).action;
    agent.Remember(agent.MakeTransition(seen, action, Pay(seen, action), seen, true, true));
    agent.Update();
  }
  double lost = 0;
  for (int i = 0; i < 1000; ++i) {
    const Observation seen = Bandit(rng);
    double best = 0;
    for (std::size_t action = 0; action < 4; ++action) best = std::max(best, Pay(seen, action));
    lost += best - Pay(seen, agent.ActGreedily(seen, true));
  }
  EXPECT_LT(lost / 1000, 0.03);  // a random action loses 0.28
}

constexpr int kEpisodes = 20;

// Mean return over episodes that training never saw.
template <typename Choose>
double MeanReturn(Choose choose) {
  CartPole pole;
  int total = 0;
  for (int episode = 0; episode < kEpisodes; ++episode) {
    pole.Reset(100000 + static_cast<std::uint64_t>(episode));
    StepResult result;
    while (!result.done && !result.truncated) {
      result = pole.Step(choose(pole.Observe()));
      ++total;
    }
  }
  return static_cast<double>(total) / kEpisodes;
}

void Train(Agent* agent, int steps) {
  CartPole pole;
  std::uint64_t episode = 1;
  pole.Reset(episode);
  for (int i = 0; i < steps; ++i) {
    const Observation before = pole.Observe();
    const std::size_t action = agent->Act(before, false).action;
    const StepResult result = pole.Step(action);
    agent->Remember(
        agent->MakeTransition(before, action, result.reward, pole.Observe(), false, result.done));
    if (result.done || result.truncated) pole.Reset(++episode);
    agent->Update();
  }
}

TEST(LearningTest, BalancesAPoleFarLongerThanChance) {
  AgentOptions options;
  options.epsilon = {1.0, 0.8, 500, 0.1};
  options.double_q = true;
  options.max_gradient_norm = 10;
  Agent agent({6, 4, {64, 64}, {32}}, options, 31);
  Rng rng(32);
  const double chance = MeanReturn([&](const Observation&) { return rng.Below(2); });
  Train(&agent, 12000);
  const double learned =
      MeanReturn([&](const Observation& seen) { return agent.ActGreedily(seen, false); });
  EXPECT_LT(chance, 40);
  EXPECT_GT(learned, 100);
  RecordProperty("mean_return", static_cast<int>(learned));
}

}  // namespace
}  // namespace leadline
