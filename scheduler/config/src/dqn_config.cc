#include "leadline/config/dqn_config.h"

#include <fmt/format.h>

namespace leadline {
namespace {

void ReadPath(const YamlNode& node, const YamlDocument& document, std::string* path) {
  std::string given;
  if (node.Read(&given) && !given.empty()) *path = document.ResolvePath(given);
}

void ReadLogs(const YamlNode& node, const YamlDocument& document, DecisionLogOptions* logs) {
  if (!node.exists()) return;
  ReadPath(node.Get("directory"), document, &logs->directory);
  std::int64_t bytes = static_cast<std::int64_t>(logs->rotation.max_bytes);
  node.Get("maxFileBytes").Read(&bytes, 4096);
  logs->rotation.max_bytes = static_cast<std::uint64_t>(bytes);
  node.Get("keepFiles").Read(&logs->rotation.keep, 0, 1000);
  node.RejectUnknownKeys();
}

FallbackRule ReadFallback(const YamlNode& item) {
  FallbackRule fallback{};
  std::string when, use;
  if (item.Get("when").Require(&when)) {
    const auto condition = ParseFallbackCondition(when);
    if (condition) fallback.when = *condition;
    if (!condition) item.Get("when").Mistake(condition.error().message());
  }
  if (item.Get("use").Require(&use)) {
    const auto choice = ParseFallbackChoice(use);
    if (choice) fallback.use = *choice;
    if (!choice) item.Get("use").Mistake(choice.error().message());
  }
  item.RejectUnknownKeys();
  return fallback;
}

}  // namespace

bool operator==(const DqnScoreArgs& a, const DqnScoreArgs& b) {
  return a.dqn == b.dqn && a.model == b.model && a.reward == b.reward && a.metrics == b.metrics &&
         a.logs.directory == b.logs.directory &&
         a.logs.rotation.max_bytes == b.logs.rotation.max_bytes &&
         a.logs.rotation.keep == b.logs.rotation.keep;
}

DqnScoreArgs ReadDqnScoreArgs(const YamlNode& args, const YamlDocument& document) {
  DqnScoreArgs read;
  ReadPath(args.Get("dqn"), document, &read.dqn);
  ReadPath(args.Get("model"), document, &read.model);
  ReadPath(args.Get("reward"), document, &read.reward);
  ReadPath(args.Get("metrics"), document, &read.metrics);
  ReadLogs(args.Get("logs"), document, &read.logs);
  args.RejectUnknownKeys();
  return read;
}

Result<DqnConfig> LoadDqnConfig(const std::string& file) {
  Result<YamlDocument> document = YamlDocument::Load(file);
  if (!document) return document.error();
  const YamlNode root = document->root();
  DqnConfig config;
  root.Get("explore").Read(&config.explore);
  const YamlNode epsilon = root.Get("epsilon");
  if (epsilon.exists()) {
    int steps = static_cast<int>(config.epsilon.decay_steps);
    epsilon.Get("start").Read(&config.epsilon.start, 0, 1);
    epsilon.Get("decay").Read(&config.epsilon.decay, 0, 1);
    epsilon.Get("decay_steps").Read(&steps, 1);
    epsilon.Get("floor").Read(&config.epsilon.floor, 0, 1);
    config.epsilon.decay_steps = static_cast<std::uint64_t>(steps);
    epsilon.RejectUnknownKeys();
  }
  root.Get("max_rejections").Read(&config.decoder.max_rejections, 0, 1000);
  const YamlNode fallbacks = root.Get("fallbacks");
  if (fallbacks.exists()) {
    config.decoder.chain.clear();
    for (const YamlNode& item : fallbacks.Items()) {
      config.decoder.chain.push_back(ReadFallback(item));
    }
  }
  root.RejectUnknownKeys();
  if (auto ok = document->Check(); !ok) return ok.error();
  return config;
}

Result<Model> LoadModel(const std::string& file) {
  Result<YamlDocument> document = YamlDocument::Load(file);
  if (!document) return document.error();
  const YamlNode root = document->root();
  std::string encoder_name = "rich", weights;
  root.Get("encoder").Read(&encoder_name);
  ReadPath(root.Get("weights"), *document, &weights);
  root.RejectUnknownKeys();
  Result<std::unique_ptr<StateEncoder>> encoder = MakeEncoder(encoder_name);
  if (!encoder) root.Get("encoder").Mistake(encoder.error().message());
  const int weights_line = root.Get("weights").line();
  if (auto ok = document->Check(); !ok) return ok.error();
  Model model;
  model.encoder = std::move(*encoder);
  if (weights.empty()) return model;
  const std::string place = fmt::format("{}:{}: weights", file, weights_line);
  Result<WeightsFile> loaded = ReadWeightsFile(weights);
  if (!loaded) return loaded.error().WithContext(place);
  const auto fits =
      loaded->Matches(encoder_name, model.encoder->width(), model.encoder->context_width());
  if (!fits) return fits.error().WithContext(fmt::format("{} {}", place, weights));
  model.weights = std::make_shared<const WeightsFile>(std::move(*loaded));
  return model;
}

Result<RewardFile> LoadReward(const std::string& file) {
  Result<YamlDocument> document = YamlDocument::Load(file);
  if (!document) return document.error();
  const YamlNode root = document->root();
  RewardFile read;
  RewardConfig& reward = read.reward;
  const YamlNode events = root.Get("events");
  if (events.exists()) {
    reward.events.clear();
    for (const std::string& name : events.Keys()) {
      double value = 0;
      events.Get(name).Read(&value, -1000, 1000);
      reward.events.emplace_back(name, value);
    }
  }
  root.Get("balance_bonus").Read(&reward.balance_bonus, 0, 0.5);
  root.Get("balance_scale").Read(&reward.balance_scale, 0.001, 10);
  root.Get("cpu_weight").Read(&reward.cpu_weight, 0, 1000);
  root.Get("mem_weight").Read(&reward.mem_weight, 0, 1000);
  root.Get("latency_penalty").Read(&reward.latency_penalty, -1000, 0);
  root.Get("outcome_window").Read(&read.outcome_window);
  root.RejectUnknownKeys();
  if (auto valid = RewardCalculator::Create(reward); !valid) {
    const YamlNode place = events.exists() ? events : root;
    place.Mistake(valid.error().message());
  }
  if (auto ok = document->Check(); !ok) return ok.error();
  return read;
}

}  // namespace leadline
