#include <fmt/ranges.h>

#include <memory>

#include "commands.h"
#include "leadline/features/state_encoder.h"
#include "leadline/nn/weights_file.h"

namespace leadline {
namespace {

int RunShow(const std::string& path) {
  const auto weights = ReadWeightsFile(path);
  if (!weights) return Fail(weights.error());
  const WeightsInfo& info = weights->info;
  const QNetworkShape& shape = weights->network.shape();
  fmt::print("version   {}\nencoder   {}\nshape     {}\nweights   {}\n", weights->Version(),
             info.encoder, shape.ToString(), shape.ParameterCount());
  fmt::print("method    {}\nseed      {}\nupdates   {}\n", info.method, info.seed, info.steps);
  const auto encoder = MakeEncoder(info.encoder);
  if (!encoder) return Fail(encoder.error());
  fmt::print("features  {}\n", fmt::join((*encoder)->FeatureNames(), ", "));
  const auto matches =
      weights->Matches(info.encoder, (*encoder)->width(), (*encoder)->context_width());
  return matches ? 0 : Fail(matches.error());
}

}  // namespace

void AddModelCommand(CLI::App* app, int* exit_code) {
  CLI::App* model = app->add_subcommand("model", "look into weights files");
  model->require_subcommand(1);
  CLI::App* show = model->add_subcommand("show", "what a weights file holds");
  auto path = std::make_shared<std::string>();
  show->add_option("FILE", *path, "weights file")->required();
  show->callback([path, exit_code] { *exit_code = RunShow(*path); });
}

}  // namespace leadline
