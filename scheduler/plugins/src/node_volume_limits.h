#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leadline/framework/listers.h"
#include "leadline/framework/plugin.h"

namespace leadline {

// Keeps Pods off nodes to which a CSI driver can attach no more volumes, and off those that lack
// a driver that has to be there.
// https://kubernetes.io/docs/concepts/storage/storage-limits/
class NodeVolumeLimits : public PreFilterPlugin, public FilterPlugin, public EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "NodeVolumeLimits";

  // `listers` must outlive it.
  explicit NodeVolumeLimits(const Listers& listers) : listers_(listers) {}

  std::string_view Name() const override { return kName; }
  std::vector<ClusterEvent> EventsToRegister() const override;
  bool Helps(const Pod& waiting, const ClusterChange& change) const override;
  Status PreFilter(CycleState& state, const PodInfo& pod, PreFilterResult* result) override;
  Status Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) override;

 private:
  using VolumeKey = std::pair<std::string, std::string>;  // driver and handle
  // A volume of a Pod as nodes count it.
  struct Counted {
    Status status;  // why it cannot be told
    VolumeKey key;
    bool migrated = false;  // counts only where there is a CSINode
    bool needs_driver = false;
  };
  struct FilterState {
    std::vector<Counted> wanted;
    std::map<std::string, std::set<VolumeKey>, std::less<>> by_driver;
  };

  // Whether the volume may be one that nodes count.
  static bool MayCount(const Volume& volume);
  // Nothing: a volume that does not count.
  std::optional<Counted> Count(const Pod& pod, const Volume& volume) const;
  std::optional<Counted> CountClaim(const PersistentVolumeClaim& claim) const;
  std::optional<Counted> CountUnbound(const PersistentVolumeClaim& claim) const;
  // How many volumes of the driver the node would have with those in `wanted`.
  std::size_t CountWith(const std::set<VolumeKey>& wanted, std::string_view driver,
                        const NodeInfo& node) const;

  const Listers& listers_;
};

}  // namespace leadline
