#include "leadline/plugins/registry.h"

#include <random>

#include "args.h"
#include "balanced_allocation.h"
#include "default_preemption.h"
#include "image_locality.h"
#include "inter_pod_affinity.h"
#include "node_affinity.h"
#include "node_declared_features.h"
#include "node_name.h"
#include "node_ports.h"
#include "node_resources_fit.h"
#include "node_unschedulable.h"
#include "node_volume_limits.h"
#include "pod_topology_spread.h"
#include "priority_sort.h"
#include "scheduling_gates.h"
#include "taint_toleration.h"
#include "unsupported_features.h"
#include "volume_binding.h"
#include "volume_restrictions.h"
#include "volume_zone.h"

namespace leadline {
namespace {

using Made = Result<std::shared_ptr<Plugin>>;

template <typename T>
void Register(PluginRegistry* registry) {
  registry->emplace(T::kName, [](const YamlNode& args, const YamlDocument*) -> Made {
    if (args.exists()) args.Mistake(std::string(T::kName) + " takes no arguments");
    return std::make_shared<T>();
  });
}

// One that takes no arguments but reads the cluster's other objects.
template <typename T>
void Register(PluginRegistry* registry, const Listers& listers) {
  registry->emplace(T::kName, [&listers](const YamlNode& args, const YamlDocument*) -> Made {
    if (args.exists()) args.Mistake(std::string(T::kName) + " takes no arguments");
    return std::make_shared<T>(listers);
  });
}

Made MakeNodeAffinity(const YamlNode& args, const YamlDocument*) {
  return std::make_shared<NodeAffinityPlugin>(NodeAffinityArgs::Read(args));
}

Made MakeBalancedAllocation(const YamlNode& args, const YamlDocument*) {
  return std::make_shared<NodeResourcesBalancedAllocation>(
      NodeResourcesBalancedAllocation::ReadArgs(args));
}

Made MakeNodeResourcesFit(const YamlNode& args, const YamlDocument*) {
  return std::make_shared<NodeResourcesFit>(NodeResourcesFitArgs::Read(args));
}

}  // namespace

PluginRegistry BuiltInPlugins(const Listers& listers, std::shared_ptr<VolumeBinder> binder) {
  if (binder == nullptr) {
    binder = std::make_shared<VolumeBinder>(listers, VolumeBinderOptions());
  }
  PluginRegistry registry;
  Register<SchedulingGates>(&registry);
  Register<PrioritySort>(&registry);
  Register<NodeName>(&registry);
  Register<NodeUnschedulable>(&registry);
  Register<TaintToleration>(&registry);
  Register<NodePorts>(&registry);
  Register<UnsupportedFeatures>(&registry);
  Register<ImageLocality>(&registry);
  Register<NodeDeclaredFeatures>(&registry);
  Register<VolumeRestrictions>(&registry, listers);
  Register<NodeVolumeLimits>(&registry, listers);
  Register<VolumeZone>(&registry, listers);
  registry.emplace(NodeAffinityPlugin::kName, MakeNodeAffinity);
  registry.emplace(NodeResourcesBalancedAllocation::kName, MakeBalancedAllocation);
  registry.emplace(NodeResourcesFit::kName, MakeNodeResourcesFit);
  registry.emplace(
      VolumeBinding::kName, [&listers, binder](const YamlNode& args, const YamlDocument*) -> Made {
        return std::make_shared<VolumeBinding>(VolumeBindingArgs::Read(args), listers, binder);
      });
  registry.emplace(
      PodTopologySpread::kName, [&listers](const YamlNode& args, const YamlDocument*) -> Made {
        return std::make_shared<PodTopologySpread>(PodTopologySpreadArgs::Read(args), listers);
      });
  registry.emplace(
      InterPodAffinity::kName, [&listers](const YamlNode& args, const YamlDocument*) -> Made {
        return std::make_shared<InterPodAffinity>(InterPodAffinityArgs::Read(args), listers);
      });
  registry.emplace(DefaultPreemption::kName,
                   [&listers](const YamlNode& args, const YamlDocument*) -> Made {
                     return std::make_shared<DefaultPreemption>(DefaultPreemptionArgs::Read(args),
                                                                listers, std::random_device()());
                   });
  return registry;
}

}  // namespace leadline
