#include <filesystem>
#include <memory>

#include "commands.h"
#include "leadline/sim/evaluation.h"

namespace leadline {
namespace {

struct EvaluateArguments {
  EvaluationOptions options;
  std::vector<std::string> baselines = {"least-allocated", "random", "greedy", "spread"};
  std::vector<std::string> models;
  std::size_t seeds = 5;
};

Result<std::vector<std::unique_ptr<PlacementPolicy>>> MakePolicies(
    const EvaluateArguments& arguments) {
  std::vector<std::unique_ptr<PlacementPolicy>> policies;
  for (const std::string& name : arguments.baselines) {
    auto policy = MakeBaseline(name);
    if (!policy) return policy.error();
    policies.push_back(std::move(policy).value());
  }
  for (const std::string& path : arguments.models) {
    auto weights = ReadWeightsFile(path);
    if (!weights) return weights.error();
    auto policy = MakeNetworkPolicy(std::make_shared<const WeightsFile>(std::move(weights).value()),
                                    std::filesystem::path(path).filename().string());
    if (!policy) return policy.error().WithContext(path);
    policies.push_back(std::move(policy).value());
  }
  return policies;
}

int RunEvaluate(EvaluateArguments arguments) {
  const auto policies = MakePolicies(arguments);
  if (!policies) return Fail(policies.error());
  arguments.options.seeds.clear();
  for (std::uint64_t seed = 1; seed <= arguments.seeds; ++seed) {
    arguments.options.seeds.push_back(seed);
  }
  const auto results = Evaluate(*policies, arguments.options);
  if (!results) return Fail(results.error());
  fmt::print("{} seeds, {} episodes each, the same for every policy\n\n{}", arguments.seeds,
             arguments.options.episodes, FormatResults(*results));
  return 0;
}

}  // namespace

void AddEvaluateCommand(CLI::App* app, int* exit_code) {
  auto arguments = std::make_shared<EvaluateArguments>();
  EvaluationOptions& options = arguments->options;
  CLI::App* evaluate =
      app->add_subcommand("evaluate", "compare policies in the memory cluster, in pairs");
  evaluate->add_option("-m,--model", arguments->models, "weights files to compare")
      ->type_name("FILE");
  evaluate
      ->add_option("--baselines", arguments->baselines,
                   "least-allocated, random, greedy, spread; differences are to the first")
      ->delimiter(',')
      ->capture_default_str();
  evaluate->add_option("--seeds", arguments->seeds, "test seeds")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  evaluate->add_option("--episodes", options.episodes, "episodes a seed")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  evaluate->add_option("--min-nodes", options.scenarios.min_nodes, "smallest cluster")
      ->capture_default_str();
  evaluate->add_option("--max-nodes", options.scenarios.max_nodes, "largest cluster")
      ->capture_default_str();
  evaluate->add_flag("--demo", options.demo, "the demo's 12 nodes and 70 Pods instead");
  evaluate->callback([arguments, exit_code] { *exit_code = RunEvaluate(*arguments); });
}

}  // namespace leadline
