// The shared per-node action-value network.
//
//   Q(node i)  = V(context) + A(row i)
//   Q(reject)  = V(context) + R(context)
//
// One small network A values any number of nodes, in any order (a dueling form: Wang et al., 2016).
// V cancels in the argmax, so A alone ranks nodes; the context only weighs waiting against acting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "leadline/nn/mlp.h"

namespace leadline {

struct QNetworkShape {
  int row_width = 0;                       // features of a node
  int context_width = 0;                   // features of cluster and Pod
  std::vector<int> hidden = {64, 64};      // of A
  std::vector<int> context_hidden = {32};  // of V and R
  friend bool operator==(const QNetworkShape&, const QNetworkShape&) = default;
  std::string ToString() const;  // "16-64-64-1, context 35-32-1"
  std::uint64_t ParameterCount() const;
};

// A plain value: copy it to train beside the one in use. Forward() is const and thread-safe with a
// workspace of the caller's own.
class QNetwork {
 public:
  struct Workspace {
    Mlp::Workspace node, value, reject;
  };

  QNetwork() = default;
  // All weights 0.
  explicit QNetwork(QNetworkShape shape);
  // Weights drawn as He et al. (2015) say.
  QNetwork(QNetworkShape shape, Rng& rng);

  const QNetworkShape& shape() const { return shape_; }

  // `rows`: n x row_width values, row after row; `context`: context_width values. Gives n + 1
  // values, the last one of rejecting. Allocates nothing once the workspace has seen as many rows.
  void Forward(std::span<const float> rows, std::span<const float> context, Workspace* workspace,
               std::vector<float>* values) const;

  // Adds to `gradient` the gradient of sum(weights[i] * A_i) + weights[n] * R + value_weight * V
  // over one observation's n rows. With value_weight the sum of all weights that is sum(weights[i]
  // * Q_i).
  void AccumulateGradient(std::span<const float> rows, std::span<const float> context,
                          std::span<const float> weights, float value_weight, Workspace* workspace,
                          std::vector<float>* gradient) const;

  // All parameters in one vector (A, then V, then R).
  std::vector<float> Parameters() const;
  // False, and nothing changes, when the number differs or a value is not finite.
  bool SetParameters(std::span<const float> parameters);

 private:
  QNetworkShape shape_;
  Mlp node_, value_, reject_;
};

}  // namespace leadline
