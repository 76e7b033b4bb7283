// Reads a KubeSchedulerConfiguration v1 document, strictly.
// https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/framework/profile.h"
#include "leadline/yaml/document.h"

namespace leadline {

// The `leaderElection` section, and kube-scheduler's defaults.
struct LeaderElectionConfig {
  bool elect = true;
  std::chrono::nanoseconds lease_duration{std::chrono::seconds(15)};
  std::chrono::nanoseconds renew_deadline{std::chrono::seconds(10)};
  std::chrono::nanoseconds retry_period{std::chrono::seconds(2)};
  std::string resource_name = "leadline-scheduler";  // of the Lease
  std::string resource_namespace = "kube-system";
};

// What is wrong with the times together, or nothing.
std::optional<std::string> MistakeIn(const LeaderElectionConfig& election);

struct SchedulerConfiguration {
  std::chrono::nanoseconds initial_backoff{std::chrono::seconds(1)};
  std::chrono::nanoseconds max_backoff{std::chrono::seconds(10)};
  LeaderElectionConfig leader_election;
  std::string kubeconfig;  // clientConnection.kubeconfig, resolved; may be empty
  std::vector<ProfileConfig> profiles;
  // The profiles' plugin arguments are places in it; later mistakes go there too.
  std::shared_ptr<YamlDocument> document;
};

// kInvalidArgument with every mistake, each with file, line, key and expected form. Keys that
// kube-scheduler has and we do not support yet are refused by name, never ignored. Call
// `document->Check()` again after the plugin arguments were read.
Result<SchedulerConfiguration> LoadSchedulerConfiguration(const std::string& file);
Result<SchedulerConfiguration> ParseSchedulerConfiguration(YamlDocument document);

// kInvalidArgument with the place of every plugin name that is not among `known`.
Result<void> CheckPluginNames(const SchedulerConfiguration& configuration,
                              const std::set<std::string>& known);

// Without a file: one profile, "dqn-scheduler", DQNScore at weight 10000.
SchedulerConfiguration DefaultSchedulerConfiguration();

}  // namespace leadline
