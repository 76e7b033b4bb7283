// Forward passes of 16-64-64-1: Eigen in tiles of 64 rows against a naive loop over the same
// weights; the ratio of the two is what tells.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "leadline/nn/q_network.h"

namespace {

using leadline::QNetwork;
using leadline::QNetworkShape;
using leadline::Rng;

const QNetworkShape kShape = {16, 35, {64, 64}, {32}};

std::vector<float> Random(std::size_t count) {
  Rng rng(1);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(rng.Uniform());
  return values;
}

void Tiled(benchmark::State& state) {
  Rng rng(2);
  const QNetwork network(kShape, rng);
  const auto nodes = static_cast<std::size_t>(state.range(0));
  const std::vector<float> rows = Random(nodes * 16), context = Random(35);
  QNetwork::Workspace workspace;
  std::vector<float> values;
  for (auto _ : state) {
    network.Forward(rows, context, &workspace, &values);
    benchmark::DoNotOptimize(values.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(Tiled)->Arg(12)->Arg(100)->Arg(5000)->Unit(benchmark::kMicrosecond);

// One row at a time, one weight after the other, as the formula reads.
float NaiveValue(const float* row, const std::vector<float>& parameters) {
  std::vector<float> in(row, row + 16), out;
  const float* at = parameters.data();
  for (std::size_t width : {64, 64, 1}) {
    out.assign(width, 0.0f);
    const float* biases = at + in.size() * width;
    for (std::size_t o = 0; o < width; ++o) {
      for (std::size_t i = 0; i < in.size(); ++i) out[o] += in[i] * at[i * width + o];
      out[o] += biases[o];
      if (width > 1) out[o] = std::max(out[o], 0.0f);
    }
    at = biases + width;
    in.swap(out);
  }
  return in[0];
}

void Naive(benchmark::State& state) {
  Rng rng(2);
  const std::vector<float> parameters = QNetwork(kShape, rng).Parameters();
  const auto nodes = static_cast<std::size_t>(state.range(0));
  const std::vector<float> rows = Random(nodes * 16);
  std::vector<float> values(nodes);
  for (auto _ : state) {
    for (std::size_t i = 0; i < nodes; ++i) values[i] = NaiveValue(&rows[i * 16], parameters);
    benchmark::DoNotOptimize(values.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(Naive)->Arg(12)->Arg(100)->Arg(5000)->Unit(benchmark::kMicrosecond);

}  // namespace
