#include "netlab/latency_matrix.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace leadline::netlab {
namespace {

// An hour: more is a mistake in the unit.
constexpr double kMostMilliseconds = 3.6e6;

Result<std::vector<double>> ReadRow(const std::string& line, const std::string& where) {
  std::vector<double> row;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (end == word.c_str() || *end != '\0' || !(value >= 0 && value <= kMostMilliseconds)) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("{}: \"{}\": expected milliseconds from 0 to {}", where, word,
                               kMostMilliseconds));
    }
    row.push_back(value);
  }
  return row;
}

}  // namespace

Result<LatencyMatrix> LatencyMatrix::Read(std::istream& in, const std::string& name) {
  LatencyMatrix matrix;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos || line[0] == '#') continue;
    const std::string where = fmt::format("{}:{}", name, number);
    auto row = ReadRow(line, where);
    if (!row) return row.error();
    if (!matrix.rows_.empty() && row->size() != matrix.rows_.front().size()) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("{}: {} numbers, but the first row has {}", where, row->size(),
                               matrix.rows_.front().size()));
    }
    matrix.rows_.push_back(std::move(*row));
  }
  const std::size_t columns = matrix.rows_.empty() ? 0 : matrix.rows_.front().size();
  if (columns == 0 || columns != matrix.size()) {
    return Error(
        ErrorCode::kInvalidArgument,
        fmt::format("{}: {} rows of {} numbers; expected a square", name, matrix.size(), columns));
  }
  return matrix;
}

Result<LatencyMatrix> LatencyMatrix::Load(const std::string& file) {
  std::ifstream in(file);
  if (!in) {
    return Error(ErrorCode::kNotFound, fmt::format("{}: {}", file, std::strerror(errno)));
  }
  return Read(in, file);
}

std::chrono::nanoseconds LatencyMatrix::OneWay(std::size_t from, std::size_t to) const {
  return std::chrono::nanoseconds(std::llround(rows_.at(from).at(to) * 1e6 / 2));
}

}  // namespace leadline::netlab
