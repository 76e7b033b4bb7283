#include "leadline/config/scheduler_configuration.h"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace leadline {
namespace {

constexpr std::string_view kApiVersion = "kubescheduler.config.k8s.io/v1";
constexpr std::string_view kKind = "KubeSchedulerConfiguration";
constexpr std::string_view kDefaultName = "dqn-scheduler";

void RequireText(const YamlNode& node, std::string_view wanted) {
  std::string text;
  if (node.Read(&text) && text == wanted) return;
  if (!node.exists() || node.IsScalar()) node.Expected(fmt::format("\"{}\"", wanted));
}

void NotSupported(const YamlNode& node, std::string_view what) {
  if (node.exists()) node.Mistake(fmt::format("{} is not supported yet; leave it out", what));
}

std::vector<EnabledPlugin> ReadEnabled(const YamlNode& list) {
  std::vector<EnabledPlugin> enabled;
  for (const YamlNode& item : list.Items()) {
    EnabledPlugin plugin;
    item.Get("name").Require(&plugin.name);
    item.Get("weight").Read(&plugin.weight, 0, 20'000'000);
    item.RejectUnknownKeys();
    enabled.push_back(std::move(plugin));
  }
  return enabled;
}

PluginSet ReadPluginSet(const YamlNode& node) {
  PluginSet set;
  set.enabled = ReadEnabled(node.Get("enabled"));
  for (const EnabledPlugin& plugin : ReadEnabled(node.Get("disabled"))) {
    set.disabled.push_back(plugin.name);
  }
  node.RejectUnknownKeys();
  return set;
}

void ReadPlugins(const YamlNode& node, ProfileConfig* profile) {
  const YamlNode multi_point = node.Get("multiPoint");
  if (multi_point.exists()) profile->multi_point = ReadPluginSet(multi_point);
  for (int i = 0; i < kExtensionPoints; ++i) {
    const auto point = static_cast<ExtensionPoint>(i);
    const YamlNode set = node.Get(ExtensionPointKey(point));
    if (set.exists()) profile->points[point] = ReadPluginSet(set);
  }
  node.RejectUnknownKeys();
}

void ReadPluginConfig(const YamlNode& list, ProfileConfig* profile) {
  for (const YamlNode& item : list.Items()) {
    std::string name;
    if (!item.Get("name").Require(&name)) continue;
    const YamlNode args = item.Get("args");
    item.RejectUnknownKeys();
    if (!args.exists()) continue;
    if (!profile->args.emplace(name, args).second) {
      item.Mistake(fmt::format("arguments of {} are given twice", name));
    }
  }
}

// Every feasible node is scored: a share of them is neither needed nor wanted here.
void ReadPercentage(const YamlNode& node) {
  int percentage = 0;
  if (node.Read(&percentage, 0, 100) && percentage != 0 && percentage != 100) {
    node.Expected("0 or 100 (all nodes are scored)");
  }
}

// `item` is a map with a plugin's name.
void CheckPluginName(const YamlNode& item, const std::set<std::string>& known) {
  std::string name;
  if (!item.Get("name").Read(&name) || name == "*" || known.count(name) != 0) return;
  item.Get("name").Mistake(
      fmt::format("there is no plugin \"{}\"; there are {}", name, fmt::join(known, ", ")));
}

ProfileConfig ReadProfile(const YamlNode& node) {
  ProfileConfig profile;
  profile.scheduler_name = kDefaultName;
  profile.default_plugins = DefaultPlugins();
  node.Get("schedulerName").Read(&profile.scheduler_name);
  if (profile.scheduler_name.empty()) node.Get("schedulerName").Expected("a name");
  ReadPercentage(node.Get("percentageOfNodesToScore"));
  ReadPlugins(node.Get("plugins"), &profile);
  ReadPluginConfig(node.Get("pluginConfig"), &profile);
  node.RejectUnknownKeys();
  return profile;
}

void ReadProfiles(const YamlNode& list, SchedulerConfiguration* configuration) {
  std::set<std::string> names;
  for (const YamlNode& item : list.Items()) {
    configuration->profiles.push_back(ReadProfile(item));
    const std::string& name = configuration->profiles.back().scheduler_name;
    if (!names.insert(name).second) {
      item.Get("schedulerName").Mistake(fmt::format("\"{}\" is the name of two profiles", name));
    }
  }
}

void ReadBackoffs(const YamlNode& root, SchedulerConfiguration* configuration) {
  double initial = 1, max = 10;
  root.Get("podInitialBackoffSeconds").Read(&initial, 0.001, 3600);
  root.Get("podMaxBackoffSeconds").Read(&max, 0.001, 86400);
  if (max < initial) {
    root.Get("podMaxBackoffSeconds").Expected("at least podInitialBackoffSeconds");
  }
  const auto seconds = [](double s) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(s));
  };
  configuration->initial_backoff = seconds(initial);
  configuration->max_backoff = seconds(max);
}

