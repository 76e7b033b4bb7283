// The subcommands of `leadline`. Each adds itself to the command line; when it is the one asked
// for, it runs and leaves its exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "leadline/base/error.h"

namespace leadline {

void AddTrainCommand(CLI::App* app, int* exit_code);
void AddEvaluateCommand(CLI::App* app, int* exit_code);
void AddModelCommand(CLI::App* app, int* exit_code);

// Says it on stderr; the exit code: 2 when what was given is wrong, 1 for anything else.
inline int Fail(const Error& error) {
  fmt::print(stderr, "leadline: {}\n", error.message());
  const bool given = error.code() == ErrorCode::kInvalidArgument ||
                     error.code() == ErrorCode::kNotFound || error.code() == ErrorCode::kDataLoss;
  return given ? 2 : 1;
}

}  // namespace leadline
