#include "image_locality.h"

#include <algorithm>
#include <unordered_map>

namespace leadline {
namespace {

constexpr std::string_view kStateKey = "PreScoreImageLocality";
constexpr std::int64_t kMegabyte = 1024 * 1024;
constexpr std::int64_t kLeast = 23 * kMegabyte;   // not worth to be counted
constexpr std::int64_t kMost = 1000 * kMegabyte;  // of one image; more does not count

struct State {
  std::unordered_map<const NodeInfo*, std::int64_t> sums;
  std::int64_t images = 0;
};

// "nginx" is "nginx:latest" on the node; a port of the registry is not a tag.
std::string WithTag(const std::string& image) {
  const auto colon = image.rfind(':'), slash = image.rfind('/');
  const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return tagged ? image : image + ":latest";
}

std::vector<std::string> ImagesOf(const PodSpec& spec) {
  std::vector<std::string> images;
  for (const Container& one : spec.init_containers) images.push_back(WithTag(one.image));
  for (const Container& one : spec.containers) images.push_back(WithTag(one.image));
  for (const Volume& one : spec.volumes) {
    if (one.kind == "image") images.push_back(WithTag(one.image_reference));
  }
  return images;
}

std::int64_t SizeOn(const NodeInfo& node, const std::string& image) {
  for (const ContainerImage& one : node.node().images) {
    if (std::find(one.names.begin(), one.names.end(), image) != one.names.end()) {
      return one.size_bytes;
    }
  }
  return 0;
}

}  // namespace

Status ImageLocality::PreScore(CycleState& cycle, const PodInfo& pod, NodeList) {
  const Snapshot& snapshot = cycle.snapshot();
  const auto& nodes = snapshot.nodes();
  State state;
  for (const std::string& image : ImagesOf(pod.pod->spec)) {
    ++state.images;
    const auto& sizes =
        sizes_.Get(image, snapshot, [&](const NodeInfo& node) { return SizeOn(node, image); });
    const auto having = static_cast<double>(
        std::count_if(sizes.begin(), sizes.end(), [](std::int64_t size) { return size > 0; }));
    const double spread = having / static_cast<double>(nodes.size());
    for (std::size_t n = 0; n < nodes.size() && having > 0; ++n) {
      if (sizes[n] == 0) continue;
      state.sums[nodes[n].get()] +=
          static_cast<std::int64_t>(static_cast<double>(sizes[n]) * spread);
    }
  }
  if (state.sums.empty()) return Status::Skip();
  cycle.Write(kStateKey, std::move(state));
  return {};
}

Result<std::int64_t> ImageLocality::Score(const CycleState& cycle, const PodInfo&,
                                          const NodeInfo& node, std::size_t) {
  const auto* state = cycle.Read<State>(kStateKey);
  if (state == nullptr) return Error(ErrorCode::kInternal, "PreScore did not run");
  const auto found = state->sums.find(&node);
  const std::int64_t most = kMost * state->images;
  const std::int64_t sum =
      std::clamp(found == state->sums.end() ? std::int64_t{0} : found->second, kLeast, most);
  return kMaxNodeScore * (sum - kLeast) / (most - kLeast);
}

}  // namespace leadline
