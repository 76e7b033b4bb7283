// Scores nodes by the value that a learned network gives them. It never filters.
//
// PreFilter  the state of every node, read once (REQUIREMENTS B4)
// PreScore   one observation, one batched forward pass; the decoder chooses a node or defers
// Score      reads what PreScore left
// Reserve    notes which node was really taken, and what is to be learned from it
// PostBind   the decision waits for its outcome
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "leadline/features/state_encoder.h"
#include "leadline/framework/plugin.h"
#include "leadline/learning/cluster_state.h"
#include "leadline/learning/outcome_tracker.h"
#include "leadline/nn/weights_file.h"
#include "leadline/rl/action_decoder.h"
#include "leadline/rl/policy.h"

namespace leadline {

// What was measured, frozen for one cycle. `version` names the content.
struct UsageSnapshot {
  std::uint64_t version = 0;
  UsageLookup lookup;
};

struct DqnScoreOptions {
  std::shared_ptr<const StateEncoder> encoder;
  std::shared_ptr<const WeightsFile> model;  // null: the fallbacks decide
  std::function<UsageSnapshot()> usage;      // reads memory only
  DecoderConfig decoder;
  bool explore = false;
  EpsilonSchedule epsilon;
  ClusterStateOptions state;
  OutcomeTracker* outcomes = nullptr;      // null: nothing is learned from (extender)
  std::function<void(double)> on_epsilon;  // told the epsilon of each decision; may be empty
  std::uint64_t seed = 1;
};

// PreFilter to Reserve on one thread, PostBind on any; SetDecoder from any.
class DqnScore : public PreFilterPlugin,
                 public PreScorePlugin,
                 public ScorePlugin,
                 public ReservePlugin,
                 public PostBindPlugin {
 public:
  static constexpr std::string_view kName = "DQNScore";

  explicit DqnScore(DqnScoreOptions options);
  std::string_view Name() const override { return kName; }

  Status PreFilter(CycleState& state, const PodInfo& pod, PreFilterResult* result) override;
  Status PreScore(CycleState& state, const PodInfo& pod, NodeList feasible) override;
  Result<std::int64_t> Score(const CycleState& state, const PodInfo& pod, const NodeInfo& node,
                             std::size_t index) override;
  Status Reserve(CycleState& state, const PodInfo& pod, const std::string& node) override;
  void Unreserve(CycleState&, const PodInfo&, const std::string&) override {}
  void PostBind(CycleState& state, const PodInfo& pod, const std::string& node) override;

  // Changes the chain of fallbacks while the scheduler runs.
  void SetDecoder(DecoderConfig config);

 private:
  std::vector<float> AskNetwork(const std::vector<NodeState>& nodes, const PodInfo& pod);
  void TellChange(const LearnedDecision& learned);
  double Epsilon();
  Status Defer(CycleState& state, const PodInfo& pod);

  const DqnScoreOptions options_;
  std::mutex decoder_mutex_;
  ActionDecoder decoder_;
  Rng rng_;
  ClusterStateBuilder builder_;
  Observation observation_;
  QNetwork::Workspace workspace_;
  std::uint64_t steps_ = 0;
  std::string told_ = "nothing yet";  // the reason that was last told
};

}  // namespace leadline
