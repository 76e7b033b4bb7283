#include <algorithm>

#include "args.h"
#include "pod_topology_spread.h"

namespace leadline {
namespace {

TopologySpreadConstraint Soft(const char* topology_key, int max_skew) {
  TopologySpreadConstraint constraint;
  constraint.topology_key = topology_key;
  constraint.max_skew = max_skew;
  constraint.do_not_schedule = false;
  return constraint;
}

void ReadPolicy(const YamlNode& node, std::string* policy) {
  if (node.Read(policy) && *policy != "Honor" && *policy != "Ignore") {
    node.Expected("Honor or Ignore");
  }
}

void ReadConstraint(const YamlNode& item, std::vector<TopologySpreadConstraint>* all) {
  TopologySpreadConstraint read;
  std::string action;
  if (!item.Get("maxSkew").exists()) item.Get("maxSkew").Expected("a whole number from 1");
  item.Get("maxSkew").Read(&read.max_skew, 1);
  item.Get("topologyKey").Require(&read.topology_key);
  if (item.Get("whenUnsatisfiable").Require(&action)) {
    read.do_not_schedule = action == "DoNotSchedule";
    if (!read.do_not_schedule && action != "ScheduleAnyway") {
      item.Get("whenUnsatisfiable").Expected("DoNotSchedule or ScheduleAnyway");
    }
  }
  if (const YamlNode selector = item.Get("labelSelector"); selector.exists()) {
    selector.Mistake("labelSelector is deduced for each Pod; leave it out");
  }
  int min_domains = 0;
  if (item.Get("minDomains").Read(&min_domains, 1)) read.min_domains = min_domains;
  ReadPolicy(item.Get("nodeAffinityPolicy"), &read.node_affinity_policy);
  ReadPolicy(item.Get("nodeTaintsPolicy"), &read.node_taints_policy);
  // Means nothing here, where the selector is deduced; kube-scheduler takes it all the same.
  item.Get("matchLabelKeys").Read(&read.match_label_keys);
  item.RejectUnknownKeys();
  const auto same = [&read](const TopologySpreadConstraint& other) {
    return other.topology_key == read.topology_key && other.do_not_schedule == read.do_not_schedule;
  };
  if (std::any_of(all->begin(), all->end(), same)) {
    item.Mistake("the same topologyKey and whenUnsatisfiable as another constraint");
  }
  all->push_back(std::move(read));
}

}  // namespace

std::vector<TopologySpreadConstraint> PodTopologySpreadArgs::SystemDefaults() {
  return {Soft("kubernetes.io/hostname", 3), Soft("topology.kubernetes.io/zone", 5)};
}

PodTopologySpreadArgs PodTopologySpreadArgs::Read(const YamlNode& node) {
  PodTopologySpreadArgs args;
  if (!node.exists()) return args;
  CheckArgsKind(node, "PodTopologySpreadArgs");
  std::string type = "System";
  node.Get("defaultingType").Read(&type);
  if (type != "System" && type != "List") node.Get("defaultingType").Expected("System or List");
  std::vector<TopologySpreadConstraint> own;
  for (const YamlNode& item : node.Get("defaultConstraints").Items()) ReadConstraint(item, &own);
  if (type == "List") {
    args.system_defaults = false;
    args.defaults = std::move(own);
  } else if (!own.empty()) {
    node.Get("defaultConstraints").Mistake("defaultConstraints need defaultingType: List");
  }
  node.RejectUnknownKeys();
  return args;
}

}  // namespace leadline
