#include "affinity_term.h"

#include <algorithm>

namespace leadline {
namespace {

// Names hold none of these, so that no two lists of them read alike.
constexpr char kItem = '\x1f', kGroup = '\x1e';

void AppendLabels(const StringMap& labels, std::string* key) {
  for (const auto& [name, value] : labels) {
    key->append(name).append(1, kItem).append(value).append(1, kItem);
  }
  key->push_back(kGroup);
}

}  // namespace

// Without a selector and without names a term means its Pod's own namespace.
ResolvedTerm::ResolvedTerm(const PodAffinityTerm& term, const Pod& owner, const Listers& listers)
    : term_(&term), namespaces_(term.namespaces.begin(), term.namespaces.end()) {
  const OptionalSelector& selector = term.namespace_selector;
  all_namespaces_ = selector && selector->requirements.empty();
  if (!selector) {
    if (namespaces_.empty()) namespaces_.insert(owner.metadata.namespace_name);
  } else if (!all_namespaces_) {
    for (const auto& one : listers.namespaces.List()) {
      if (selector->Matches(one->metadata.labels)) namespaces_.insert(one->metadata.name);
    }
  }
}

bool ResolvedTerm::Matches(const Pod& other) const {
  return term_->label_selector &&
         (all_namespaces_ || namespaces_.count(other.metadata.namespace_name) != 0) &&
         term_->label_selector->Matches(other.metadata.labels);
}

std::string ResolvedTerm::Key() const {
  std::string key = all_namespaces_ ? "*" : "";
  for (const std::string& name : namespaces_) key.append(name).append(1, kItem);
  key.push_back(kGroup);
  if (term_->label_selector) key.append(1, '+').append(SelectorKey(*term_->label_selector));
  return key;
}

std::vector<ResolvedTerm> Resolve(const std::vector<PodAffinityTerm>& terms, const Pod& owner,
                                  const Listers& listers) {
  std::vector<ResolvedTerm> resolved;
  for (const PodAffinityTerm& term : terms) resolved.emplace_back(term, owner, listers);
  return resolved;
}

bool MatchesAll(const std::vector<ResolvedTerm>& terms, const Pod& other) {
  return !terms.empty() && std::all_of(terms.begin(), terms.end(), [&](const ResolvedTerm& term) {
    return term.Matches(other);
  });
}

bool MatchesAny(const std::vector<ResolvedTerm>& terms, const Pod& other) {
  return std::any_of(terms.begin(), terms.end(),
                     [&](const ResolvedTerm& term) { return term.Matches(other); });
}

bool TermMatches(const PodAffinityTerm& term, const Pod& owner, const Pod& incoming,
                 const StringMap& namespace_labels) {
  if (!term.label_selector || !term.label_selector->Matches(incoming.metadata.labels)) return false;
  const std::string& space = incoming.metadata.namespace_name;
  if (term.namespace_selector && term.namespace_selector->Matches(namespace_labels)) return true;
  if (term.namespaces.empty() && !term.namespace_selector) {
    return owner.metadata.namespace_name == space;
  }
  return std::find(term.namespaces.begin(), term.namespaces.end(), space) != term.namespaces.end();
}

StringMap NamespaceLabels(const Pod& pod, const Listers& listers) {
  const auto found = listers.namespaces.Get(pod.metadata.namespace_name);
  return found == nullptr ? StringMap() : found->metadata.labels;
}

std::string SelectorKey(const LabelSelector& selector) {
  std::string key;
  for (const Requirement& one : selector.requirements) {
    key.append(one.key).append(1, kItem).append(std::to_string(static_cast<int>(one.op)));
    for (const std::string& value : one.values) key.append(1, kItem).append(value);
    key.push_back(kGroup);
  }
  return key;
}

std::string IncomingKey(const Pod& incoming, const StringMap& namespace_labels) {
  std::string key = incoming.metadata.namespace_name;
  key.push_back(kGroup);
  AppendLabels(incoming.metadata.labels, &key);
  AppendLabels(namespace_labels, &key);
  return key;
}

}  // namespace leadline
