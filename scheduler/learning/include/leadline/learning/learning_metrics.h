// The leadline_* families about decisions and what came of them (docs/metrics.md).
#pragma once

#include <string>

#include "leadline/exporter/registry.h"
#include "leadline/framework/decision.h"

namespace leadline {

// Thread-safe. Bounded: profiles, fallbacks, events and reward parts only; never a Pod or a node.
class LearningMetrics : public DecisionObserver, public OutcomeObserver {
 public:
  explicit LearningMetrics(Registry& registry);

  void OnDecision(std::shared_ptr<const Decision> decision) override;
  void OnOutcome(std::shared_ptr<const Outcome> outcome) override;

  // Which weights decide; `weights` is their checksum, empty when there are none.
  void SetModel(const std::string& encoder, const std::string& weights);
  void SetEpsilon(double epsilon) { epsilon_.Set(epsilon); }

 private:
  CounterFamily& decisions_;
  CounterFamily& fallbacks_;
  Counter rejections_;
  Counter explored_;
  Histogram chosen_value_;
  Histogram advantage_;
  Histogram chosen_latency_;
  Histogram reward_;
  GaugeFamily& reward_parts_;
  CounterFamily& outcomes_;
  Gauge epsilon_;
  GaugeFamily& model_;
};

}  // namespace leadline
