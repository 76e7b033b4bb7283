#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "leadline/framework/listers.h"
#include "leadline/framework/plugin.h"
#include "leadline/plugins/volume_binder.h"
#include "leadline/yaml/document.h"
#include "score_shape.h"

namespace leadline {

// VolumeBindingArgs of kubescheduler.config.k8s.io/v1.
struct VolumeBindingArgs {
  std::chrono::seconds bind_timeout{600};
  ScoreShape shape = {{0, 10}, {100, 0}};  // the score of how full storage would be

  // Mistakes go to the document.
  static VolumeBindingArgs Read(const YamlNode& args);
};

// Keeps Pods on nodes that reach their bound volumes, finds volumes for claims that wait for their
// first consumer, and has them bound before the Pod.
// https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode
class VolumeBinding : public PreFilterPlugin,
                      public FilterPlugin,
                      public PreScorePlugin,
                      public ScorePlugin,
                      public ReservePlugin,
                      public PreBindPlugin,
                      public EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "VolumeBinding";

  // `listers` must outlive it; `binder`, not null, keeps the same ones' books.
  VolumeBinding(VolumeBindingArgs args, const Listers& listers,
                std::shared_ptr<VolumeBinder> binder);

  std::string_view Name() const override { return kName; }
  std::vector<ClusterEvent> EventsToRegister() const override;
  bool Helps(const Pod& waiting, const ClusterChange& change) const override;
  Status PreFilter(CycleState& state, const PodInfo& pod, PreFilterResult* result) override;
  Status Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) override;
  Status PreScore(CycleState& state, const PodInfo& pod, NodeList feasible) override;
  // By how full the storage of each class would be, the classes alike; of the volumes to be made
  // only where no existing one is to be bound.
  Result<std::int64_t> Score(const CycleState& state, const PodInfo& pod, const NodeInfo& node,
                             std::size_t index) override;
  // Counts the volumes as bound, so that no other Pod is given them.
  Status Reserve(CycleState& state, const PodInfo& pod, const std::string& node) override;
  void Unreserve(CycleState& state, const PodInfo& pod, const std::string& node) override;
  // Asks for the bindings and waits until they are complete, `bind_timeout` at most.
  void PreBind(CycleState& state, const PodInfo& pod, const std::string& node,
               StatusCallback done) override;

 private:
  struct Cycle;
  struct Waiting;   // a claim that waits for its first consumer
  struct Judgment;  // of one node

  // Null when the Pod has no claims.
  static Cycle* CycleOf(const CycleState& state);
  Status FindClaims(const Pod& pod, Cycle* cycle) const;
  Status AddClaim(const Pod& pod, const Volume& volume, Cycle* cycle) const;
  void FindVolumes(Cycle* cycle) const;
  Result<void> JudgeBound(const Cycle& cycle, const Node& node, Judgment* out) const;
  static void JudgeWaiting(const Cycle& cycle, const Node& node, Judgment* out);

  const VolumeBindingArgs args_;
  const Listers& listers_;
  const std::shared_ptr<VolumeBinder> binder_;
};

}  // namespace leadline
