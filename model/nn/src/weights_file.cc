#include "leadline/nn/weights_file.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "leadline/nn/bytes.h"

namespace leadline {
namespace {

constexpr std::string_view kMagic = "LLWEIGHT";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kChecksumBytes = 4;
// Bounds of what can be meant: far beyond any network of ours, far below what hurts.
constexpr std::uint32_t kMaxWidth = 4096;
constexpr std::size_t kMaxLayers = 8;
constexpr std::size_t kMaxFileBytes = 256u << 20;

Error Bad(ErrorCode code, std::string_view what) { return Error(code, std::string(what)); }

void WriteShape(const QNetworkShape& shape, ByteWriter* out) {
  const auto write_layers = [out](const std::vector<int>& layers) {
    out->U8(static_cast<std::uint8_t>(layers.size()));
    for (int width : layers) out->U32(static_cast<std::uint32_t>(width));
  };
  out->U32(static_cast<std::uint32_t>(shape.row_width));
  out->U32(static_cast<std::uint32_t>(shape.context_width));
  write_layers(shape.hidden);
  write_layers(shape.context_hidden);
}

std::optional<int> ReadWidth(ByteReader* in) {
  const std::uint32_t width = in->U32();
  if (width < 1 || width > kMaxWidth) return std::nullopt;
  return static_cast<int>(width);
}

std::optional<std::vector<int>> ReadLayers(ByteReader* in) {
  const std::size_t count = in->U8();
  if (count > kMaxLayers) return std::nullopt;
  std::vector<int> layers;
  for (std::size_t i = 0; i < count; ++i) {
    const auto width = ReadWidth(in);
    if (!width) return std::nullopt;
    layers.push_back(*width);
  }
  return layers;
}

std::optional<QNetworkShape> ReadShape(ByteReader* in) {
  const auto row = ReadWidth(in), context = ReadWidth(in);
  auto hidden = ReadLayers(in), context_hidden = ReadLayers(in);
  if (in->failed() || !row || !context || !hidden || !context_hidden) return std::nullopt;
  return QNetworkShape{*row, *context, std::move(*hidden), std::move(*context_hidden)};
}

// Magic, version, checksum: whether the bytes are what was once written.
Result<void> CheckEnvelope(std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic.substr(0, bytes.size())) {
    return Bad(ErrorCode::kInvalidArgument, "not a weights file (wrong first bytes)");
  }
  if (bytes.size() < kMagic.size() + 4 + kChecksumBytes) {
    return Bad(ErrorCode::kDataLoss, "truncated: too short to be a weights file");
  }
  ByteReader head(bytes.substr(kMagic.size()));
  if (const std::uint32_t version = head.U32(); version != kVersion) {
    return Bad(ErrorCode::kInvalidArgument,
               fmt::format("format version {}; this program reads {}", version, kVersion));
  }
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  ByteReader tail(bytes.substr(body.size()));
  if (const std::uint32_t said = tail.U32(), is = Crc32(body); said != is) {
    return Bad(
        ErrorCode::kDataLoss,
        fmt::format("damaged or truncated: checksum {:08x}, the file says {:08x}", is, said));
  }
  return {};
}

}  // namespace

std::string WeightsFile::Version() const { return fmt::format("{:08x}", info.checksum); }

Result<void> WeightsFile::Matches(std::string_view encoder, std::size_t row_width,
                                  std::size_t context_width) const {
  if (info.encoder != encoder) {
    return Bad(ErrorCode::kInvalidArgument,
               fmt::format("the weights were made for encoder \"{}\", configured is \"{}\"",
                           info.encoder, encoder));
  }
  const QNetworkShape& shape = network.shape();
  if (static_cast<std::size_t>(shape.row_width) == row_width &&
      static_cast<std::size_t>(shape.context_width) == context_width) {
    return {};
  }
  return Bad(ErrorCode::kInvalidArgument,
             fmt::format("the weights take {} values a node and {} of context, encoder \"{}\" "
                         "gives {} and {}",
                         shape.row_width, shape.context_width, encoder, row_width, context_width));
}

std::string FormatWeights(const WeightsFile& weights) {
  ByteWriter out;
  out.Raw(kMagic);
  out.U32(kVersion);
  out.Text(weights.info.encoder);
  out.Text(weights.info.method);
  out.U64(weights.info.seed);
  out.U64(weights.info.steps);
  WriteShape(weights.network.shape(), &out);
  out.Floats(weights.network.Parameters());
  out.U32(Crc32(out.bytes()));
  return out.bytes();
}

Result<WeightsFile> ParseWeights(std::string_view bytes) {
  if (auto whole = CheckEnvelope(bytes); !whole) return whole.error();
  ByteReader in(bytes.substr(0, bytes.size() - kChecksumBytes));
  in.Raw(kMagic.size());
  in.U32();
  WeightsFile weights;
  weights.info.checksum = ByteReader(bytes.substr(bytes.size() - kChecksumBytes)).U32();
  weights.info.encoder = in.Text();
  weights.info.method = in.Text();
  weights.info.seed = in.U64();
  weights.info.steps = in.U64();
  const auto shape = ReadShape(&in);
  if (!shape) return Bad(ErrorCode::kInvalidArgument, "the shape of the network cannot be");
  const std::vector<float> parameters = in.Floats();
  if (in.failed()) return Bad(ErrorCode::kDataLoss, "truncated within the weights");
  if (in.left() > 0) return Bad(ErrorCode::kDataLoss, "bytes after the weights");
  if (const std::uint64_t wanted = shape->ParameterCount(); parameters.size() != wanted) {
    return Bad(
        ErrorCode::kInvalidArgument,
        fmt::format("{} weights, shape {} has {}", parameters.size(), shape->ToString(), wanted));
  }
  weights.network = QNetwork(*shape);
  if (!weights.network.SetParameters(parameters)) {
    return Bad(ErrorCode::kInvalidArgument, "a weight is not a finite number");
  }
  return weights;
}

Result<WeightsFile> ReadWeightsFile(const std::string& path) {
  const auto bytes = ReadWholeFile(path, kMaxFileBytes);
  if (!bytes) return bytes.error();
  auto weights = ParseWeights(*bytes);
  if (!weights) return weights.error().WithContext(path);
  return weights;
}

Result<void> WriteWeightsFile(const std::string& path, const WeightsFile& weights) {
  const std::vector<float> parameters = weights.network.Parameters();
  if (!std::all_of(parameters.begin(), parameters.end(),
                   [](float p) { return std::isfinite(p); })) {
    return Bad(ErrorCode::kInvalidArgument,
               fmt::format("{}: weights that are not finite are not written", path));
  }
  return WriteFileAtomically(path, FormatWeights(weights));
}

}  // namespace leadline
