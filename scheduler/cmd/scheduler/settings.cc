#include "settings.h"

#include "leadline/plugins/dqn_score.h"

namespace leadline {
namespace {

// Every profile that has arguments for DQNScore must have the same: there is one policy, one
// poller and one set of logs in the process.
Result<DqnScoreArgs> CommonArgs(const SchedulerConfiguration& configuration) {
  std::optional<DqnScoreArgs> common;
  for (const ProfileConfig& profile : configuration.profiles) {
    const auto args = profile.args.find(std::string(DqnScore::kName));
    if (args == profile.args.end()) continue;
    DqnScoreArgs read = ReadDqnScoreArgs(args->second, *configuration.document);
    if (common && !(*common == read)) {
      args->second.Mistake("DQNScore has other arguments in another profile; write the same");
    }
    common = std::move(read);
  }
  if (!configuration.document) return DqnScoreArgs();
  if (auto ok = configuration.document->Check(); !ok) return ok.error();
  return common.value_or(DqnScoreArgs());
}

// Runs `load` on the file unless none is named.
template <typename T, typename Load>
Result<void> LoadInto(const std::string& file, T* out, Load load) {
  if (file.empty()) return {};
  auto loaded = load(file);
  if (!loaded) return loaded.error();
  *out = std::move(*loaded);
  return {};
}

// Flags win over the file. A dry run writes nothing, so it cannot hold a Lease and needs none.
Result<void> ElectionFlags(const SchedulerFlags& flags, LeaderElectionConfig* election) {
  const auto replace = [](const auto& given, std::chrono::nanoseconds* out) {
    if (given) *out = *given;
  };
  if (flags.leader_elect) election->elect = *flags.leader_elect;
  if (flags.dry_run) election->elect = false;
  replace(flags.leader_elect_lease_duration, &election->lease_duration);
  replace(flags.leader_elect_renew_deadline, &election->renew_deadline);
  replace(flags.leader_elect_retry_period, &election->retry_period);
  if (!flags.leader_elect_resource_name.empty()) {
    election->resource_name = flags.leader_elect_resource_name;
  }
  if (!flags.leader_elect_resource_namespace.empty()) {
    election->resource_namespace = flags.leader_elect_resource_namespace;
  }
  if (const auto mistake = MistakeIn(*election)) {
    return Error(ErrorCode::kInvalidArgument, "leader election: " + *mistake);
  }
  return {};
}

}  // namespace

Result<Settings> LoadSettings(const SchedulerFlags& flags) {
  Settings settings;
  settings.scheduler = DefaultSchedulerConfiguration();
  if (auto ok = LoadInto(flags.config, &settings.scheduler, LoadSchedulerConfiguration); !ok) {
    return ok.error();
  }
  if (auto ok = ElectionFlags(flags, &settings.scheduler.leader_election); !ok) return ok.error();
  Result<DqnScoreArgs> args = CommonArgs(settings.scheduler);
  if (!args) return args.error();
  settings.dqn_args = std::move(*args);
  const DqnScoreArgs& files = settings.dqn_args;
  if (auto ok = LoadInto(files.dqn, &settings.dqn, LoadDqnConfig); !ok) return ok.error();
  if (auto ok = LoadInto(files.model, &settings.model, LoadModel); !ok) return ok.error();
  if (auto ok = LoadInto(files.reward, &settings.reward, LoadReward); !ok) return ok.error();
  if (auto ok = LoadInto(files.metrics, &settings.metrics, LoadMetricsConfig); !ok) {
    return ok.error();
  }
  return settings;
}

Result<ClientConfig> FindApiServer(const SchedulerFlags& flags, const Settings& settings) {
  const std::string& file =
      flags.kubeconfig.empty() ? settings.scheduler.kubeconfig : flags.kubeconfig;
  if (!file.empty()) return LoadKubeconfig(file);
  Result<ClientConfig> in_cluster = InClusterConfig();
  if (in_cluster) return in_cluster;
  return in_cluster.error().WithContext(
      "no --kubeconfig was given, and this is no Pod of a cluster");
}

}  // namespace leadline
