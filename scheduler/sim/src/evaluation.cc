#include "leadline/sim/evaluation.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace leadline {
namespace {

// Quantiles of Student's t at 97.5% for 1 to 10 degrees of freedom, beyond that nearly 2.
double StudentT(std::size_t degrees) {
  constexpr std::array<double, 10> kTable = {12.706, 4.303, 3.182, 2.776, 2.571,
                                             2.447,  2.365, 2.306, 2.262, 2.228};
  return degrees <= kTable.size() ? kTable[degrees - 1] : 2.0 + 2.5 / static_cast<double>(degrees);
}

// The scenario of this episode: the same for every policy.
std::shared_ptr<const Scenario> EpisodeScenario(const EvaluationOptions& options,
                                                std::uint64_t seed, std::size_t episode) {
  // Far from the seeds that training draws from.
  const std::uint64_t mixed = Rng(seed * 1000003 + episode).NextU64() | (1ull << 63);
  return std::make_shared<const Scenario>(options.demo ? MakeDemoScenario(mixed)
                                                       : DrawScenario(options.scenarios, mixed));
}

struct Sums {
  double reward = 0, rejected = 0, decisions = 0, failed = 0, arrived = 0, placed = 0, latency = 0;
  double cpu_deviation = 0, memory_deviation = 0;

  void Add(const ClusterEnvironment& environment) {
    const EpisodeCounts& counts = environment.counts();
    reward += counts.reward;
    rejected += static_cast<double>(counts.rejected);
    decisions += static_cast<double>(counts.decisions);
    failed += static_cast<double>(counts.failed);
    arrived += static_cast<double>(counts.arrived);
    placed += static_cast<double>(counts.placed);
    latency += counts.latency_ms;
    cpu_deviation += environment.CpuDeviation();
    memory_deviation += environment.MemoryDeviation();
  }
};

PolicyResult Measure(PlacementPolicy& policy, ClusterEnvironment environment,
                     const EvaluationOptions& options) {
  PolicyResult result;
  result.policy = policy.Name();
  Sums all;
  for (std::uint64_t seed : options.seeds) {
    Rng rng(seed);
    Sums of_seed;
    for (std::size_t episode = 0; episode < options.episodes; ++episode) {
      environment.Reset(EpisodeScenario(options, seed, episode));
      Play(policy, environment, &rng);
      of_seed.Add(environment);
      all.Add(environment);
    }
    result.rewards.push_back(of_seed.reward / of_seed.arrived);
  }
  const auto episodes = static_cast<double>(options.seeds.size() * options.episodes);
  result.reject_share = all.rejected / all.decisions;
  result.fail_share = all.failed / all.arrived;
  result.unplaced_share = 1.0 - all.placed / all.arrived;
  result.latency_ms = all.latency / all.placed;
  result.cpu_deviation = all.cpu_deviation / episodes;
  result.memory_deviation = all.memory_deviation / episodes;
  return result;
}

}  // namespace

Estimate EstimateMean(const std::vector<double>& samples) {
  const auto count = static_cast<double>(samples.size());
  double mean = 0, squares = 0;
  for (double sample : samples) mean += sample / count;
  if (samples.size() < 2) return {mean, 0};
  for (double sample : samples) squares += (sample - mean) * (sample - mean);
  return {mean, StudentT(samples.size() - 1) * std::sqrt(squares / (count - 1) / count)};
}

Result<std::vector<PolicyResult>> Evaluate(
    const std::vector<std::unique_ptr<PlacementPolicy>>& policies,
    const EvaluationOptions& options) {
  if (auto checked = CheckScenarioOptions(options.scenarios); !checked) return checked.error();
  auto encoder = MakeEncoder("three");  // policies encode for themselves
  if (!encoder) return encoder.error();
  const auto reward = RewardCalculator::Create(options.reward);
  if (!reward) return reward.error();
  if (options.seeds.empty() || options.episodes == 0) {
    return Error(ErrorCode::kInvalidArgument, "nothing to play: no seed, or no episode");
  }
  const ClusterEnvironment environment(std::move(encoder).value(), *reward, options.scenarios);
  std::vector<PolicyResult> results;
  for (const auto& policy : policies) results.push_back(Measure(*policy, environment, options));
  return results;
}

Estimate PairedDifference(const PolicyResult& a, const PolicyResult& b) {
  std::vector<double> differences(a.rewards.size());
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] = a.rewards[i] - b.rewards[i];
  return EstimateMean(differences);
}

std::string FormatResults(const std::vector<PolicyResult>& results) {
  std::string text = fmt::format("{:<18}{:>17}{:>20}{:>9}{:>8}{:>10}{:>12}{:>8}{:>8}\n", "policy",
                                 "reward a Pod", "against the first", "rejects", "fails",
                                 "unplaced", "latency ms", "cpu sd", "mem sd");
  for (const PolicyResult& result : results) {
    const Estimate reward = EstimateMean(result.rewards);
    const Estimate gain = PairedDifference(result, results.front());
    text += fmt::format(
        "{:<18}{:>8.4f} ± {:.4f}{:>+11.4f} ± {:.4f}{:>8.2f}%{:>7.2f}%{:>9.2f}%{:>12.2f}{:>8.4f}"
        "{:>8.4f}\n",
        result.policy, reward.mean, reward.half_width, gain.mean, gain.half_width,
        100 * result.reject_share, 100 * result.fail_share, 100 * result.unplaced_share,
        result.latency_ms, result.cpu_deviation, result.memory_deviation);
  }
  return text;
}

}  // namespace leadline
