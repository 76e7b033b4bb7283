// The ways to make weights that Train() chooses from. Their options are good ones.
#pragma once

#include "leadline/sim/cluster_environment.h"
#include "leadline/sim/training.h"

namespace leadline {

QNetworkShape ShapeFor(const StateEncoder& encoder);
WeightsFile TrainByRollouts(const TrainOptions& options, const StateEncoder& encoder,
                            ClusterEnvironment environment);
WeightsFile TrainByDqn(const TrainOptions& options, const StateEncoder& encoder,
                       ClusterEnvironment environment);

}  // namespace leadline
