// The Bind plugin that writes the Binding.
#pragma once

#include "leadline/core/cluster_writer.h"
#include "leadline/framework/plugin.h"
#include "leadline/framework/registry.h"

namespace leadline {

// kPending when the Pod is gone or on another node (kNotFound, kConflict from the writer): what
// became of it is for the watch to say.
class DefaultBinder : public BindPlugin {
 public:
  static constexpr std::string_view kName = "DefaultBinder";
  // `writer` must outlive the plugin.
  explicit DefaultBinder(ClusterWriter& writer) : writer_(writer) {}
  std::string_view Name() const override { return kName; }
  void Bind(CycleState& state, const PodInfo& pod, const std::string& node,
            StatusCallback done) override;

 private:
  ClusterWriter& writer_;
};

// For the program's PluginRegistry.
PluginFactory MakeDefaultBinder(ClusterWriter& writer);

}  // namespace leadline
