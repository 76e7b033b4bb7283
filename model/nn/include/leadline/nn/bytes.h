// Little-endian records for the files of the model: writing, and reading that never trusts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "leadline/base/result.h"

namespace leadline {

class ByteWriter {
 public:
  void U8(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void U32(std::uint32_t value) { Integer(value, 4); }
  void U64(std::uint64_t value) { Integer(value, 8); }
  void F64(double value);
  void Text(std::string_view text);  // at most 255 bytes; what is longer is cut off
  void Raw(std::string_view bytes) { bytes_.append(bytes); }
  // The number of values, then the values.
  void Floats(std::span<const float> values);

  const std::string& bytes() const { return bytes_; }

 private:
  void Integer(std::uint64_t value, int width);

  std::string bytes_;
};

// Reading past the end gives zeros and sets failed(); nothing is ever allocated beyond what the
// input really holds.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t U8() { return static_cast<std::uint8_t>(Integer(1)); }
  std::uint32_t U32() { return static_cast<std::uint32_t>(Integer(4)); }
  std::uint64_t U64() { return Integer(8); }
  double F64();
  std::string Text();
  std::string_view Raw(std::size_t count);
  std::vector<float> Floats();

  bool failed() const { return failed_; }
  std::size_t left() const { return rest_.size(); }

 private:
  std::uint64_t Integer(int width);

  std::string_view rest_;
  bool failed_ = false;
};

// A file is written beside its place, forced to the disk and renamed: a reader, or a crash, sees
// the old one or the new one, never a part.
Result<void> WriteFileAtomically(const std::string& path, std::string_view bytes);
// kNotFound when there is none; kResourceExhausted when it is larger than `max_bytes`.
Result<std::string> ReadWholeFile(const std::string& path, std::size_t max_bytes);

// CRC-32 as in zlib and PNG.
std::uint32_t Crc32(std::string_view bytes);

}  // namespace leadline
