#include "leadline/telemetry/node_matcher.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace leadline {
namespace {

// IPv6 literals in their one canonical form; host names in lower case.
std::string Canonical(std::string_view value) {
  std::string text(value);
  std::array<unsigned char, 16> address{};
  std::array<char, INET6_ADDRSTRLEN> printed{};
  if (inet_pton(AF_INET6, text.c_str(), address.data()) == 1) {
    return inet_ntop(AF_INET6, address.data(), printed.data(), printed.size());
  }
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  return text;
}

bool IsPort(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::string_view WithoutPort(std::string_view value) {
  if (value.starts_with('[')) {
    const std::size_t close = value.find(']');
    return close == std::string_view::npos ? value : value.substr(1, close - 1);
  }
  const std::size_t colon = value.rfind(':');
  // More than one colon without brackets is an IPv6 address, all of it.
  if (colon == std::string_view::npos || value.find(':') != colon) return value;
  return IsPort(value.substr(colon + 1)) ? value.substr(0, colon) : value;
}

NodeMatcher::NodeMatcher(std::vector<NodeIdentity> nodes) : nodes_(std::move(nodes)) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    by_name_.emplace(nodes_[i].name, i);
    AddAlias(nodes_[i].hostname, i);
    for (const std::string& address : nodes_[i].addresses) AddAlias(address, i);
  }
}

void NodeMatcher::AddAlias(const std::string& alias, std::size_t node) {
  if (alias.empty()) return;
  const auto [entry, added] = by_alias_.emplace(Canonical(alias), node);
  if (!added && entry->second != node) entry->second = kShared;
}

NodeMatcher::Answer NodeMatcher::Find(std::string_view value) const {
  for (const std::string_view form : {value, WithoutPort(value)}) {
    if (const auto name = by_name_.find(std::string(form)); name != by_name_.end()) {
      return {NodeMatch::kFound, name->second};
    }
    if (const auto alias = by_alias_.find(Canonical(form)); alias != by_alias_.end()) {
      if (alias->second == kShared) return {NodeMatch::kAmbiguous, 0};
      return {NodeMatch::kFound, alias->second};
    }
  }
  return {};
}

NodeMatcher::Answer NodeMatcher::Find(const Sample& sample,
                                      const std::vector<std::string>& labels) const {
  Answer answer;
  for (const std::string& label : labels) {
    const std::string_view value = sample.Label(label);
    if (value.empty()) continue;
    const Answer here = Find(value);
    if (here.match == NodeMatch::kFound) return here;
    if (here.match == NodeMatch::kAmbiguous) answer = here;
  }
  return answer;
}

}  // namespace leadline
