// A small fully connected network with ReLU between its layers, forward and backward.
#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "leadline/base/rng.h"

namespace leadline {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstRows = Eigen::Map<const Matrix>;

// A plain value. Forward() is const and thread-safe with a workspace of the caller's own.
class Mlp {
 public:
  // What a forward pass leaves for the backward pass: the input of every layer.
  struct Workspace {
    std::vector<Matrix> inputs;
    Matrix output;
  };

  Mlp() = default;
  // All weights and biases 0.
  explicit Mlp(std::vector<int> sizes);
  // `sizes`: input, hidden ..., output. Weights are drawn as He et al. (2015) say, biases are 0.
  Mlp(std::vector<int> sizes, Rng& rng);

  const std::vector<int>& sizes() const { return sizes_; }
  std::size_t parameter_count() const { return parameters_.size(); }
  static std::uint64_t ParameterCount(const std::vector<int>& sizes);
  // All weights and biases in one vector: for optimizers, files, copies.
  const std::vector<float>& parameters() const { return parameters_; }
  std::vector<float>& parameters() { return parameters_; }

  // Rows in, rows out (workspace->output).
  void Forward(const Eigen::Ref<const Matrix>& rows, Workspace* workspace) const;
  // Adds the gradient of the parameters to `gradient` (parameter_count() values), given that of
  // the output of the last Forward() in this workspace.
  void Backward(const Workspace& workspace, const Matrix& output_gradient, float* gradient) const;

 private:
  struct Layer {
    int in = 0, out = 0;
    std::size_t weights = 0, biases = 0;  // offsets into parameters_
  };
  Eigen::Map<const Matrix> Weights(const Layer& layer) const;
  Eigen::Map<const Eigen::RowVectorXf> Biases(const Layer& layer) const;

  std::vector<int> sizes_;
  std::vector<Layer> layers_;
  std::vector<float> parameters_;
};

}  // namespace leadline
