// Which plugins a profile runs, where, in which order and with which weight.
// https://kubernetes.io/docs/reference/scheduling/config/#multiple-profiles
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/framework/plugin.h"
#include "leadline/framework/registry.h"
#include "leadline/yaml/document.h"

namespace leadline {

enum class ExtensionPoint {
  kPreEnqueue,
  kQueueSort,
  kPreFilter,
  kFilter,
  kPostFilter,
  kPreScore,
  kScore,
  kReserve,
  kPermit,
  kPreBind,
  kBind,
  kPostBind,
};
inline constexpr int kExtensionPoints = 12;
// "PreFilter" as metrics label it, and "preFilter" as configuration files write it.
std::string_view ExtensionPointName(ExtensionPoint point);
std::string_view ExtensionPointKey(ExtensionPoint point);

// Whether the plugin implements the interface of that point.
bool Implements(const Plugin& plugin, ExtensionPoint point);

struct EnabledPlugin {
  std::string name;
  int weight = 0;  // of a Score plugin; 0: the default of 1
};

struct PluginSet {
  std::vector<EnabledPlugin> enabled;
  std::vector<std::string> disabled;  // names, or "*"
};

struct ProfileConfig {
  std::string scheduler_name = "dqn-scheduler";
  // Before the profile's own: the defaults of kube-scheduler that are supported.
  std::vector<EnabledPlugin> default_plugins;
  PluginSet multi_point;
  std::map<ExtensionPoint, PluginSet> points;
  std::map<std::string, YamlNode> args;  // pluginConfig by plugin name
};

// NodeName, NodeUnschedulable, TaintToleration, ... in kube-scheduler's order, and our own
// UnsupportedFeatures after them.
std::vector<EnabledPlugin> DefaultPlugins();

// The plugins of one point, in the order they run: those enabled at the point that multiPoint
// also has, then the rest of multiPoint, then the others enabled at the point.
using PluginMap = std::map<std::string, std::shared_ptr<Plugin>, std::less<>>;
std::vector<EnabledPlugin> ResolvePlugins(const ProfileConfig& profile, ExtensionPoint point,
                                          const PluginMap& plugins);

}  // namespace leadline
