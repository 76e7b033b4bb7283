// The parts of a Pod that scheduling reads.
// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/kubernetes/metadata.h"
#include "leadline/kubernetes/quantity.h"

namespace leadline {

// Resource name and amount, sorted by name, each name once.
using ResourceList = std::vector<std::pair<std::string, Quantity>>;

struct Toleration {
  std::string key;
  std::string op;  // "", "Equal", "Exists"; anything else tolerates nothing
  std::string value;
  std::string effect;  // empty: all effects
  friend bool operator==(const Toleration&, const Toleration&) = default;
};

struct ContainerPort {
  std::string host_ip;
  std::string protocol;  // empty: TCP
  int host_port = 0;
  friend bool operator==(const ContainerPort&, const ContainerPort&) = default;
};

struct Container {
  std::string name;
  std::string image;
  ResourceList requests;
  ResourceList limits;
  std::vector<ContainerPort> ports;      // only those with a host port
  bool restart_always = false;           // of an init container: a sidecar
  bool restarts_all_containers = false;  // a restartPolicyRule with action RestartAllContainers
  friend bool operator==(const Container&, const Container&) = default;
};

// Node selector terms: terms ORed, requirements of a term ANDed.
struct NodeSelectorTerm {
  std::vector<Requirement> match_expressions;
  std::vector<Requirement> match_fields;
  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};
struct PreferredSchedulingTerm {
  int weight = 0;
  NodeSelectorTerm term;
  friend bool operator==(const PreferredSchedulingTerm&, const PreferredSchedulingTerm&) = default;
};
struct NodeAffinity {
  std::optional<std::vector<NodeSelectorTerm>> required;
  std::vector<PreferredSchedulingTerm> preferred;
  friend bool operator==(const NodeAffinity&, const NodeAffinity&) = default;
};

struct PodAffinityTerm {
  OptionalSelector label_selector;
  std::vector<std::string> namespaces;
  OptionalSelector namespace_selector;
  std::string topology_key;
  friend bool operator==(const PodAffinityTerm&, const PodAffinityTerm&) = default;
};
struct WeightedPodAffinityTerm {
  int weight = 0;
  PodAffinityTerm term;
  friend bool operator==(const WeightedPodAffinityTerm&, const WeightedPodAffinityTerm&) = default;
};
struct PodAffinity {
  std::vector<PodAffinityTerm> required;
  std::vector<WeightedPodAffinityTerm> preferred;
  friend bool operator==(const PodAffinity&, const PodAffinity&) = default;
};

struct TopologySpreadConstraint {
  int max_skew = 1;
  std::string topology_key;
  bool do_not_schedule = true;
  OptionalSelector label_selector;
  std::optional<int> min_domains;
  std::string node_affinity_policy;  // "", "Honor", "Ignore"
  std::string node_taints_policy;
  std::vector<std::string> match_label_keys;
  friend bool operator==(const TopologySpreadConstraint&,
                         const TopologySpreadConstraint&) = default;
};

// A disk or share, as Pods and PersistentVolumes name it.
struct DiskSource {
  // pdName, volumeID, diskURI, iqn, image, shareName or volumePath, whichever the kind has.
  std::string id;
  bool read_only = false;
  std::string azure_kind;             // of an azureDisk: "Managed", ...
  std::string pool;                   // of an rbd
  std::vector<std::string> monitors;  // of an rbd
  friend bool operator==(const DiskSource&, const DiskSource&) = default;
};

struct Volume {
  std::string name;
  // The source's field name in the API: "persistentVolumeClaim", "ephemeral", "emptyDir",
  // "configMap", "gcePersistentDisk", ...
  std::string kind;
  std::string claim_name;                  // of a persistentVolumeClaim
  std::string image_reference;             // of an image
  std::shared_ptr<const DiskSource> disk;  // of a disk; null for all other kinds
  friend bool operator==(const Volume& a, const Volume& b);
};

// requests and status amounts of one container in force, from status.(init)containerStatuses.
struct ContainerResourcesStatus {
  std::string name;
  std::optional<ResourceList> allocated;  // allocatedResources
  std::optional<ResourceList> in_force;   // resources.requests
};

struct PodCondition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  SystemTime last_transition{};
};

struct PodSpec {
  std::string scheduler_name;
  std::string node_name;
  std::optional<int> priority;
  std::string preemption_policy;
  StringMap node_selector;
  NodeAffinity node_affinity;
  PodAffinity pod_affinity;
  PodAffinity pod_anti_affinity;
  std::vector<Toleration> tolerations;
  std::vector<std::string> scheduling_gates;
  std::vector<TopologySpreadConstraint> spread_constraints;
  std::vector<Container> containers;
  std::vector<Container> init_containers;
  ResourceList overhead;
  std::optional<ResourceList> pod_requests;  // spec.resources.requests
  ResourceList pod_limits;                   // spec.resources.limits
  std::vector<Volume> volumes;
  int resource_claims = 0;
  std::string workload;  // name of the pod group (schedulingGroup) the Pod belongs to, or empty
  bool host_network = false;
  std::optional<bool> host_users;
  friend bool operator==(const PodSpec&, const PodSpec&) = default;
};

struct PodStatus {
  std::string phase;
  std::string reason;
  std::string message;
  std::string nominated_node_name;
  std::optional<SystemTime> start_time;  // the kubelet took it on
  std::vector<PodCondition> conditions;
  std::vector<std::string> pod_ips;
  std::vector<ContainerResourcesStatus> containers;
  std::vector<ContainerResourcesStatus> init_containers;
  std::optional<ResourceList> allocated;  // status.allocatedResources
  bool has_resources = false;             // status.resources is set
  std::optional<ResourceList> in_force;   // status.resources.requests
  int restarts = 0;                       // restartCount summed over the containers
};

struct Pod {
  ObjectMeta metadata;
  PodSpec spec;
  PodStatus status;

  int Priority() const { return spec.priority.value_or(0); }
  bool Finished() const { return status.phase == "Succeeded" || status.phase == "Failed"; }
  const PodCondition* FindCondition(std::string_view type) const;
};

// Reads one Pod object. kInvalidArgument naming the field when it has the wrong form (a quantity
// that cannot be read, a number where a text belongs); unknown fields are skipped.
Result<Pod> ParsePod(std::string_view json);

}  // namespace leadline
