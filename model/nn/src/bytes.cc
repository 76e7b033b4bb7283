#include "leadline/nn/bytes.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

namespace leadline {
namespace {

Error FileError(std::string_view doing, const std::string& path, int error) {
  const ErrorCode code = error == ENOENT                     ? ErrorCode::kNotFound
                         : error == EACCES || error == EPERM ? ErrorCode::kPermissionDenied
                                                             : ErrorCode::kUnavailable;
  return Error(code, fmt::format("{} {}: {}", doing, path,
                                 std::error_code(error, std::generic_category()).message()));
}

// 0 or the errno.
int WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return fsync(file) == 0 ? 0 : errno;
}

// So that the new name itself survives a crash.
void SyncDirectory(const std::filesystem::path& directory) {
  const int file = open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY);
  if (file < 0) return;
  fsync(file);
  close(file);
}

}  // namespace

void ByteWriter::Integer(std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) bytes_.push_back(static_cast<char>(value >> (8 * i)));
}

void ByteWriter::F64(double value) { U64(std::bit_cast<std::uint64_t>(value)); }

void ByteWriter::Text(std::string_view text) {
  text = text.substr(0, 255);
  U8(static_cast<std::uint8_t>(text.size()));
  Raw(text);
}

void ByteWriter::Floats(std::span<const float> values) {
  U32(static_cast<std::uint32_t>(values.size()));
  for (float value : values) U32(std::bit_cast<std::uint32_t>(value));
}

std::uint64_t ByteReader::Integer(int width) {
  const std::string_view bytes = Raw(static_cast<std::size_t>(width));
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return value;
}

double ByteReader::F64() { return std::bit_cast<double>(U64()); }

std::string ByteReader::Text() {
  const std::size_t size = U8();
  return std::string(Raw(size));
}

std::string_view ByteReader::Raw(std::size_t count) {
  if (count > rest_.size()) {
    failed_ = true;
    rest_ = {};
    return {};
  }
  const std::string_view bytes = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return bytes;
}

std::vector<float> ByteReader::Floats() {
  const std::size_t count = U32();
  if (count > left() / sizeof(float)) {
    failed_ = true;
    rest_ = {};
    return {};
  }
  std::vector<float> values(count);
  for (float& value : values) value = std::bit_cast<float>(U32());
  return values;
}

Result<void> WriteFileAtomically(const std::string& path, std::string_view bytes) {
  const std::string beside = fmt::format("{}.{}.tmp", path, getpid());
  const int file = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return FileError("writing", beside, errno);
  int error = WriteAll(file, bytes);
  if (close(file) != 0 && error == 0) error = errno;
  if (error == 0 && rename(beside.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(beside.c_str());
    return FileError("writing", path, error);
  }
  SyncDirectory(std::filesystem::path(path).parent_path());
  return {};
}

Result<std::string> ReadWholeFile(const std::string& path, std::size_t max_bytes) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return FileError("reading", path, EISDIR);
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return FileError("reading", path, errno);
  std::string bytes;
  char chunk[65536];
  while (stream.read(chunk, sizeof chunk), stream.gcount() > 0) {
    bytes.append(chunk, static_cast<std::size_t>(stream.gcount()));
    if (bytes.size() > max_bytes) {
      return Error(ErrorCode::kResourceExhausted,
                   fmt::format("reading {}: larger than {} bytes", path, max_bytes));
    }
  }
  if (stream.bad()) return FileError("reading", path, EIO);
  return bytes;
}

std::uint32_t Crc32(std::string_view bytes) {
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(crc32_z(0, data, bytes.size()));
}

}  // namespace leadline
