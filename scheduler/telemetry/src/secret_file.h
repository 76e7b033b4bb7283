// A secret that lies in a file and may be exchanged there; private to the module.
#pragma once

#include <mutex>
#include <string>

#include "leadline/base/result.h"

namespace leadline {

// Whole text of a small file (1 MiB at most). kNotFound with the file's name when unreadable.
Result<std::string> ReadSmallFile(const std::string& file);

// Thread-safe.
class SecretFile {
 public:
  explicit SecretFile(std::string file) : file_(std::move(file)) {}

  // The content without blanks around it, read now; the last good one when it cannot be read.
  // An error when there never was one, it is empty, or it holds a control character.
  Result<std::string> Get();

 private:
  const std::string file_;
  std::mutex mutex_;
  std::string last_;
};

}  // namespace leadline
