// How full storage would be; its arguments.
#include <cmath>
#include <map>

#include "args.h"
#include "volume_binding_state.h"

namespace leadline {
namespace {

struct Usage {
  std::int64_t requested = 0;
  std::int64_t capacity = 0;
};

// Of one class, in hundredths of the best.
std::int64_t ScoreOf(const ScoreShape& shape, const Usage& usage) {
  if (usage.capacity == 0 || usage.requested > usage.capacity) return ScoreAt(shape, 100);
  return ScoreAt(shape, usage.requested * 100 / usage.capacity);
}

std::int64_t Bytes(const std::optional<Quantity>& amount) { return amount ? amount->Value() : 0; }

}  // namespace

VolumeBindingArgs VolumeBindingArgs::Read(const YamlNode& node) {
  VolumeBindingArgs args;
  if (!node.exists()) return args;
  CheckArgsKind(node, "VolumeBindingArgs");
  std::int64_t seconds = args.bind_timeout.count();
  constexpr std::int64_t kMost = 100LL * 365 * 24 * 3600;
  node.Get("bindTimeoutSeconds").Read(&seconds, 0, kMost);
  args.bind_timeout = std::chrono::seconds(seconds);
  const YamlNode shape = node.Get("shape");
  if (!shape.Items().empty()) args.shape = ReadShape(shape);
  node.RejectUnknownKeys();
  return args;
}

Status VolumeBinding::PreScore(CycleState& state, const PodInfo&, NodeList) {
  const Cycle* cycle = CycleOf(state);
  return cycle != nullptr && cycle->chosen ? Status() : Status::Skip();
}

Result<std::int64_t> VolumeBinding::Score(const CycleState& state, const PodInfo&,
                                          const NodeInfo& node, std::size_t) {
  const Cycle* cycle = CycleOf(state);
  if (cycle == nullptr) return 0;
  const auto found = cycle->judgments.find(node.name());
  if (found == cycle->judgments.end()) return 0;
  const Judgment& judgment = found->second;
  std::map<std::string_view, Usage> classes;
  for (const auto& [i, volume] : judgment.bindings) {
    Usage& usage = classes[volume->storage_class];
    usage.requested += Bytes(cycle->waiting[i].claim->storage);
    usage.capacity += volume->capacity.Value();
  }
  if (judgment.bindings.empty()) {
    for (const auto& [i, room] : judgment.provisions) {
      if (room == nullptr) continue;
      const Waiting& one = cycle->waiting[i];
      Usage& usage = classes[one.storage_class->metadata.name];
      usage.requested += Bytes(one.claim->storage);
      usage.capacity = Bytes(room->capacity);  // the same for all: not a sum
    }
  }
  if (classes.empty()) return 0;
  std::int64_t sum = 0;
  for (const auto& [name, usage] : classes) sum += ScoreOf(args_.shape, usage);
  return static_cast<std::int64_t>(
      std::round(static_cast<double>(sum) / static_cast<double>(classes.size())));
}

}  // namespace leadline
