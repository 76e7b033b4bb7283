// Weights on disk (docs/formats/weights.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "leadline/base/result.h"
#include "leadline/nn/q_network.h"

namespace leadline {

struct WeightsFile {
  std::string encoder;  // name of the encoder they were made for
  std::string made_by;  // the command and seed that made them; for people
  QNetwork network;
  std::string checksum;  // CRC-32 of the file in hex: names this version in logs and metrics
};

// Replaces the file in one step (temporary file, fsync, rename).
Result<std::string> SaveWeights(const std::string& path, const std::string& encoder,
                                const std::string& made_by, const QNetwork& network);

// Errors name the file and what is wrong: absent, not a weights file, another version, cut short,
// checksum, values that are not finite.
Result<WeightsFile> LoadWeights(const std::string& path);
Result<WeightsFile> ParseWeights(std::string_view bytes, const std::string& name);

// LoadWeights, refusing weights made for another encoder or another shape; the message names both.
Result<WeightsFile> LoadWeightsFor(const std::string& path, std::string_view encoder, int row_width,
                                   int context_width);

}  // namespace leadline
