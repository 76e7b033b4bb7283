// Everything that the configuration says, read and checked as a whole.
#pragma once

#include <optional>

#include "flags.h"
#include "leadline/config/dqn_config.h"
#include "leadline/config/scheduler_configuration.h"
#include "leadline/kubernetes/client_config.h"
#include "leadline/telemetry/metrics_config.h"

namespace leadline {

struct Settings {
  SchedulerConfiguration scheduler;
  DqnScoreArgs dqn_args;
  DqnConfig dqn;
  Model model;
  RewardFile reward;
  std::optional<MetricsConfig> metrics;  // none: nothing is measured, the fallbacks decide
};

// The Error names file, line, key and expected form of every mistake in the first file that has
// any.
Result<Settings> LoadSettings(const SchedulerFlags& flags);

// --kubeconfig, else the configuration's clientConnection, else the Pod's service account.
Result<ClientConfig> FindApiServer(const SchedulerFlags& flags, const Settings& settings);

}  // namespace leadline
