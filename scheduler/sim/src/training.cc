#include "leadline/sim/training.h"

#include <fmt/format.h>

#include "trainers.h"

namespace leadline {

QNetworkShape ShapeFor(const StateEncoder& encoder) {
  QNetworkShape shape;
  shape.row_width = static_cast<int>(encoder.width());
  shape.context_width = static_cast<int>(encoder.context_width());
  return shape;
}

Result<WeightsFile> Train(const TrainOptions& options) {
  if (auto checked = CheckScenarioOptions(options.scenarios); !checked) return checked.error();
  auto made = MakeEncoder(options.encoder);
  if (!made) return made.error();
  const std::shared_ptr<const StateEncoder> encoder = std::move(made).value();
  const auto reward = RewardCalculator::Create(options.reward);
  if (!reward) return reward.error();
  const ClusterEnvironment environment(encoder, *reward, options.scenarios);
  if (options.method == "rollouts") return TrainByRollouts(options, *encoder, environment);
  if (options.method == "dqn") return TrainByDqn(options, *encoder, environment);
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("unknown method \"{}\"; there are rollouts and dqn", options.method));
}

}  // namespace leadline
