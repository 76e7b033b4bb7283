#include <fmt/format.h>

#include "trainers.h"

namespace leadline {

WeightsFile TrainByDqn(const TrainOptions& options, const StateEncoder& encoder,
                       ClusterEnvironment environment) {
  Agent agent(ShapeFor(encoder), options.agent, options.seed);
  Rng episodes(options.seed);
  double reward = 0;
  std::size_t arrived = 0;
  environment.Reset(episodes.NextU64() >> 1);
  for (std::uint64_t step = 1; step <= options.dqn_steps; ++step) {
    const Observation before = environment.Observe();
    const std::size_t action = agent.Act(before, environment.CanReject()).action;
    const StepResult result = environment.Step(action);
    agent.Remember(agent.MakeTransition(before, action, result.reward, environment.Observe(),
                                        environment.CanReject(), result.done));
    if (step % options.dqn_steps_an_update == 0) agent.Update();
    while (environment.over()) {
      reward += environment.counts().reward;
      arrived += environment.counts().arrived;
      environment.Reset(episodes.NextU64() >> 1);
    }
    if (step % (options.dqn_steps / 10 + 1) == 0) {
      const AgentStatistics now = agent.statistics();
      options.progress(fmt::format(
          "{} of {} steps: reward a Pod {:.4f}, epsilon {:.3f}, loss {:.4f}", step,
          options.dqn_steps, reward / static_cast<double>(std::max<std::size_t>(arrived, 1)),
          now.epsilon, now.loss));
      reward = 0, arrived = 0;
    }
  }
  WeightsFile weights;
  weights.info = {std::string(encoder.Name()), "dqn", options.seed, agent.statistics().updates};
  weights.network = agent.network();
  return weights;
}

}  // namespace leadline
