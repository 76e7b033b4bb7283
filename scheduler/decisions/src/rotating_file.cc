#include "leadline/decisions/rotating_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

namespace leadline {

RotatingFile::RotatingFile(std::string path, RotationOptions options)
    : path_(std::move(path)), options_(options) {}

RotatingFile::~RotatingFile() { Close(); }

bool RotatingFile::WriteLine(std::string_view line) {
  if (fd_ < 0 && !Open()) return false;
  if (size_ > 0 && size_ + line.size() + 1 > options_.max_bytes) {
    Rotate();
    if (!Open()) return false;
  }
  std::string bytes;
  bytes.reserve(line.size() + 2);
  if (torn_) bytes += '\n';
  bytes.append(line);
  bytes += '\n';
  if (!WriteAll(bytes)) return Fail("writing");
  torn_ = false;
  return true;
}

bool RotatingFile::Open() {
  fd_ = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0) return Fail("opening");
  struct stat status {};
  size_ = ::fstat(fd_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  char last = '\n';
  if (size_ > 0 && ::pread(fd_, &last, 1, static_cast<off_t>(size_ - 1)) == 1) {
    torn_ = last != '\n';
  }
  return true;
}

void RotatingFile::Close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void RotatingFile::Rotate() {
  Close();
  for (int i = options_.keep; i > 0; --i) {
    const std::string from = i == 1 ? path_ : fmt::format("{}.{}", path_, i - 1);
    std::rename(from.c_str(), fmt::format("{}.{}", path_, i).c_str());
  }
  if (options_.keep == 0) ::unlink(path_.c_str());
}

bool RotatingFile::Fail(std::string_view action) {
  last_error_ = fmt::format("{} {}: {}", action, path_, std::strerror(errno));
  ++dropped_;
  Close();
  return false;
}

bool RotatingFile::WriteAll(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    torn_ = true;  // until the rest has followed
    size_ += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace leadline
