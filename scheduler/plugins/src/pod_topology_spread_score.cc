// The Score half of PodTopologySpread.
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "pod_topology_spread.h"

namespace leadline {
namespace {

constexpr std::string_view kStateKey = "PreScorePodTopologySpread";
constexpr std::string_view kHostname = "kubernetes.io/hostname";

// A node without the key shares a domain without a name with its like.
const std::string& DomainOf(const Node& node, const std::string& key) {
  static const std::string kNone;
  const std::string* value = TopologyValue(node, key);
  return value == nullptr ? kNone : *value;
}

struct Term {
  SpreadConstraint constraint;
  double weight = 0;  // grows with the number of domains, so that small topologies count too
  std::unordered_map<std::string, std::int64_t> domains;  // with candidates in them
  std::vector<int> on_candidate;                          // hostname: Pods on each candidate
};

struct ScoreState {
  std::vector<Term> terms;
  std::vector<bool> ignored;  // candidates that lack a key
};

// `values` are in the order of the snapshot, and so are the candidates.
std::vector<int> OfCandidates(const std::vector<int>& values, const Snapshot& snapshot,
                              NodeList candidates) {
  std::vector<int> picked;
  picked.reserve(candidates.size());
  const auto& nodes = snapshot.nodes();
  std::size_t n = 0;
  for (const NodeInfo* candidate : candidates) {
    while (nodes[n].get() != candidate) ++n;
    picked.push_back(values[n]);
  }
  return picked;
}

}  // namespace

Status PodTopologySpread::PreScore(CycleState& cycle, const PodInfo& info, NodeList feasible) {
  const Pod& pod = *info.pod;
  const std::vector<SpreadConstraint> constraints = Constraints(pod, false);
  if (constraints.empty()) return Status::Skip();
  // The system's defaults spread over hosts also where nodes have no zone.
  const bool all_keys = !pod.spec.spread_constraints.empty() || !args_.system_defaults;
  ScoreState state;
  state.ignored.resize(feasible.size());
  for (std::size_t i = 0; all_keys && i < feasible.size(); ++i) {
    state.ignored[i] = !HasAllKeys(feasible[i]->node(), constraints);
  }
  const auto scored =
      static_cast<std::size_t>(std::count(state.ignored.begin(), state.ignored.end(), false));
  const Snapshot& snapshot = cycle.snapshot();
  for (const SpreadConstraint& constraint : constraints) {
    Term& term = state.terms.emplace_back();
    term.constraint = constraint;
    const std::vector<int>& counts = Counts(snapshot, constraint, pod);
    std::size_t size = scored;
    if (constraint.topology_key == kHostname) {
      term.on_candidate = OfCandidates(counts, snapshot, feasible);
    } else {
      for (std::size_t i = 0; i < feasible.size(); ++i) {
        if (state.ignored[i]) continue;
        term.domains.try_emplace(DomainOf(feasible[i]->node(), constraint.topology_key), 0);
      }
      size = term.domains.size();
    }
    term.weight = std::log(static_cast<double>(size + 2));
    for (std::size_t n = 0; n < counts.size() && !term.domains.empty(); ++n) {
      const Node& node = snapshot.nodes()[n]->node();
      if (counts[n] == 0 || (all_keys && !HasAllKeys(node, constraints))) continue;
      const auto domain = term.domains.find(DomainOf(node, constraint.topology_key));
      if (domain != term.domains.end() && constraint.Includes(pod, node)) {
        domain->second += counts[n];
      }
    }
  }
  cycle.Write(kStateKey, std::move(state));
  return {};
}

// The more matching Pods in its domains, the higher, until NormalizeScore turns it round.
Result<std::int64_t> PodTopologySpread::Score(const CycleState& cycle, const PodInfo&,
                                              const NodeInfo& node, std::size_t index) {
  const auto* state = cycle.Read<ScoreState>(kStateKey);
  if (state == nullptr) return Error(ErrorCode::kInternal, "PreScore did not run");
  if (state->ignored[index]) return 0;
  double score = 0;
  for (const Term& term : state->terms) {
    const std::string* value = TopologyValue(node.node(), term.constraint.topology_key);
    if (value == nullptr) continue;
    const std::int64_t count =
        term.on_candidate.empty() ? term.domains.at(*value) : term.on_candidate[index];
    score += static_cast<double>(count) * term.weight +
             static_cast<double>(term.constraint.max_skew - 1);
  }
  return static_cast<std::int64_t>(std::round(score));
}

Status PodTopologySpread::NormalizeScore(const CycleState& cycle, const PodInfo&,
                                         std::span<std::int64_t> scores) {
  const auto* state = cycle.Read<ScoreState>(kStateKey);
  if (state == nullptr) return {};
  std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (state->ignored[i]) continue;
    low = std::min(low, scores[i]);
    high = std::max(high, scores[i]);
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (state->ignored[i]) {
      scores[i] = 0;
    } else {
      scores[i] = high == 0 ? kMaxNodeScore : kMaxNodeScore * (high + low - scores[i]) / high;
    }
  }
  return {};
}

}  // namespace leadline
