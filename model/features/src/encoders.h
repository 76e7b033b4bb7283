// The encoders that MakeEncoder() knows.
#pragma once

#include "leadline/features/state_encoder.h"

namespace leadline {

class ThreeEncoder : public StateEncoder {
 public:
  std::string_view Name() const override { return "three"; }
  const std::vector<std::string>& FeatureNames() const override;

 protected:
  void EncodeRow(const NodeState& node, const PodFeatures& pod, const ThreeDefaults& means,
                 float* row) const override;
};

class RichEncoder : public StateEncoder {
 public:
  std::string_view Name() const override { return "rich"; }
  const std::vector<std::string>& FeatureNames() const override;

 protected:
  void EncodeRow(const NodeState& node, const PodFeatures& pod, const ThreeDefaults& means,
                 float* row) const override;
};

}  // namespace leadline
