// Turns nodes and a Pod into an Observation. Replaceable by configuration (REQUIREMENTS A6).
//
// A row tells of its own node and the Pod, so that the value of a node can be kept until that node
// changes; what is true of the whole cluster is in the context, which the network uses for the
// state's value and for rejecting. The one exception is the mean of the nodes' measured values,
// which a row may be compared with: rounded to hundredths, so that it moves seldom, and never at
// every bind.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/features/observation.h"
#include "leadline/features/three.h"

namespace leadline {

// Stateless and thread-safe.
class StateEncoder {
 public:
  virtual ~StateEncoder() = default;
  virtual std::string_view Name() const = 0;
  // Names of the values of one row; their number is the row's width.
  virtual const std::vector<std::string>& FeatureNames() const = 0;

  std::size_t width() const { return FeatureNames().size(); }
  // Mean and largest value of each column, the Pod's CPU and memory, the number of nodes.
  std::size_t context_width() const { return 2 * width() + 3; }

  // Fills `out`, reusing its memory. Without nodes the means and maxima are 0.
  void Encode(std::span<const NodeState> nodes, const PodFeatures& pod, Observation* out) const;

 protected:
  // Writes width() values, each finite and in [0, 1].
  virtual void EncodeRow(const NodeState& node, const PodFeatures& pod, const ThreeDefaults& means,
                         float* row) const = 0;
};

// "three" (A1's values alone) or "rich" (16 features, docs/learning.md); kInvalidArgument naming
// the known ones for any other name.
Result<std::unique_ptr<StateEncoder>> MakeEncoder(std::string_view name);

}  // namespace leadline