void ReadClientConnection(const YamlNode& node, SchedulerConfiguration* configuration) {
  if (!node.exists()) return;
  std::string kubeconfig;
  node.Get("kubeconfig").Read(&kubeconfig);
  if (!kubeconfig.empty()) {
    configuration->kubeconfig = configuration->document->ResolvePath(kubeconfig);
  }
  node.RejectUnknownKeys();
}

void ReadLeaderElection(const YamlNode& node, LeaderElectionConfig* out) {
  if (!node.exists()) return;
  node.Get("leaderElect").Read(&out->elect);
  node.Get("leaseDuration").Read(&out->lease_duration);
  node.Get("renewDeadline").Read(&out->renew_deadline);
  node.Get("retryPeriod").Read(&out->retry_period);
  node.Get("resourceName").Read(&out->resource_name);
  node.Get("resourceNamespace").Read(&out->resource_namespace);
  std::string lock = "leases";
  node.Get("resourceLock").Read(&lock);
  if (lock != "leases") node.Get("resourceLock").Expected("leases");
  if (const auto mistake = MistakeIn(*out)) node.Mistake(*mistake);
  node.RejectUnknownKeys();
}

}  // namespace

std::optional<std::string> MistakeIn(const LeaderElectionConfig& election) {
  if (!election.elect) return std::nullopt;
  constexpr double kJitter = 1.2;  // of the retry period
  if (election.lease_duration < std::chrono::seconds(1)) {
    return "leaseDuration: expected one second at least";
  }
  if (election.renew_deadline >= election.lease_duration) {
    return "renewDeadline: expected less than leaseDuration";
  }
  if (election.retry_period <= std::chrono::nanoseconds(0)) {
    return "retryPeriod: expected more than zero";
  }
  if (static_cast<double>(election.retry_period.count()) * kJitter >=
      static_cast<double>(election.renew_deadline.count())) {
    return "retryPeriod: expected less than renewDeadline / 1.2";
  }
  if (election.resource_name.empty() || election.resource_namespace.empty()) {
    return "resourceName and resourceNamespace: expected names";
  }
  return std::nullopt;
}

Result<SchedulerConfiguration> LoadSchedulerConfiguration(const std::string& file) {
  Result<YamlDocument> document = YamlDocument::Load(file);
  if (!document) return document.error();
  return ParseSchedulerConfiguration(std::move(*document));
}

Result<SchedulerConfiguration> ParseSchedulerConfiguration(YamlDocument document) {
  SchedulerConfiguration configuration;
  configuration.document = std::make_shared<YamlDocument>(std::move(document));
  const YamlNode root = configuration.document->root();
  RequireText(root.Get("apiVersion"), kApiVersion);
  RequireText(root.Get("kind"), kKind);
  ReadBackoffs(root, &configuration);
  ReadPercentage(root.Get("percentageOfNodesToScore"));
  ReadClientConnection(root.Get("clientConnection"), &configuration);
  ReadLeaderElection(root.Get("leaderElection"), &configuration.leader_election);
  ReadProfiles(root.Get("profiles"), &configuration);
  NotSupported(root.Get("extenders"), "calling other extenders");
  NotSupported(root.Get("parallelism"), "parallelism");
  root.RejectUnknownKeys();
  if (auto ok = configuration.document->Check(); !ok) return ok.error();
  if (configuration.profiles.empty()) {
    configuration.profiles = DefaultSchedulerConfiguration().profiles;
  }
  return configuration;
}

Result<void> CheckPluginNames(const SchedulerConfiguration& configuration,
                              const std::set<std::string>& known) {
  if (!configuration.document) return {};
  for (const YamlNode& profile : configuration.document->root().Get("profiles").Items()) {
    const YamlNode plugins = profile.Get("plugins");
    for (const std::string& point : plugins.Keys()) {
      for (const char* list : {"enabled", "disabled"}) {
        for (const YamlNode& item : plugins.Get(point).Get(list).Items()) {
          CheckPluginName(item, known);
        }
      }
    }
    for (const YamlNode& item : profile.Get("pluginConfig").Items()) CheckPluginName(item, known);
  }
  return configuration.document->Check();
}

SchedulerConfiguration DefaultSchedulerConfiguration() {
  ProfileConfig profile;
  profile.scheduler_name = kDefaultName;
  profile.default_plugins = DefaultPlugins();
  profile.multi_point.enabled.push_back({"DQNScore", 10000});
  SchedulerConfiguration configuration;
  configuration.profiles.push_back(std::move(profile));
  return configuration;
}

}  // namespace leadline
