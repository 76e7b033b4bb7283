#include "leadline/cache/cache.h"

#include <algorithm>

#include <fmt/format.h>

namespace leadline {

void Cache::SetNode(std::shared_ptr<const Node> node) {
  const std::lock_guard lock(mutex_);
  NodeEntry& entry = nodes_[node->metadata.name];
  if (entry.info) {
    entry.info->SetNode(std::move(node));
    return Touch(entry);
  }
  entry.info = std::make_shared<NodeInfo>(std::move(node));
  for (auto& pod : entry.waiting) entry.info->AddPod(std::move(pod));
  entry.waiting.clear();
  ++known_nodes_;
  membership_changed_ = true;
}

// The snapshot's copy of a known node is old from now on.
void Cache::Touch(NodeEntry& entry) {
  if (!entry.frozen) return;  // it is marked already
  entry.frozen.reset();
  touched_.push_back(&entry);
}

void Cache::RemoveNode(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = nodes_.find(name);
  if (found == nodes_.end() || !found->second.info) return;
  NodeEntry& entry = found->second;
  entry.waiting = entry.info->pods();
  entry.info.reset();
  entry.frozen.reset();
  --known_nodes_;
  membership_changed_ = true;
  if (entry.waiting.empty()) nodes_.erase(found);
}

void Cache::SetPod(std::shared_ptr<const Pod> pod) {
  const auto info = std::make_shared<const PodInfo>(std::move(pod));
  const std::lock_guard lock(mutex_);
  const auto found = pods_.find(info->uid());
  if (found != pods_.end()) Drop(found);
  const std::string& node = info->pod->spec.node_name;
  Place(info, node);
  pods_.emplace(info->uid(), PodEntry{info, node, false});
}

void Cache::RemovePod(std::string_view uid) {
  const std::lock_guard lock(mutex_);
  const auto found = pods_.find(std::string(uid));
  if (found != pods_.end()) Drop(found);
}

bool Cache::Assume(std::shared_ptr<const PodInfo> pod, const std::string& node) {
  const std::lock_guard lock(mutex_);
  const auto [entry, added] = pods_.try_emplace(pod->uid(), PodEntry{pod, node, true});
  if (!added) return false;
  Place(pod, node);
  ++assumed_;
  return true;
}

void Cache::Forget(std::string_view uid) {
  const std::lock_guard lock(mutex_);
  const auto found = pods_.find(std::string(uid));
  if (found != pods_.end() && found->second.assumed) Drop(found);
}

bool Cache::IsAssumed(std::string_view uid) const {
  const std::lock_guard lock(mutex_);
  const auto found = pods_.find(std::string(uid));
  return found != pods_.end() && found->second.assumed;
}

std::string Cache::NodeOf(std::string_view uid) const {
  const std::lock_guard lock(mutex_);
  const auto found = pods_.find(std::string(uid));
  return found == pods_.end() ? std::string() : found->second.node;
}

void Cache::Place(const std::shared_ptr<const PodInfo>& pod, const std::string& node) {
  NodeEntry& entry = nodes_[node];
  if (entry.info) {
    entry.info->AddPod(pod);
    Touch(entry);
  } else {
    entry.waiting.push_back(pod);
  }
}

void Cache::Displace(std::string_view uid, const std::string& node) {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  NodeEntry& entry = found->second;
  if (entry.info) {
    entry.info->RemovePod(uid);
    return Touch(entry);
  }
  std::erase_if(entry.waiting, [&](const auto& pod) { return pod->uid() == uid; });
  if (entry.waiting.empty()) nodes_.erase(found);
}

void Cache::Drop(Pods::iterator pod) {
  Displace(pod->first, pod->second.node);
  if (pod->second.assumed) --assumed_;
  pods_.erase(pod);
}

std::shared_ptr<const Snapshot> Cache::UpdateSnapshot() {
  const std::lock_guard lock(mutex_);
  const auto freeze = [](NodeEntry& entry) {
    if (!entry.frozen) entry.frozen = std::make_shared<const NodeInfo>(*entry.info);
    return entry.frozen;
  };
  NodeInfos nodes;
  if (membership_changed_) {
    nodes.reserve(known_nodes_);
    for (auto& [name, entry] : nodes_) {
      if (entry.info) nodes.push_back(freeze(entry));
    }
    snapshot_ = std::make_shared<const Snapshot>(next_snapshot_++, std::move(nodes));
  } else if (!touched_.empty()) {
    for (NodeEntry* entry : touched_) nodes.push_back(freeze(*entry));
    snapshot_ = std::make_shared<const Snapshot>(next_snapshot_++, *snapshot_, nodes);
  }
  membership_changed_ = false;
  touched_.clear();
  return snapshot_;
}

Cache::Sizes Cache::sizes() const {
  const std::lock_guard lock(mutex_);
  return {known_nodes_, pods_.size(), assumed_};
}

std::vector<std::shared_ptr<const Node>> Cache::Nodes() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const Node>> nodes;
  for (const auto& [name, entry] : nodes_) {
    if (entry.info) nodes.push_back(entry.info->shared_node());
  }
  return nodes;
}

std::shared_ptr<const Node> Cache::FindNode(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = nodes_.find(name);
  return found == nodes_.end() || !found->second.info ? nullptr : found->second.info->shared_node();
}

std::string Cache::FindInconsistency() const {
  const std::lock_guard lock(mutex_);
  std::size_t placed = 0, assumed = 0;
  for (const auto& [name, entry] : nodes_) {
    placed += entry.info ? entry.info->pods().size() : entry.waiting.size();
    if (!entry.info) continue;
    NodeInfo counted(entry.info->shared_node());
    for (const auto& pod : entry.info->pods()) counted.AddPod(pod);
    if (!(counted.requested() == entry.info->requested())) {
      return fmt::format("node {}: requested amounts differ from its Pods'", name);
    }
    if (entry.frozen && !(entry.frozen->requested() == entry.info->requested())) {
      return fmt::format("node {}: the snapshot's copy is old and not marked", name);
    }
  }
  for (const auto& node : snapshot_ ? snapshot_->nodes() : Snapshot::Nodes()) {
    const auto entry = nodes_.find(node->name());
    if (membership_changed_ || (entry != nodes_.end() && !entry->second.frozen)) continue;
    if (entry == nodes_.end() || entry->second.frozen != node) {
      return fmt::format("node {}: the snapshot does not hold its last copy", node->name());
    }
  }
  if (placed != pods_.size()) {
    return fmt::format("{} Pods are known, {} lie on nodes", pods_.size(), placed);
  }
  for (const auto& [uid, entry] : pods_) assumed += entry.assumed ? 1 : 0;
  if (assumed != assumed_) return fmt::format("{} assumed, counted {}", assumed_, assumed);
  return {};
}

}  // namespace leadline
