// Terms of pod affinity and anti-affinity, ready to be matched.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "leadline/framework/listers.h"
#include "leadline/kubernetes/pod.h"

namespace leadline {

// A term of the Pod to be placed: its namespaces are known by name. Refers to the term.
class ResolvedTerm {
 public:
  ResolvedTerm(const PodAffinityTerm& term, const Pod& owner, const Listers& listers);

  bool Matches(const Pod& other) const;
  const std::string& topology_key() const { return term_->topology_key; }
  // The same for terms that match the same Pods.
  std::string Key() const;

 private:
  const PodAffinityTerm* term_;
  bool all_namespaces_;
  std::set<std::string, std::less<>> namespaces_;
};

std::vector<ResolvedTerm> Resolve(const std::vector<PodAffinityTerm>& terms, const Pod& owner,
                                  const Listers& listers);
bool MatchesAll(const std::vector<ResolvedTerm>& terms, const Pod& other);
bool MatchesAny(const std::vector<ResolvedTerm>& terms, const Pod& other);

// A term of `owner`, a Pod on a node, about a Pod to be placed, of whose namespace the labels are
// known.
bool TermMatches(const PodAffinityTerm& term, const Pod& owner, const Pod& incoming,
                 const StringMap& namespace_labels);

// Labels of the Pod's namespace; none when it is not known.
StringMap NamespaceLabels(const Pod& pod, const Listers& listers);

// A text that two selectors share only when they are the same.
std::string SelectorKey(const LabelSelector& selector);
// The same for Pods in which TermMatches sees no difference.
std::string IncomingKey(const Pod& incoming, const StringMap& namespace_labels);

}  // namespace leadline
