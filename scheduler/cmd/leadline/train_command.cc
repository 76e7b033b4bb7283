#include <memory>

#include "commands.h"
#include "leadline/sim/training.h"

namespace leadline {
namespace {

struct TrainArguments {
  TrainOptions options;
  std::string output;
  bool quiet = false;
};

int RunTrain(TrainArguments arguments) {
  if (!arguments.quiet) {
    arguments.options.progress = [](const std::string& text) { fmt::print(stderr, "{}\n", text); };
  }
  const auto weights = Train(arguments.options);
  if (!weights) return Fail(weights.error());
  if (const auto written = WriteWeightsFile(arguments.output, *weights); !written) {
    return Fail(written.error());
  }
  fmt::print("{}: encoder {}, {}, {} updates\n", arguments.output, weights->info.encoder,
             weights->network.shape().ToString(), weights->info.steps);
  return 0;
}

}  // namespace

void AddTrainCommand(CLI::App* app, int* exit_code) {
  auto arguments = std::make_shared<TrainArguments>();
  TrainOptions& options = arguments->options;
  CLI::App* train = app->add_subcommand("train", "train weights in the memory cluster");
  train->add_option("-o,--output", arguments->output, "weights file to write")
      ->required()
      ->type_name("FILE");
  train->add_option("--encoder", options.encoder, "rich or three")->capture_default_str();
  train->add_option("--method", options.method, "rollouts or dqn")->capture_default_str();
  train->add_option("--seed", options.seed, "the same seed gives the same weights")
      ->capture_default_str();
  train->add_option("--states", options.rollouts.states, "rollouts: states tried out a round")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  train->add_option("--rounds", options.rollouts.rounds, "rollouts: rounds")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  train->add_option("--horizon", options.rollouts.horizon, "rollouts: decisions followed")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  train
      ->add_option("--spread", options.rollouts.spread,
                   "rollouts: weight of emptiness in the rule that is followed")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  train
      ->add_option("--trust", options.rollouts.trust,
                   "rollouts: weight of what was tried against the rule's own scores")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  train->add_option("--updates", options.rollouts.updates, "rollouts: updates a round")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  train->add_option("--steps", options.dqn_steps, "dqn: decisions")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  train->add_flag("--double", options.agent.double_q, "dqn: double Q-learning");
  train->add_flag("--centre", options.agent.centre_rewards, "dqn: reward centring");
  train
      ->add_option("--gradient-norm", options.agent.max_gradient_norm,
                   "dqn: longest gradient; 0 is any")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  train->add_option("--min-nodes", options.scenarios.min_nodes, "smallest cluster")
      ->capture_default_str();
  train->add_option("--max-nodes", options.scenarios.max_nodes, "largest cluster")
      ->capture_default_str();
  train->add_flag("-q,--quiet", arguments->quiet, "no progress");
  train->callback([arguments, exit_code] { *exit_code = RunTrain(*arguments); });
}

}  // namespace leadline
