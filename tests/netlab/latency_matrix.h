// Round trips between the ends of the emulated link, as measured somewhere real.
#pragma once

#include <chrono>
#include <cstddef>
#include <istream>
#include <string>
#include <vector>

#include "leadline/base/result.h"

namespace leadline::netlab {

class LatencyMatrix {
 public:
  // Rows of milliseconds, set apart by white space; empty lines and those that start with # do not
  // count. kInvalidArgument, with `name` and line, for anything but a square of numbers >= 0.
  static Result<LatencyMatrix> Read(std::istream& in, const std::string& name);
  static Result<LatencyMatrix> Load(const std::string& file);

  std::size_t size() const { return rows_.size(); }
  // Half of the round trip in that row and column.
  std::chrono::nanoseconds OneWay(std::size_t from, std::size_t to) const;

 private:
  std::vector<std::vector<double>> rows_;
};

}  // namespace leadline::netlab
