// The Score half of InterPodAffinity.
#include <algorithm>

#include "inter_pod_affinity.h"

namespace leadline {
namespace {

constexpr std::string_view kStateKey = "PreScoreInterPodAffinity";

// By topology key and value.
using Weights = std::unordered_map<std::string, std::unordered_map<std::string, std::int64_t>>;

void Add(const NodeInfo& node, const std::string& key, std::int64_t weight, Weights* weights) {
  const StringMap& labels = node.node().metadata.labels;
  const auto value = labels.find(key);
  if (value != labels.end()) (*weights)[key][value->second] += weight;
}

void AddPreferred(const std::vector<WeightedPodAffinityTerm>& terms, const Pod& owner,
                  const Pod& incoming, const StringMap& namespace_labels, int sign,
                  std::vector<std::pair<std::string, std::int64_t>>* shares) {
  for (const WeightedPodAffinityTerm& one : terms) {
    if (!TermMatches(one.term, owner, incoming, namespace_labels)) continue;
    AddShare(one.term.topology_key, sign * one.weight, shares);
  }
}

}  // namespace

const std::vector<InterPodAffinity::Shares>& InterPodAffinity::AttractingPods(
    const Snapshot& snapshot, const Pod& pod, const StringMap& namespace_labels) {
  return preferences_.Get(IncomingKey(pod, namespace_labels), snapshot, [&](const NodeInfo& node) {
    Shares shares;
    for (const auto& info : node.affinity_pods()) {
      const Pod& other = *info->pod;
      for (const PodAffinityTerm& term : other.spec.pod_affinity.required) {
        if (args_.hard_pod_affinity_weight == 0) break;
        if (!TermMatches(term, other, pod, namespace_labels)) continue;
        AddShare(term.topology_key, args_.hard_pod_affinity_weight, &shares);
      }
      AddPreferred(other.spec.pod_affinity.preferred, other, pod, namespace_labels, 1, &shares);
      AddPreferred(other.spec.pod_anti_affinity.preferred, other, pod, namespace_labels, -1,
                   &shares);
    }
    return shares;
  });
}

Status InterPodAffinity::PreScore(CycleState& cycle, const PodInfo& info, NodeList) {
  const Pod& pod = *info.pod;
  const auto& near = pod.spec.pod_affinity.preferred;
  const auto& far = pod.spec.pod_anti_affinity.preferred;
  const bool prefers = !near.empty() || !far.empty();
  if (args_.ignore_preferred_terms_of_existing_pods && !prefers) return Status::Skip();
  const Snapshot& snapshot = cycle.snapshot();
  const auto& nodes = snapshot.nodes();
  Weights weights;
  if (!snapshot.affinity_nodes().empty()) {
    const auto& attracting = AttractingPods(snapshot, pod, NamespaceLabels(pod, listers_));
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      for (const auto& [key, weight] : attracting[n]) Add(*nodes[n], key, weight, &weights);
    }
  }
  const auto add_own = [&](const std::vector<WeightedPodAffinityTerm>& terms, int sign) {
    for (const WeightedPodAffinityTerm& one : terms) {
      const ResolvedTerm term(one.term, pod, listers_);
      const auto& counts = matching_.Get(term.Key() + '\x1d', snapshot, [&](const NodeInfo& node) {
        return static_cast<int>(
            std::count_if(node.pods().begin(), node.pods().end(),
                          [&](const auto& other) { return term.Matches(*other->pod); }));
      });
      for (std::size_t n = 0; n < nodes.size(); ++n) {
        if (counts[n] == 0) continue;
        Add(*nodes[n], term.topology_key(), std::int64_t{sign} * one.weight * counts[n], &weights);
      }
    }
  };
  add_own(near, 1);
  add_own(far, -1);
  if (weights.empty()) return Status::Skip();
  cycle.Write(kStateKey, std::move(weights));
  return {};
}

Result<std::int64_t> InterPodAffinity::Score(const CycleState& cycle, const PodInfo&,
                                             const NodeInfo& node, std::size_t) {
  const auto* weights = cycle.Read<Weights>(kStateKey);
  if (weights == nullptr) return Error(ErrorCode::kInternal, "PreScore did not run");
  const StringMap& labels = node.node().metadata.labels;
  std::int64_t score = 0;
  for (const auto& [key, values] : *weights) {
    const auto label = labels.find(key);
    if (label == labels.end()) continue;
    const auto value = values.find(label->second);
    if (value != values.end()) score += value->second;
  }
  return score;
}

// The highest becomes 100, the lowest 0; all equal, all 0.
Status InterPodAffinity::NormalizeScore(const CycleState&, const PodInfo&,
                                        std::span<std::int64_t> scores) {
  if (scores.empty()) return {};
  const auto [low, high] = std::minmax_element(scores.begin(), scores.end());
  const std::int64_t least = *low, range = *high - *low;
  for (std::int64_t& score : scores) {
    const double part =
        range > 0 ? static_cast<double>(score - least) / static_cast<double>(range) : 0.0;
    score = static_cast<std::int64_t>(static_cast<double>(kMaxNodeScore) * part);
  }
  return {};
}

}  // namespace leadline
