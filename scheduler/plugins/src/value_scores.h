// Action values as scores: what the framework's Score and NormalizeScore need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace leadline {

// Maps values to 0..100, keeping their order: the best gets 100, the worst 0, the rest lie between
// in proportion, and nothing but what equals the best reaches 100. Equal values give equal scores;
// all equal give 100 each. Values that are not finite get 0.
std::vector<std::int64_t> ScoresFromValues(std::span<const float> values);

// The same, but `chosen` alone gets 100 (exploration and fallbacks need not choose the best).
std::vector<std::int64_t> ScoresWithChoice(std::span<const float> values, std::size_t chosen);

}  // namespace leadline
