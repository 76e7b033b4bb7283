// A cluster in memory: nodes in zones whose latency moves, Pods that arrive in bursts, use
// other than what they ask for, and end. Use is seen late, as a scrape would show it; Pods placed
// since count by their requests (as the scheduler does with a real cluster).
//
// One step is one decision about one Pod. The mask is feasibility by requests: the observation has
// feasible nodes only, and a Pod without any waits until one ends. A rejected Pod comes back after
// ten seconds, at most three times. Rewards come from the RewardCalculator: of the placement, and
// of Pods that failed meanwhile (memory overrun on their node, unreachable node). An episode is
// cut, never finished: a cluster goes on.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "leadline/features/state_encoder.h"
#include "leadline/rl/environment.h"
#include "leadline/rl/reward.h"
#include "leadline/sim/scenario.h"

namespace leadline {

// What the episode brought so far.
struct EpisodeCounts {
  std::size_t arrived = 0, placed = 0, rejected = 0, failed = 0;
  std::size_t decisions = 0;
  double reward = 0;
  double latency_ms = 0;  // sum over the placed
};

// A plain value: a copy goes on with the same future. Not thread-safe. Deterministic.
class ClusterEnvironment : public Environment {
 public:
  ClusterEnvironment(std::shared_ptr<const StateEncoder> encoder, RewardCalculator reward,
                     ScenarioOptions options);

  void Reset(std::uint64_t seed) override;
  void Reset(std::shared_ptr<const Scenario> scenario);
  const Observation& Observe() const override;
  bool CanReject() const override;
  StepResult Step(std::size_t action) override;

  // For policies that do not read the encoded observation. Valid until Step() or Reset().
  std::span<const NodeState> candidates() const { return candidates_; }
  PodFeatures pod() const;
  int rejections() const { return queue_.empty() ? 0 : queue_.front().rejections; }
  // The reward that placing on this candidate seems to bring, judged by what is observed.
  double PredictedReward(std::size_t candidate) const;
  // Nothing is left to decide.
  bool over() const { return over_; }
  const EpisodeCounts& counts() const { return counts_; }
  // Standard deviation over the nodes of the true used ratio.
  double CpuDeviation() const;
  double MemoryDeviation() const;

 private:
  struct Running {
    std::size_t pod;  // index into pods_
    double placed_s;
    double ends_s;
  };
  struct Node {
    std::vector<Running> running;
    double requested_milli_cpu = 0, requested_memory = 0;
    double used_milli_cpu = 0, used_memory = 0;  // true
    double latency_ms = 0;                       // true
    NodeState seen;                              // what the last scrape and the books say
  };
  struct Waiting {
    std::size_t pod;
    int rejections = 0;
  };
  struct Retry {
    double at_s;
    Waiting waiting;
  };

  const SimPod& PodAt(std::size_t index) const;
  void Put(std::size_t node, std::size_t pod, double placed_s);
  void Remove(std::size_t node, std::size_t at);
  void EndPods();
  void KillOverruns(std::size_t node);
  void Scrape();
  void MoveLatency();
  void Look(std::size_t node);
  bool FindCandidates();
  double NextEvent() const;
  void AdvanceTo(double time_s);
  void AdvanceToDecision();
  double PlacedReward(std::size_t node);
  double RatioDeviation(bool cpu) const;

  std::shared_ptr<const StateEncoder> encoder_;
  RewardCalculator reward_;
  ScenarioOptions options_;
  std::shared_ptr<const Scenario> scenario_;
  Rng moves_{0};  // what moves during the episode
  std::vector<Node> nodes_;
  std::vector<double> congestion_;  // of each zone, logarithm of the factor
  double now_s_ = 0, next_scrape_s_ = 0, last_scrape_s_ = 0;
  std::size_t next_arrival_ = 0;
  std::deque<Waiting> queue_;
  std::vector<Retry> retries_;
  std::vector<Waiting> unschedulable_;
  double pending_reward_ = 0;  // of failures since the last step
  bool over_ = false;
  EpisodeCounts counts_;
  std::vector<NodeState> candidates_;
  std::vector<std::size_t> candidate_nodes_;
  std::array<double, 2> seen_mean_{};  // used CPU and memory over the measured nodes
  mutable Observation observation_;
  mutable bool encoded_ = false;
};

}  // namespace leadline
