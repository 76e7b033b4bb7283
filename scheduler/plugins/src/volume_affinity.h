// Which nodes can reach a PersistentVolume.
#pragma once

#include <optional>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/kubernetes/node.h"
#include "leadline/kubernetes/storage.h"

namespace leadline {

// Terms ORed; none at all: every node.
using VolumeAffinity = std::optional<std::vector<NodeSelectorTerm>>;

// By labels alone: matchFields must be well formed, but are not asked, as in kube-scheduler.
bool ReachableWith(const VolumeAffinity& affinity, const StringMap& node_labels);

// Of a claim that is bound, ready to be asked about each node.
class BoundVolume {
 public:
  // `volume` is not null.
  explicit BoundVolume(std::shared_ptr<const PersistentVolume> volume);

  // An Error when the volume would have to be translated for this node and cannot be. `csi_node`
  // is null when the node has none.
  Result<bool> ReachableFrom(const Node& node, const CsiNode* csi_node) const;
  // Whether the answer depends on the CSINode: a volume of a kind that a CSI driver took over.
  bool migratable() const { return !plugin_.empty(); }

 private:
  std::shared_ptr<const PersistentVolume> volume_;
  std::string_view plugin_;  // "kubernetes.io/gce-pd"; empty: not migratable
  Result<VolumeAffinity> translated_{VolumeAffinity()};  // in the driver's own labels
};

}  // namespace leadline
