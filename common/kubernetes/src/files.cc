#include "files.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

namespace leadline {
namespace {

constexpr std::size_t kMaxFileBytes = 16 << 20;

Error FileError(const std::string& path, int code) {
  const ErrorCode kind = code == ENOENT                    ? ErrorCode::kNotFound
                         : code == EACCES || code == EPERM ? ErrorCode::kPermissionDenied
                                                           : ErrorCode::kUnavailable;
  return Error(kind, path + ": " + std::generic_category().message(code));
}

}  // namespace

Result<std::string> ReadFile(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return FileError(path, errno);
  }
  std::string out;
  char piece[16 << 10];
  ssize_t got = 0;
  while ((got = ::read(descriptor, piece, sizeof piece)) > 0 && out.size() <= kMaxFileBytes) {
    out.append(piece, static_cast<std::size_t>(got));
  }
  const int code = errno;
  ::close(descriptor);
  if (got < 0) {
    return FileError(path, code);
  }
  if (out.size() > kMaxFileBytes) {
    return Error(ErrorCode::kInvalidArgument, path + ": larger than 16 MiB");
  }
  return out;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string packed;
  std::copy_if(text.begin(), text.end(), std::back_inserter(packed),
               [](char c) { return c != ' ' && c != '\n' && c != '\r' && c != '\t'; });
  if (packed.size() % 4 != 0 || packed.size() > kMaxFileBytes * 2) {
    return std::nullopt;
  }
  const std::size_t body = packed.find_last_not_of('=') + 1;
  const std::size_t padding = packed.size() - body;
  if (padding > 2 || packed.find('=') < body) {
    return std::nullopt;
  }
  std::string out(packed.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                   reinterpret_cast<const unsigned char*>(packed.data()),
                                   static_cast<int>(packed.size()));
  if (size < 0) {
    return std::nullopt;
  }
  out.resize(static_cast<std::size_t>(size) - padding);
  return out;
}

std::string EncodeBase64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

std::string_view TrimSpace(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace leadline
