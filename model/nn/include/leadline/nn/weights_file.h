// A network's weights on disk. The format is described in docs/formats/weights.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "leadline/base/result.h"
#include "leadline/nn/q_network.h"

namespace leadline {

// What was trained, and how.
struct WeightsInfo {
  std::string encoder;  // name of the StateEncoder the rows came from
  std::string method;   // how the weights were found, for people
  std::uint64_t seed = 0;
  std::uint64_t steps = 0;     // updates of the weights
  std::uint32_t checksum = 0;  // of the whole file; names the version in logs; set by reading
};

// A plain value; reading and writing are the free functions below.
struct WeightsFile {
  WeightsInfo info;
  QNetwork network;

  // "3f8a01c2"
  std::string Version() const;
  // kInvalidArgument naming both sides when these weights were made for another encoder or
  // another shape of its rows and context.
  Result<void> Matches(std::string_view encoder, std::size_t row_width,
                       std::size_t context_width) const;
};

std::string FormatWeights(const WeightsFile& weights);
// kDataLoss: truncated, trailing bytes, wrong checksum. kInvalidArgument: not a weights file,
// unknown version, a shape that cannot be, a weight that is not finite.
Result<WeightsFile> ParseWeights(std::string_view bytes);

// Errors name the file. Weights that are not finite are never written.
Result<WeightsFile> ReadWeightsFile(const std::string& path);
Result<void> WriteWeightsFile(const std::string& path, const WeightsFile& weights);

}  // namespace leadline
