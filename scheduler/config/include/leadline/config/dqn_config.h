// The files that DQNScore's arguments name: dqn.yaml, model.yaml, reward.yaml (metrics.yaml is
// read by scheduler/telemetry). Each is checked as a whole.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "leadline/base/result.h"
#include "leadline/decisions/decision_log.h"
#include "leadline/features/state_encoder.h"
#include "leadline/nn/weights_file.h"
#include "leadline/rl/action_decoder.h"
#include "leadline/rl/policy.h"
#include "leadline/rl/reward.h"
#include "leadline/yaml/document.h"

namespace leadline {

// pluginConfig arguments of DQNScore; empty paths: not given, the defaults hold.
struct DqnScoreArgs {
  std::string dqn;
  std::string model;
  std::string reward;
  std::string metrics;
  DecisionLogOptions logs;  // an empty directory: no logs
  friend bool operator==(const DqnScoreArgs& a, const DqnScoreArgs& b);
};
// Mistakes go to `document`.
DqnScoreArgs ReadDqnScoreArgs(const YamlNode& args, const YamlDocument& document);

struct DqnConfig {
  bool explore = false;
  EpsilonSchedule epsilon;
  DecoderConfig decoder;
};
Result<DqnConfig> LoadDqnConfig(const std::string& file);

struct Model {
  std::shared_ptr<const StateEncoder> encoder;
  std::shared_ptr<const WeightsFile> weights;  // null: none are configured
};
// Loads the weights too; those of another encoder or shape are refused by name.
Result<Model> LoadModel(const std::string& file);

struct RewardFile {
  RewardConfig reward;
  std::chrono::nanoseconds outcome_window{std::chrono::seconds(30)};
};
Result<RewardFile> LoadReward(const std::string& file);

}  // namespace leadline
