// The Score half of InterPodAffinity.
#include <algorithm>

#include "inter_pod_affinity.h"

namespace leadline {
namespace {

constexpr std::string_view kStateKey = "PreScoreInterPodAffinity";

// Each feasible node's, in the order of PreScore's list.
using Scores = std::vector<std::int64_t>;

}  // namespace

void InterPodAffinity::AddPreferred(const std::vector<WeightedPodAffinityTerm>& terms,
                                    const Pod& owner, const Pod& incoming,
                                    const StringMap& namespace_labels, int sign, Shares* shares) {
  for (const WeightedPodAffinityTerm& one : terms) {
    if (!TermMatches(one.term, owner, incoming, namespace_labels)) continue;
    AddShare(one.term.topology_key, sign * one.weight, shares);
  }
}

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

Status InterPodAffinity::PreScore(CycleState& cycle, const PodInfo& info, NodeList feasible) {
  const Pod& pod = *info.pod;
  const auto& near = pod.spec.pod_affinity.preferred;
  const auto& far = pod.spec.pod_anti_affinity.preferred;
  const bool prefers = !near.empty() || !far.empty();
  const Snapshot& snapshot = cycle.snapshot();
  const bool attracted = !snapshot.affinity_nodes().empty() &&
                         (prefers || !args_.ignore_preferred_terms_of_existing_pods);
  if (!prefers && !attracted) return Status::Skip();
  topology_.Update(snapshot);
  std::vector<Tally> tallies;
  if (attracted) {
    AddShares(AttractingPods(snapshot, pod, NamespaceLabels(pod, listers_)), &tallies);
  }
  const auto add_own = [&](const std::vector<WeightedPodAffinityTerm>& terms, int sign) {
    for (const WeightedPodAffinityTerm& one : terms) {
      const ResolvedTerm term(one.term, pod, listers_);
      TallyOf(topology_.KeyNumber(term.topology_key()), &tallies)
          .AddRows(CountMatching(snapshot, {term}), std::int64_t{sign} * one.weight);
    }
  };
  add_own(near, 1);
  add_own(far, -1);
  if (tallies.empty()) return Status::Skip();
  Scores scores(feasible.size());
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    for (const Tally& tally : tallies) {
      scores[i] += tally.At(topology_.DomainOf(tally.domains(), *feasible[i]));
    }
  }
  cycle.Write(kStateKey, std::move(scores));
  return {};
}

Result<std::int64_t> InterPodAffinity::Score(const CycleState& cycle, const PodInfo&,
                                             const NodeInfo&, std::size_t index) {
  const auto* scores = cycle.Read<Scores>(kStateKey);
  if (scores == nullptr) return Error(ErrorCode::kInternal, "PreScore did not run");
  return (*scores)[index];
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
