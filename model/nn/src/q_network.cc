#include "leadline/nn/q_network.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace leadline {
namespace {

// Rows that fit the first-level cache together with the weights.
constexpr std::size_t kTile = 64;

std::vector<int> Sizes(int in, const std::vector<int>& hidden) {
  std::vector<int> sizes = {in};
  sizes.insert(sizes.end(), hidden.begin(), hidden.end());
  sizes.push_back(1);
  return sizes;
}

ConstRows Rows(std::span<const float> values, std::size_t rows, int width) {
  return {values.data(), static_cast<Eigen::Index>(rows), width};
}

Matrix One(float value) { return Matrix::Constant(1, 1, value); }

}  // namespace

std::string QNetworkShape::ToString() const {
  return fmt::format("{}, context {}", fmt::join(Sizes(row_width, hidden), "-"),
                     fmt::join(Sizes(context_width, context_hidden), "-"));
}

std::uint64_t QNetworkShape::ParameterCount() const {
  return Mlp::ParameterCount(Sizes(row_width, hidden)) +
         2 * Mlp::ParameterCount(Sizes(context_width, context_hidden));
}

QNetwork::QNetwork(QNetworkShape shape)
    : shape_(std::move(shape)),
      node_(Sizes(shape_.row_width, shape_.hidden)),
      value_(Sizes(shape_.context_width, shape_.context_hidden)),
      reject_(Sizes(shape_.context_width, shape_.context_hidden)) {}

QNetwork::QNetwork(QNetworkShape shape, Rng& rng)
    : shape_(std::move(shape)),
      node_(Sizes(shape_.row_width, shape_.hidden), rng),
      value_(Sizes(shape_.context_width, shape_.context_hidden), rng),
      reject_(Sizes(shape_.context_width, shape_.context_hidden), rng) {}

void QNetwork::Forward(std::span<const float> rows, std::span<const float> context,
                       Workspace* workspace, std::vector<float>* values) const {
  const auto width = static_cast<std::size_t>(shape_.row_width);
  const std::size_t n = rows.size() / width;
  values->resize(n + 1);
  value_.Forward(Rows(context, 1, shape_.context_width), &workspace->value);
  reject_.Forward(Rows(context, 1, shape_.context_width), &workspace->reject);
  const float v = workspace->value.output(0, 0);
  for (std::size_t begin = 0; begin < n; begin += kTile) {
    const std::size_t count = std::min(kTile, n - begin);
    node_.Forward(Rows(rows.subspan(begin * width), count, shape_.row_width), &workspace->node);
    for (std::size_t i = 0; i < count; ++i) {
      (*values)[begin + i] = v + workspace->node.output(static_cast<Eigen::Index>(i), 0);
    }
  }
  (*values)[n] = v + workspace->reject.output(0, 0);
}

void QNetwork::AccumulateGradient(std::span<const float> rows, std::span<const float> context,
                                  std::span<const float> weights, float value_weight,
                                  Workspace* workspace, std::vector<float>* gradient) const {
  const std::size_t n = weights.size() - 1;
  gradient->resize(shape_.ParameterCount(), 0.0f);
  float* at = gradient->data();
  if (n > 0) {
    node_.Forward(Rows(rows, n, shape_.row_width), &workspace->node);
    node_.Backward(workspace->node, Rows(weights, n, 1), at);
  }
  at += node_.parameter_count();
  value_.Forward(Rows(context, 1, shape_.context_width), &workspace->value);
  value_.Backward(workspace->value, One(value_weight), at);
  at += value_.parameter_count();
  reject_.Forward(Rows(context, 1, shape_.context_width), &workspace->reject);
  reject_.Backward(workspace->reject, One(weights[n]), at);
}

std::vector<float> QNetwork::Parameters() const {
  std::vector<float> all = node_.parameters();
  all.insert(all.end(), value_.parameters().begin(), value_.parameters().end());
  all.insert(all.end(), reject_.parameters().begin(), reject_.parameters().end());
  return all;
}

bool QNetwork::SetParameters(std::span<const float> parameters) {
  if (parameters.size() != shape_.ParameterCount()) return false;
  if (!std::all_of(parameters.begin(), parameters.end(),
                   [](float p) { return std::isfinite(p); })) {
    return false;
  }
  const float* at = parameters.data();
  for (Mlp* net : {&node_, &value_, &reject_}) {
    std::copy_n(at, net->parameter_count(), net->parameters().begin());
    at += net->parameter_count();
  }
  return true;
}

}  // namespace leadline
