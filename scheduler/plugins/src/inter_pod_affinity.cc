// The Filter half of InterPodAffinity.
#include "inter_pod_affinity.h"

#include <algorithm>

#include "args.h"

namespace leadline {
namespace {

constexpr std::string_view kStateKey = "PreFilterInterPodAffinity";

// How many matching Pods there are in each domain of one topology key; only those with any.
using Domains = std::unordered_map<std::string, std::int64_t>;

void Add(const NodeInfo& node, const std::string& topology_key, std::int64_t count,
         Domains* domains) {
  const StringMap& labels = node.node().metadata.labels;
  const auto value = labels.find(topology_key);
  if (value == labels.end()) return;
  const auto domain = domains->try_emplace(value->second, 0).first;
  domain->second += count;
  if (domain->second == 0) domains->erase(domain);
}

struct FilterState {
  std::vector<ResolvedTerm> affinity, anti_affinity;  // of the Pod to be placed
  StringMap namespace_labels;                         // of its namespace
  std::vector<Domains> near, far;  // Pods that match all of `affinity`; each of `anti_affinity`
  std::unordered_map<std::string, Domains> repelled;  // by topology key: existing anti-affinity

  bool Idle() const { return affinity.empty() && anti_affinity.empty() && repelled.empty(); }
};

// Brings `other` in, or out with a count of -1.
void Count(const Pod& pod, const Pod& other, const NodeInfo& node, int count, FilterState* state) {
  for (const PodAffinityTerm& term : other.spec.pod_anti_affinity.required) {
    if (!TermMatches(term, other, pod, state->namespace_labels)) continue;
    Add(node, term.topology_key, count, &state->repelled[term.topology_key]);
  }
  if (MatchesAll(state->affinity, other)) {
    for (std::size_t i = 0; i < state->affinity.size(); ++i) {
      Add(node, state->affinity[i].topology_key(), count, &state->near[i]);
    }
  }
  for (std::size_t i = 0; i < state->anti_affinity.size(); ++i) {
    const ResolvedTerm& term = state->anti_affinity[i];
    if (term.Matches(other)) Add(node, term.topology_key(), count, &state->far[i]);
  }
}

// Null when the node lacks the key.
const std::string* Label(const NodeInfo& node, const std::string& key) {
  const StringMap& labels = node.node().metadata.labels;
  const auto found = labels.find(key);
  return found == labels.end() ? nullptr : &found->second;
}

// Each term's domain has a Pod that matches all terms, not of necessity the same one. The first
// Pod of a group, which nobody could attract yet, needs the labels only.
bool AffinityHolds(const FilterState& state, const Pod& pod, const NodeInfo& node) {
  bool all = true, none_anywhere = true;
  for (std::size_t i = 0; i < state.affinity.size(); ++i) {
    const std::string* value = Label(node, state.affinity[i].topology_key());
    if (value == nullptr) return false;
    all = all && state.near[i].count(*value) != 0;
    none_anywhere = none_anywhere && state.near[i].empty();
  }
  return all || (none_anywhere && MatchesAll(state.affinity, pod));
}

bool AntiAffinityHolds(const FilterState& state, const NodeInfo& node) {
  for (std::size_t i = 0; i < state.anti_affinity.size(); ++i) {
    const std::string* value = Label(node, state.anti_affinity[i].topology_key());
    if (value != nullptr && state.far[i].count(*value) != 0) return false;
  }
  return true;
}

bool Repelled(const FilterState& state, const NodeInfo& node) {
  return std::any_of(state.repelled.begin(), state.repelled.end(), [&](const auto& entry) {
    const std::string* value = Label(node, entry.first);
    return value != nullptr && entry.second.count(*value) != 0;
  });
}

std::string KeyOf(const std::vector<ResolvedTerm>& terms) {
  std::string key;
  for (const ResolvedTerm& term : terms) key.append(term.Key()).append(1, '\x1d');
  return key;
}

int CountMatching(const std::vector<ResolvedTerm>& terms, const NodeInfo& node) {
  return static_cast<int>(
      std::count_if(node.pods().begin(), node.pods().end(),
                    [&](const auto& other) { return MatchesAll(terms, *other->pod); }));
}

}  // namespace

InterPodAffinityArgs InterPodAffinityArgs::Read(const YamlNode& node) {
  InterPodAffinityArgs args;
  if (!node.exists()) return args;
  CheckArgsKind(node, "InterPodAffinityArgs");
  node.Get("hardPodAffinityWeight").Read(&args.hard_pod_affinity_weight, 0, 100);
  node.Get("ignorePreferredTermsOfExistingPods")
      .Read(&args.ignore_preferred_terms_of_existing_pods);
  node.RejectUnknownKeys();
  return args;
}

void AddShare(std::string_view key, std::int64_t weight,
              std::vector<std::pair<std::string, std::int64_t>>* shares) {
  const auto found = std::find_if(shares->begin(), shares->end(),
                                  [key](const auto& share) { return share.first == key; });
  if (found != shares->end()) {
    found->second += weight;
  } else {
    shares->emplace_back(key, weight);
  }
}

const std::vector<InterPodAffinity::Shares>& InterPodAffinity::RepellingPods(
    const Snapshot& snapshot, const Pod& pod, const StringMap& namespace_labels) {
  return repelling_.Get(IncomingKey(pod, namespace_labels), snapshot, [&](const NodeInfo& node) {
    Shares shares;
    if (!node.has_required_anti_affinity()) return shares;
    for (const auto& other : node.affinity_pods()) {
      for (const PodAffinityTerm& term : other->pod->spec.pod_anti_affinity.required) {
        if (!TermMatches(term, *other->pod, pod, namespace_labels)) continue;
        AddShare(term.topology_key, 1, &shares);
      }
    }
    return shares;
  });
}

Status InterPodAffinity::PreFilter(CycleState& cycle, const PodInfo& info, PreFilterResult*) {
  const Pod& pod = *info.pod;
  const Snapshot& snapshot = cycle.snapshot();
  const auto& nodes = snapshot.nodes();
  FilterState state;
  state.affinity = Resolve(pod.spec.pod_affinity.required, pod, listers_);
  state.anti_affinity = Resolve(pod.spec.pod_anti_affinity.required, pod, listers_);
  state.near.resize(state.affinity.size());
  state.far.resize(state.anti_affinity.size());
  state.namespace_labels = NamespaceLabels(pod, listers_);

  if (!snapshot.anti_affinity_nodes().empty()) {
    const auto& repelling = RepellingPods(snapshot, pod, state.namespace_labels);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      for (const auto& [key, count] : repelling[n]) {
        Add(*nodes[n], key, count, &state.repelled[key]);
      }
    }
  }
  if (!state.affinity.empty()) {
    const auto& counts = matching_.Get(KeyOf(state.affinity), snapshot, [&](const NodeInfo& node) {
      return CountMatching(state.affinity, node);
    });
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (counts[n] == 0) continue;
      for (std::size_t i = 0; i < state.affinity.size(); ++i) {
        Add(*nodes[n], state.affinity[i].topology_key(), counts[n], &state.near[i]);
      }
    }
  }
  for (std::size_t i = 0; i < state.anti_affinity.size(); ++i) {
    const std::vector<ResolvedTerm> one = {state.anti_affinity[i]};
    const auto& counts = matching_.Get(
        KeyOf(one), snapshot, [&](const NodeInfo& node) { return CountMatching(one, node); });
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (counts[n] != 0) Add(*nodes[n], one[0].topology_key(), counts[n], &state.far[i]);
    }
  }
  if (state.Idle()) return Status::Skip();
  cycle.Write(kStateKey, std::move(state));
  return {};
}

