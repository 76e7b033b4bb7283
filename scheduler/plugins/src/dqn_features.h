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

// LeastAllocatedScore of each node.
std::vector<float> LeastAllocatedScores(std::span<const NodeState> nodes, const PodFeatures& pod);

// no_metrics: nothing is known of any candidate; stale_metrics: of most candidates CPU or memory
// is not.
void SetMeasured(const std::vector<ThreeState>& states, DecoderInput* input);

// What is known of the decision's outcome when it is taken; `node` empty: rejected.
Outcome OutcomeOf(const CycleState& state, const PodInfo& pod, const std::string& node);
Placement PlacementOf(const LearnedDecision& learned);

}  // namespace leadline
