// The Score half of PodTopologySpread.
#include <algorithm>
#include <cmath>
#include <limits>

#include "pod_topology_spread.h"

namespace leadline {
namespace {

constexpr std::string_view kStateKey = "PreScorePodTopologySpread";
constexpr std::string_view kHostname = "kubernetes.io/hostname";

// A soft constraint and what counts for it.
struct Soft {
  const SpreadConstraint* constraint;
  std::shared_ptr<const Domains> domains;
  std::vector<int> counts;         // hosts only: Pods by row, each node for itself
  std::vector<char> candidates;    // by domain: some candidate is in it
  std::vector<std::int64_t> pods;  // by domain
  std::size_t size = 0;            // domains with candidates
  double weight = 0;  // grows with the number of domains, so that small topologies count too

  bool by_host() const { return constraint->topology_key == kHostname; }
  bool HasKey(std::size_t row) const { return domains->Of(row) != Domains::kNoKey; }
  // Nodes without the key share a domain with those of the value "".
  std::size_t DomainOf(std::size_t row) const {
    return static_cast<std::size_t>(HasKey(row) ? domains->Of(row) : Domains::kEmpty);
  }
  void AddCandidate(std::size_t row) {
    char& known = candidates[DomainOf(row)];
    if (by_host() || known == 0) ++size;
    known = 1;
  }
  void AddPods(std::size_t row, int count) {
    const std::size_t domain = DomainOf(row);
    if (candidates[domain] != 0) pods[domain] += count;
  }
  double Score(std::size_t row) const {
    if (!HasKey(row)) return 0;
    const std::int64_t count = by_host() ? counts[row] : pods[DomainOf(row)];
    return static_cast<double>(count) * weight + static_cast<double>(constraint->max_skew - 1);
  }
};

bool HasAllKeys(const std::vector<Soft>& soft, std::size_t row) {
  return std::all_of(soft.begin(), soft.end(), [row](const Soft& one) { return one.HasKey(row); });
}

struct ScoreState {
  std::vector<std::int64_t> scores;  // of the candidates
  std::vector<char> ignored;         // candidates that lack a key
};

}  // namespace

Status PodTopologySpread::PreScore(CycleState& cycle, const PodInfo& info, NodeList feasible) {
  const Pod& pod = *info.pod;
  const std::vector<SpreadConstraint> constraints = Constraints(pod, false);
  if (constraints.empty()) return Status::Skip();
  // The system's defaults spread over hosts also where nodes have no zone.
  const bool all_keys = !pod.spec.spread_constraints.empty() || !args_.system_defaults;
  const Snapshot& snapshot = cycle.snapshot();
  topology_.Update(snapshot);
  std::vector<Soft> soft;
  for (const SpreadConstraint& one : constraints) {
    const auto domains = topology_.DomainsOf(one.topology_key);
    soft.push_back({.constraint = &one,
                    .domains = domains,
                    .counts = {},
                    .candidates = std::vector<char>(domains->size()),
                    .pods = std::vector<std::int64_t>(domains->size())});
  }
  ScoreState state{std::vector<std::int64_t>(feasible.size()), std::vector<char>(feasible.size())};
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    rows.push_back(topology_.RowOf(*feasible[i]));
    state.ignored[i] = all_keys && !HasAllKeys(soft, rows[i]);
    if (state.ignored[i] != 0) continue;
    for (Soft& one : soft) one.AddCandidate(rows[i]);
  }
  const auto& nodes = snapshot.nodes();
  for (Soft& one : soft) {
    one.weight = std::log(static_cast<double>(one.size + 2));
    const std::vector<int>& counts = Counts(snapshot, *one.constraint, pod);
    if (one.by_host()) {
      one.counts = counts;
      continue;
    }
    const bool every = one.constraint->IncludesEvery(pod);
    for (std::size_t row = 0; row < nodes.size(); ++row) {
      if (counts[row] == 0 || (all_keys && !HasAllKeys(soft, row))) continue;
      if (every || one.constraint->Includes(pod, nodes[row]->node())) {
        one.AddPods(row, counts[row]);
      }
    }
  }
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    if (state.ignored[i] != 0) continue;
    double score = 0;
    for (const Soft& one : soft) score += one.Score(rows[i]);
    state.scores[i] = static_cast<std::int64_t>(std::round(score));
  }
  cycle.Write(kStateKey, std::move(state));
  return {};
}

// The more matching Pods in its domains, the higher, until NormalizeScore turns it round.
Result<std::int64_t> PodTopologySpread::Score(const CycleState& cycle, const PodInfo&,
                                              const NodeInfo&, std::size_t index) {
  const auto* state = cycle.Read<ScoreState>(kStateKey);
  if (state == nullptr) return Error(ErrorCode::kInternal, "PreScore did not run");
  return state->scores[index];
}

Status PodTopologySpread::NormalizeScore(const CycleState& cycle, const PodInfo&,
                                         std::span<std::int64_t> scores) {
  const auto* state = cycle.Read<ScoreState>(kStateKey);
  if (state == nullptr) return {};
  std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (state->ignored[i] != 0) continue;
    low = std::min(low, scores[i]);
    high = std::max(high, scores[i]);
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (state->ignored[i] != 0) {
      scores[i] = 0;
    } else {
      scores[i] = high == 0 ? kMaxNodeScore : kMaxNodeScore * (high + low - scores[i]) / high;
    }
  }
  return {};
}

}  // namespace leadline