Status InterPodAffinity::AddPod(CycleState& cycle, const PodInfo& pod, const PodInfo& added,
                                const NodeInfo& node) {
  if (auto* state = cycle.Mutable<FilterState>(kStateKey)) {
    Count(*pod.pod, *added.pod, node, 1, state);
  }
  return {};
}

Status InterPodAffinity::RemovePod(CycleState& cycle, const PodInfo& pod, const PodInfo& removed,
                                   const NodeInfo& node) {
  if (auto* state = cycle.Mutable<FilterState>(kStateKey)) {
    Count(*pod.pod, *removed.pod, node, -1, state);
  }
  return {};
}

Status InterPodAffinity::Filter(const CycleState& cycle, const PodInfo& pod, const NodeInfo& node) {
  const auto* state = cycle.Read<FilterState>(kStateKey);
  if (state == nullptr) return Status(Status::Code::kError, "PreFilter did not run");
  if (!AffinityHolds(*state, *pod.pod, node)) {
    return Status(Status::Code::kUnschedulableAndUnresolvable,
                  "node(s) didn't match pod affinity rules");
  }
  if (!AntiAffinityHolds(*state, node)) {
    return Status(Status::Code::kUnschedulable, "node(s) didn't match pod anti-affinity rules");
  }
  if (Repelled(*state, node)) {
    return Status(Status::Code::kUnschedulable,
                  "node(s) didn't satisfy existing pods anti-affinity rules");
  }
  return {};
}

}  // namespace leadline
