// Runs a program and takes what it prints.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "leadline/base/result.h"

namespace leadline {

struct Program {
  std::vector<std::string> command;  // [0] is looked up in PATH unless it has a slash
  std::vector<std::pair<std::string, std::string>> environment;  // beside our own
  std::chrono::milliseconds timeout{std::chrono::seconds(60)};
};

// Blocks. Standard output is returned (at most 1 MiB), standard error is ours, standard input
// is empty. kNotFound when it cannot be started, kTimeout when it was killed for its time,
// kCancelled when `cancel_descriptor` became readable, kPermissionDenied for a bad exit.
Result<std::string> RunProgram(const Program& program, int cancel_descriptor);

}  // namespace leadline
