#include "leadline/nn/weights_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <boost/endian/conversion.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

namespace leadline {
namespace {

constexpr std::string_view kMagic = "LEADLINE";
constexpr std::uint32_t kVersion = 1;
// Nobody's network is larger; keeps a damaged file from asking for all memory.
constexpr std::uint32_t kMaxLayers = 16, kMaxWidth = 4096, kMaxText = 4096;

class Writer {
 public:
  void U32(std::uint32_t value) {
    char bytes[4];
    boost::endian::store_little_u32(reinterpret_cast<unsigned char*>(bytes), value);
    out_.append(bytes, 4);
  }
  void Text(std::string_view text) {
    U32(static_cast<std::uint32_t>(text.size()));
    out_ += text;
  }
  void Widths(const std::vector<int>& widths) {
    U32(static_cast<std::uint32_t>(widths.size()));
    for (int width : widths) U32(static_cast<std::uint32_t>(width));
  }
  void Float(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    U32(bits);
  }
  void Raw(std::string_view bytes) { out_ += bytes; }
  std::string& out() { return out_; }

 private:
  std::string out_;
};

// Once something is missing, everything after it reads as empty; ok() tells at the end.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  bool ok() const { return ok_; }
  std::size_t left() const { return left_.size(); }

  std::uint32_t U32() {
    const std::string_view bytes = Take(4);
    if (bytes.size() < 4) return 0;
    return boost::endian::load_little_u32(reinterpret_cast<const unsigned char*>(bytes.data()));
  }
  std::string_view Take(std::size_t count) {
    if (count > left_.size()) ok_ = false;
    if (!ok_) return {};
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }
  std::string Text() {
    const std::uint32_t size = U32();
    if (size > kMaxText) ok_ = false;
    return std::string(Take(size));
  }
  int Width() {
    const std::uint32_t width = U32();
    if (width == 0 || width > kMaxWidth) ok_ = false;
    return static_cast<int>(width);
  }
  std::vector<int> Widths() {
    const std::uint32_t count = U32();
    if (count > kMaxLayers) ok_ = false;
    std::vector<int> widths;
    for (std::uint32_t i = 0; ok_ && i < count; ++i) widths.push_back(Width());
    return widths;
  }
  float Float() {
    const std::uint32_t bits = U32();
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

 private:
  std::string_view left_;
  bool ok_ = true;
};

std::uint32_t Crc(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

Error Damaged(const std::string& name, std::string_view what) {
  return Error(ErrorCode::kDataLoss, fmt::format("{}: {}", name, what));
}

Error SystemError(const std::string& path, std::string_view action) {
  const ErrorCode code = errno == ENOENT   ? ErrorCode::kNotFound
                         : errno == EACCES ? ErrorCode::kPermissionDenied
                                           : ErrorCode::kUnavailable;
  return Error(code, fmt::format("{} {}: {}", action, path, std::strerror(errno)));
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(fd) == 0;
}

Result<void> ReplaceFile(const std::string& path, std::string_view bytes) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return SystemError(temporary, "creating");
  const bool written = WriteAll(fd, bytes);
  ::close(fd);
  if (written && std::rename(temporary.c_str(), path.c_str()) == 0) return {};
  const Error error = SystemError(path, "writing");
  ::unlink(temporary.c_str());
  return error;
}

}  // namespace

Result<std::string> SaveWeights(const std::string& path, const std::string& encoder,
                                const std::string& made_by, const QNetwork& network) {
  Writer writer;
  writer.Raw(kMagic);
  writer.U32(kVersion);
  writer.Text(encoder);
  writer.Text(made_by);
  const QNetworkShape& shape = network.shape();
  writer.U32(static_cast<std::uint32_t>(shape.row_width));
  writer.U32(static_cast<std::uint32_t>(shape.context_width));
  writer.Widths(shape.hidden);
  writer.Widths(shape.context_hidden);
  const std::vector<float> parameters = network.Parameters();
  writer.U32(static_cast<std::uint32_t>(parameters.size()));
  for (float parameter : parameters) writer.Float(parameter);
  const std::uint32_t crc = Crc(writer.out());
  writer.U32(crc);
  if (auto saved = ReplaceFile(path, writer.out()); !saved) return saved.error();
  return fmt::format("{:08x}", crc);
}

Result<WeightsFile> LoadWeights(const std::string& path) {
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return SystemError(path, "opening weights");
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  return ParseWeights(bytes, path);
}

Result<WeightsFile> ParseWeights(std::string_view bytes, const std::string& name) {
  Reader reader(bytes);
  if (reader.Take(kMagic.size()) != kMagic) return Damaged(name, "is not a weights file");
  if (const std::uint32_t version = reader.U32(); reader.ok() && version != kVersion) {
    return Damaged(name, fmt::format("has format version {}, expected {}", version, kVersion));
  }
  WeightsFile file;
  file.encoder = reader.Text();
  file.made_by = reader.Text();
  QNetworkShape shape;
  shape.row_width = reader.Width();
  shape.context_width = reader.Width();
  shape.hidden = reader.Widths();
  shape.context_hidden = reader.Widths();
  const std::uint32_t count = reader.U32();
  if (!reader.ok()) return Damaged(name, "is cut short or damaged (header)");
  if (reader.left() != std::size_t{count} * 4 + 4) {
    return Damaged(name, fmt::format("is cut short or damaged: {} bytes of weights, expected {}",
                                     reader.left(), std::size_t{count} * 4 + 4));
  }
  const std::uint32_t crc = Crc(bytes.substr(0, bytes.size() - 4));
  std::vector<float> parameters(count);
  for (float& parameter : parameters) parameter = reader.Float();
  if (reader.U32() != crc) return Damaged(name, "checksum does not match: the file is damaged");
  Rng rng(0);
  QNetwork network(shape, rng);
  if (network.parameter_count() != count) {
    return Damaged(name, fmt::format("has {} weights, its shape {} takes {}", count,
                                     shape.ToString(), network.parameter_count()));
  }
  if (!network.SetParameters(parameters)) return Damaged(name, "has weights that are not finite");
  file.network = std::move(network);
  file.checksum = fmt::format("{:08x}", crc);
  return file;
}

Result<WeightsFile> LoadWeightsFor(const std::string& path, std::string_view encoder, int row_width,
                                   int context_width) {
  Result<WeightsFile> file = LoadWeights(path);
  if (!file) return file.error();
  if (file->encoder != encoder) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("{}: weights were made for encoder \"{}\", configured is \"{}\"", path,
                             file->encoder, encoder));
  }
  const QNetworkShape& shape = file->network.shape();
  if (shape.row_width != row_width || shape.context_width != context_width) {
    return Error(
        ErrorCode::kInvalidArgument,
        fmt::format("{}: weights take {} features a node and {} of context, encoder "
                    "\"{}\" gives {} and {}",
                    path, shape.row_width, shape.context_width, encoder, row_width, context_width));
  }
  return file;
}

}  // namespace leadline
