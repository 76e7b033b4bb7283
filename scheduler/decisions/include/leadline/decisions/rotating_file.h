// An append-only file of lines that never grows past its share of the disk, and never stops the
// program when the disk is full.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace leadline {

struct RotationOptions {
  std::uint64_t max_bytes = std::uint64_t{64} << 20;  // of one file
  int keep = 3;                                       // older files: name.1 ... name.keep
};

// One writer; not thread-safe. A line that cannot be written is dropped and counted; the file is
// opened again at the next line.
class RotatingFile {
 public:
  RotatingFile(std::string path, RotationOptions options);
  ~RotatingFile();
  RotatingFile(const RotatingFile&) = delete;
  RotatingFile& operator=(const RotatingFile&) = delete;

  // Appends `line` and a newline; false when it was dropped. A torn line left by a full disk or
  // by a crash is ended first, so that the next line stands alone.
  bool WriteLine(std::string_view line);

  const std::string& path() const { return path_; }
  std::uint64_t dropped() const { return dropped_; }
  const std::string& last_error() const { return last_error_; }

 private:
  bool Open();
  void Close();
  void Rotate();
  bool Fail(std::string_view action);
  bool WriteAll(std::string_view bytes);

  std::string path_;
  RotationOptions options_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
  bool torn_ = false;
  std::uint64_t dropped_ = 0;
  std::string last_error_;
};

}  // namespace leadline
