#include "leadline/framework/profile.h"

#include <algorithm>
#include <array>

namespace leadline {
namespace {

struct PointNames {
  std::string_view name;
  std::string_view key;
};

constexpr std::array<PointNames, kExtensionPoints> kNames = {{
    {"PreEnqueue", "preEnqueue"},
    {"QueueSort", "queueSort"},
    {"PreFilter", "preFilter"},
    {"Filter", "filter"},
    {"PostFilter", "postFilter"},
    {"PreScore", "preScore"},
    {"Score", "score"},
    {"Reserve", "reserve"},
    {"Permit", "permit"},
    {"PreBind", "preBind"},
    {"Bind", "bind"},
    {"PostBind", "postBind"},
}};

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const EnabledPlugin* Find(const std::vector<EnabledPlugin>& plugins, std::string_view name) {
  const auto found = std::find_if(plugins.begin(), plugins.end(),
                                  [&](const EnabledPlugin& p) { return p.name == name; });
  return found == plugins.end() ? nullptr : &*found;
}

// The defaults less what is disabled; one that is enabled again keeps its place, not its weight.
std::vector<EnabledPlugin> MergeMultiPoint(const ProfileConfig& profile) {
  std::vector<EnabledPlugin> merged;
  const PluginSet& own = profile.multi_point;
  const bool none = Contains(own.disabled, "*");
  for (const EnabledPlugin& plugin : profile.default_plugins) {
    if (none || Contains(own.disabled, plugin.name)) continue;
    const EnabledPlugin* again = Find(own.enabled, plugin.name);
    merged.push_back(again != nullptr ? *again : plugin);
  }
  for (const EnabledPlugin& plugin : own.enabled) {
    if (Find(merged, plugin.name) == nullptr) merged.push_back(plugin);
  }
  return merged;
}

}  // namespace

std::string_view ExtensionPointName(ExtensionPoint point) {
  return kNames[static_cast<std::size_t>(point)].name;
}

std::string_view ExtensionPointKey(ExtensionPoint point) {
  return kNames[static_cast<std::size_t>(point)].key;
}

bool Implements(const Plugin& plugin, ExtensionPoint point) {
  const auto is = [&]<typename T>(const T*) { return dynamic_cast<const T*>(&plugin) != nullptr; };
  switch (point) {
    case ExtensionPoint::kPreEnqueue:
      return is(static_cast<const PreEnqueuePlugin*>(nullptr));
    case ExtensionPoint::kQueueSort:
      return is(static_cast<const QueueSortPlugin*>(nullptr));
    case ExtensionPoint::kPreFilter:
      return is(static_cast<const PreFilterPlugin*>(nullptr));
    case ExtensionPoint::kFilter:
      return is(static_cast<const FilterPlugin*>(nullptr));
    case ExtensionPoint::kPostFilter:
      return is(static_cast<const PostFilterPlugin*>(nullptr));
    case ExtensionPoint::kPreScore:
      return is(static_cast<const PreScorePlugin*>(nullptr));
    case ExtensionPoint::kScore:
      return is(static_cast<const ScorePlugin*>(nullptr));
    case ExtensionPoint::kReserve:
      return is(static_cast<const ReservePlugin*>(nullptr));
    case ExtensionPoint::kPermit:
      return is(static_cast<const PermitPlugin*>(nullptr));
    case ExtensionPoint::kPreBind:
      return is(static_cast<const PreBindPlugin*>(nullptr));
    case ExtensionPoint::kBind:
      return is(static_cast<const BindPlugin*>(nullptr));
    case ExtensionPoint::kPostBind:
      return is(static_cast<const PostBindPlugin*>(nullptr));
  }
  return false;
}

std::vector<EnabledPlugin> DefaultPlugins() {
  return {{"SchedulingGates"},
          {"PrioritySort"},
          {"NodeName"},
          {"NodeUnschedulable"},
          {"TaintToleration", 3},
          {"NodeAffinity", 2},
          {"NodePorts"},
          {"NodeResourcesFit", 1},
          {"VolumeRestrictions"},
          {"NodeVolumeLimits"},
          {"VolumeBinding", 1},
          {"VolumeZone"},
          {"PodTopologySpread", 2},
          {"InterPodAffinity", 2},
          {"DefaultPreemption"},
          {"UnsupportedFeatures"},
          {"NodeResourcesBalancedAllocation", 1},
          {"ImageLocality", 1},
          {"DefaultBinder"},
          {"NodeDeclaredFeatures"}};
}

std::vector<EnabledPlugin> ResolvePlugins(const ProfileConfig& profile, ExtensionPoint point,
                                          const PluginMap& plugins) {
  const auto own = profile.points.find(point);
  const PluginSet here = own == profile.points.end() ? PluginSet() : own->second;
  const bool none = Contains(here.disabled, "*");
  const std::vector<EnabledPlugin> multi_point = MergeMultiPoint(profile);
  std::vector<EnabledPlugin> rest;
  for (const EnabledPlugin& plugin : multi_point) {
    const auto made = plugins.find(plugin.name);
    if (made == plugins.end() || !Implements(*made->second, point)) continue;
    if (Find(here.enabled, plugin.name) != nullptr) continue;
    if (none || Contains(here.disabled, plugin.name)) continue;
    rest.push_back(plugin);
  }
  std::vector<EnabledPlugin> resolved, others;
  for (const EnabledPlugin& plugin : here.enabled) {
    const bool overrides = Find(multi_point, plugin.name) != nullptr;
    (overrides ? resolved : others).push_back(plugin);
  }
  resolved.insert(resolved.end(), rest.begin(), rest.end());
  resolved.insert(resolved.end(), others.begin(), others.end());
  return resolved;
}

}  // namespace leadline
