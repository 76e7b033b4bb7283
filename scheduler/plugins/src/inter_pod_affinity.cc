// The Filter half of InterPodAffinity.
#include "inter_pod_affinity.h"

#include <algorithm>

#include "args.h"

namespace leadline {
namespace {

constexpr std::string_view kStateKey = "PreFilterInterPodAffinity";

// Copies are cheap: they share what never changes, the counts of PreFilter included.
struct FilterState {
  using Terms = std::vector<ResolvedTerm>;

  std::shared_ptr<const Terms> affinity, anti_affinity;  // of the Pod to be placed
  std::shared_ptr<const StringMap> namespace_labels;     // of its namespace
  bool matches_itself = false;   // all of `affinity` match the Pod to be placed
  std::vector<Tally> near, far;  // Pods that match all of `affinity`; each of `anti_affinity`
  std::vector<Tally> repelled;   // by topology key: existing anti-affinity

  bool Idle() const { return affinity->empty() && anti_affinity->empty() && repelled.empty(); }
};

// Each term's domain has a Pod that matches all terms, not of necessity the same one. The first
// Pod of a group, which nobody could attract yet, needs the labels only.
bool AffinityHolds(const FilterState& state, const TopologyRows& topology, const NodeInfo& node) {
  bool all = true, none_anywhere = true;
  for (const Tally& tally : state.near) {
    const int domain = topology.DomainOf(tally.domains(), node);
    if (domain == Domains::kNoKey) return false;
    all = all && tally.At(domain) > 0;
    none_anywhere = none_anywhere && tally.total() == 0;
  }
  return all || (none_anywhere && state.matches_itself);
}

bool AnyCounts(const std::vector<Tally>& tallies, const TopologyRows& topology,
               const NodeInfo& node) {
  return std::any_of(tallies.begin(), tallies.end(), [&](const Tally& tally) {
    return tally.At(topology.DomainOf(tally.domains(), node)) > 0;
  });
}

std::string KeyOf(const std::vector<ResolvedTerm>& terms) {
  std::string key;
  for (const ResolvedTerm& term : terms) key.append(term.Key()).append(1, '\x1d');
  return key;
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

void InterPodAffinity::AddShare(const std::string& key, std::int64_t weight, Shares* shares) {
  const int number = topology_.KeyNumber(key);
  const auto found = std::find_if(shares->begin(), shares->end(),
                                  [number](const auto& share) { return share.first == number; });
  if (found != shares->end()) {
    found->second += weight;
  } else {
    shares->emplace_back(number, weight);
  }
}

Tally& InterPodAffinity::TallyOf(int key, std::vector<Tally>* tallies) {
  const auto domains = topology_.DomainsOf(key);
  const auto found = std::find_if(tallies->begin(), tallies->end(), [&](const Tally& tally) {
    return &tally.domains() == domains.get();
  });
  return found != tallies->end() ? *found : tallies->emplace_back(domains);
}

void InterPodAffinity::AddShares(const std::vector<Shares>& shares, std::vector<Tally>* tallies) {
  // As good as all nodes have the same few keys.
  int last_key = -1;
  std::size_t last = 0;
  for (std::size_t row = 0; row < shares.size(); ++row) {
    for (const auto& [key, weight] : shares[row]) {
      if (key != last_key) {
        last = static_cast<std::size_t>(&TallyOf(key, tallies) - tallies->data());
        last_key = key;
      }
      Tally& tally = (*tallies)[last];
      tally.Add(tally.domains().Of(row), weight);
    }
  }
}

const std::vector<int>& InterPodAffinity::CountMatching(const Snapshot& snapshot,
                                                        const std::vector<ResolvedTerm>& terms) {
  return matching_.Get(KeyOf(terms), snapshot, [&](const NodeInfo& node) {
    return static_cast<int>(
        std::count_if(node.pods().begin(), node.pods().end(),
                      [&](const auto& other) { return MatchesAll(terms, *other->pod); }));
  });
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
  const auto& near = pod.spec.pod_affinity.required;
  const auto& far = pod.spec.pod_anti_affinity.required;
  const bool repelled = !snapshot.anti_affinity_nodes().empty();
  if (near.empty() && far.empty() && !repelled) return Status::Skip();
  topology_.Update(snapshot);
  FilterState state;
  state.affinity = std::make_shared<const FilterState::Terms>(Resolve(near, pod, listers_));
  state.anti_affinity = std::make_shared<const FilterState::Terms>(Resolve(far, pod, listers_));
  state.namespace_labels = std::make_shared<const StringMap>(NamespaceLabels(pod, listers_));
  state.matches_itself = MatchesAll(*state.affinity, pod);
  if (repelled) {
    AddShares(RepellingPods(snapshot, pod, *state.namespace_labels), &state.repelled);
  }
  if (!near.empty()) {
    const auto& counts = CountMatching(snapshot, *state.affinity);
    for (const ResolvedTerm& term : *state.affinity) {
      state.near.emplace_back(topology_.DomainsOf(term.topology_key())).AddRows(counts);
    }
  }
  for (const ResolvedTerm& term : *state.anti_affinity) {
    state.far.emplace_back(topology_.DomainsOf(term.topology_key()))
        .AddRows(CountMatching(snapshot, {term}));
  }
  if (state.Idle()) return Status::Skip();
  cycle.Write(kStateKey, std::move(state));
  return {};
}

Status InterPodAffinity::AddPod(CycleState& cycle, const PodInfo& pod, const PodInfo& added,
                                const NodeInfo& node) {
  Change(cycle, *pod.pod, *added.pod, node, 1);
  return {};
}

Status InterPodAffinity::RemovePod(CycleState& cycle, const PodInfo& pod, const PodInfo& removed,
                                   const NodeInfo& node) {
  Change(cycle, *pod.pod, *removed.pod, node, -1);
  return {};
}

// Brings `other` in, or out with a count of -1.
void InterPodAffinity::Change(CycleState& cycle, const Pod& pod, const Pod& other,
                              const NodeInfo& node, int count) {
  auto* state = cycle.Mutable<FilterState>(kStateKey);
  if (state == nullptr) return;
  const auto change = [&](Tally& tally) {
    tally.Change(topology_.DomainOf(tally.domains(), node), count);
  };
  for (const PodAffinityTerm& term : other.spec.pod_anti_affinity.required) {
    if (!TermMatches(term, other, pod, *state->namespace_labels)) continue;
    change(TallyOf(topology_.KeyNumber(term.topology_key), &state->repelled));
  }
  if (MatchesAll(*state->affinity, other)) {
    std::for_each(state->near.begin(), state->near.end(), change);
  }
  for (std::size_t i = 0; i < state->far.size(); ++i) {
    if ((*state->anti_affinity)[i].Matches(other)) change(state->far[i]);
  }
}

Status InterPodAffinity::Filter(const CycleState& cycle, const PodInfo&, const NodeInfo& node) {
  const auto* state = cycle.Read<FilterState>(kStateKey);
  if (state == nullptr) return Status(Status::Code::kError, "PreFilter did not run");
  if (!AffinityHolds(*state, topology_, node)) {
    return Status(Status::Code::kUnschedulableAndUnresolvable,
                  "node(s) didn't match pod affinity rules");
  }
  if (AnyCounts(state->far, topology_, node)) {
    return Status(Status::Code::kUnschedulable, "node(s) didn't match pod anti-affinity rules");
  }
  if (AnyCounts(state->repelled, topology_, node)) {
    return Status(Status::Code::kUnschedulable,
                  "node(s) didn't satisfy existing pods anti-affinity rules");
  }
  return {};
}

}  // namespace leadline
