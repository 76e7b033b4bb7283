#include "leadline/nn/mlp.h"

#include <cmath>

namespace leadline {

Mlp::Mlp(std::vector<int> sizes) : sizes_(std::move(sizes)) {
  std::size_t offset = 0;
  for (std::size_t i = 0; i + 1 < sizes_.size(); ++i) {
    Layer layer{sizes_[i], sizes_[i + 1], offset, 0};
    layer.biases =
        offset + static_cast<std::size_t>(layer.in) * static_cast<std::size_t>(layer.out);
    offset = layer.biases + static_cast<std::size_t>(layer.out);
    layers_.push_back(layer);
  }
  parameters_.assign(offset, 0.0f);
}

Mlp::Mlp(std::vector<int> sizes, Rng& rng) : Mlp(std::move(sizes)) {
  for (const Layer& layer : layers_) {
    const double deviation = std::sqrt(2.0 / layer.in);
    for (std::size_t i = layer.weights; i < layer.biases; ++i) {
      parameters_[i] = static_cast<float>(deviation * rng.Normal());
    }
  }
}

std::uint64_t Mlp::ParameterCount(const std::vector<int>& sizes) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    count += (static_cast<std::uint64_t>(sizes[i]) + 1) * static_cast<std::uint64_t>(sizes[i + 1]);
  }
  return count;
}

Eigen::Map<const Matrix> Mlp::Weights(const Layer& layer) const {
  return {parameters_.data() + layer.weights, layer.in, layer.out};
}

Eigen::Map<const Eigen::RowVectorXf> Mlp::Biases(const Layer& layer) const {
  return {parameters_.data() + layer.biases, layer.out};
}

void Mlp::Forward(const Eigen::Ref<const Matrix>& rows, Workspace* workspace) const {
  workspace->inputs.resize(layers_.size());
  workspace->inputs[0] = rows;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const bool last = i + 1 == layers_.size();
    Matrix& out = last ? workspace->output : workspace->inputs[i + 1];
    out.noalias() = workspace->inputs[i] * Weights(layers_[i]);
    out.rowwise() += Biases(layers_[i]);
    if (!last) out = out.cwiseMax(0.0f);
  }
}

void Mlp::Backward(const Workspace& workspace, const Matrix& output_gradient,
                   float* gradient) const {
  Matrix flowing = output_gradient;
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const Layer& layer = layers_[i];
    const Matrix& input = workspace.inputs[i];
    Eigen::Map<Matrix>(gradient + layer.weights, layer.in, layer.out).noalias() +=
        input.transpose() * flowing;
    Eigen::Map<Eigen::RowVectorXf>(gradient + layer.biases, layer.out) += flowing.colwise().sum();
    if (i == 0) break;
    Matrix before = flowing * Weights(layer).transpose();
    // Where ReLU cut its input off, nothing flows back.
    flowing = (input.array() > 0.0f).select(before, 0.0f);
  }
}

}  // namespace leadline
