// From the framework's nodes and Pods to the numbers of model/features and the learning contract.
#pragma once

#include <string>
#include <vector>

#include "leadline/features/observation.h"
#include "leadline/features/three.h"
#include "leadline/framework/plugin.h"
#include "leadline/learning/outcome_tracker.h"
#include "leadline/rl/action_decoder.h"

namespace leadline {

std::vector<NodeState> FeaturesOf(NodeList nodes, const std::vector<ThreeState>& states);
PodFeatures PodFeaturesOf(const PodInfo& pod);

// kube-scheduler's LeastAllocated over CPU and memory, 0 to 100, once the Pod is there.
std::vector<float> LeastAllocatedScores(NodeList nodes, const PodInfo& pod);

// has_metrics: something is known of some candidate; stale_metrics: of most candidates CPU or
// memory is not.
void SetMeasured(const std::vector<ThreeState>& states, DecoderInput* input);

// What is known of the decision's outcome when it is taken; `node` empty: rejected.
Outcome OutcomeOf(const CycleState& state, const PodInfo& pod, const std::string& node);
PlacementState PlacementOf(const LearnedDecision& learned);

}  // namespace leadline
