// Turns nodes and a Pod into an Observation. Replaceable by configuration (REQUIREMENTS A6).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/features/observation.h"

namespace leadline {

// Stateless and thread-safe.
class StateEncoder {
 public:
  virtual ~StateEncoder() = default;
  virtual std::string_view Name() const = 0;
  // Names of the values of one row; their number is the row's width.
  virtual const std::vector<std::string>& FeatureNames() const = 0;

  std::size_t width() const { return FeatureNames().size(); }
  // Mean and largest value of each column, then the Pod's CPU and memory.
  std::size_t context_width() const { return 2 * width() + 2; }

  // Fills `out`, reusing its memory. With no nodes the context is all zero but for the Pod.
  void Encode(std::span<const NodeFeatures> nodes, const PodFeatures& pod, Observation* out) const;

 protected:
  // Writes width() values.
  virtual void EncodeRow(const NodeFeatures& node, const PodFeatures& pod,
                         const std::array<double, 3>& unknown, float* row) const = 0;
};

// "three" or "rich"; kInvalidArgument naming the known ones.
Result<std::unique_ptr<StateEncoder>> MakeEncoder(std::string_view name);

// The mean of what is known over the nodes, for those of which it is not; 0.5 when nothing is.
std::array<double, 3> UnknownThree(std::span<const NodeFeatures> nodes);

}  // namespace leadline
