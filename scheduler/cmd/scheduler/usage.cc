#include "usage.h"

#include <algorithm>

namespace leadline {
namespace {

std::int64_t Amount(const ResourceList& list, std::string_view name, bool milli) {
  for (const auto& [resource, quantity] : list) {
    if (resource == name) return milli ? quantity.MilliValue() : quantity.Value();
  }
  return 0;
}

std::optional<double> ValueOf(const NodeReadings& readings, MetricSignal signal) {
  const Reading& reading = readings[static_cast<std::size_t>(signal)];
  if (!reading.ok()) return std::nullopt;
  return reading.value;
}

NodeUsage ToUsage(const NodeReadings& readings, SystemTime now) {
  const Reading& cpu = readings[static_cast<std::size_t>(MetricSignal::kCpu)];
  const Reading& memory = readings[static_cast<std::size_t>(MetricSignal::kMemory)];
  NodeUsage usage;
  usage.cpu_ratio = ValueOf(readings, MetricSignal::kCpu);
  usage.memory_ratio = ValueOf(readings, MetricSignal::kMemory);
  usage.latency_ms = ValueOf(readings, MetricSignal::kLatency);
  usage.sampled = now - std::max(cpu.age, memory.age);
  return usage;
}

}  // namespace

std::vector<NodeIdentity> NodeIdentities(const Cache& cache) {
  std::vector<NodeIdentity> identities;
  for (const auto& node : cache.Nodes()) {
    NodeIdentity identity;
    identity.name = node->metadata.name;
    for (const NodeAddress& address : node->addresses) {
      if (address.type == "Hostname") {
        identity.hostname = address.address;
      } else {
        identity.addresses.push_back(address.address);
      }
    }
    identity.cpu_milli = Amount(node->capacity, "cpu", true);
    identity.memory_bytes = Amount(node->capacity, "memory", false);
    identities.push_back(std::move(identity));
  }
  return identities;
}

UsageSnapshot UsageReader::Now() const {
  if (poller_ == nullptr) {
    return {1, [](std::string_view) { return NodeUsage(); }};
  }
  const auto metrics = poller_->Snapshot();
  const SteadyTime steady = Clock::Real().SteadyNow();
  const SystemTime now = Clock::Real().Now();
  // Another second is another content: values grow old while Prometheus is silent.
  const auto second = std::chrono::duration_cast<std::chrono::seconds>(steady.time_since_epoch());
  const auto version = reinterpret_cast<std::uintptr_t>(metrics.get()) ^
                       (static_cast<std::uint64_t>(second.count()) << 32);
  return {version, [metrics, steady, now](std::string_view node) {
            return ToUsage(metrics->GetAll(node, steady), now);
          }};
}

NodeUsage UsageReader::Of(const std::string& node) const { return Now().lookup(node); }

}  // namespace leadline
