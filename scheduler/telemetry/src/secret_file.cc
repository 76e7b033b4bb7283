#include "secret_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace leadline {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

}  // namespace

Result<std::string> ReadSmallFile(const std::string& file) {
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::string text(kMaxBytes, '\0');
  if (!stream.read(text.data(), static_cast<std::streamsize>(text.size())) && stream.bad()) {
    return Error(ErrorCode::kNotFound, "reading " + file + ": " + std::strerror(errno));
  }
  if (!stream.is_open()) {
    return Error(ErrorCode::kNotFound, "reading " + file + ": " + std::strerror(errno));
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

Result<std::string> SecretFile::Get() {
  std::lock_guard lock(mutex_);
  auto text = ReadSmallFile(file_);
  if (!text) {
    if (!last_.empty()) return last_;
    return text.error();
  }
  const char* const blanks = " \t\r\n";
  const std::size_t start = text->find_first_not_of(blanks);
  if (start == std::string::npos) return Error(ErrorCode::kNotFound, file_ + " is empty");
  std::string secret = text->substr(start, text->find_last_not_of(blanks) - start + 1);
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  if (std::any_of(secret.begin(), secret.end(), control)) {
    return Error(ErrorCode::kInvalidArgument, file_ + " holds more than one line");
  }
  return last_ = secret;
}

}  // namespace leadline
