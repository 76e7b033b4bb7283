#include "leadline/exporter/registry.h"

#include <prometheus/registry.h>

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>
#include <variant>

#include "leadline/exporter/exposition.h"
#include "series_family.h"
#include "text_writer.h"

namespace leadline {
namespace {

constexpr char kOverLimit[] = "leadline_exporter_series_over_limit_total";

bool IsReserved(const std::string& label) {
  return label == "le" || label == "quantile" || label.starts_with("__");
}

void CheckSpec(const FamilySpec& spec, bool counter) {
  if (!IsMetricName(spec.name)) StopForBug(spec.name, "is no legal metric name");
  if (counter && !spec.name.ends_with("_total")) StopForBug(spec.name, "must end in _total");
  if (spec.help.empty()) StopForBug(spec.name, "has no help text");
  if (spec.max_series == 0) StopForBug(spec.name, "allows no series");
  std::set<std::string> seen;
  for (const std::string& label : spec.labels) {
    if (!IsLabelName(label) || IsReserved(label)) {
      StopForBug(spec.name, "has the illegal label name \"" + label + "\"");
    }
    if (!seen.insert(label).second) StopForBug(spec.name, "has the label " + label + " twice");
  }
}

void CheckBuckets(const std::string& name, const std::vector<double>& buckets) {
  if (buckets.empty() || !std::is_sorted(buckets.begin(), buckets.end(), std::less_equal<>())) {
    StopForBug(name, "has buckets that do not ascend");
  }
}

template <typename Native>
auto BuilderFor() {
  if constexpr (std::is_same_v<Native, prometheus::Counter>) {
    return prometheus::BuildCounter();
  } else if constexpr (std::is_same_v<Native, prometheus::Gauge>) {
    return prometheus::BuildGauge();
  } else {
    return prometheus::BuildHistogram();
  }
}

}  // namespace

struct Registry::Data {
  using AnyFamily = std::variant<std::unique_ptr<CounterFamily>, std::unique_ptr<GaugeFamily>,
                                 std::unique_ptr<HistogramFamily>>;
  // One hook; the mutex keeps it from running while its token is dropped.
  struct Hook {
    std::mutex mutex;
    std::function<void()> update;
  };

  prometheus::Registry native;
  CounterFamily* over_limit = nullptr;
  mutable std::mutex mutex;
  std::map<std::string, AnyFamily> families;
  std::vector<std::weak_ptr<Hook>> hooks;

  template <typename Handle>
  SeriesFamily<Handle>& Declare(const FamilySpec& spec, const std::vector<double>& buckets);
  std::vector<std::shared_ptr<Hook>> LiveHooks();

  // Made by Registry alone: SeriesFamily's constructor is private.
  template <typename Handle>
  static std::unique_ptr<SeriesFamily<Handle>> Make(
      std::unique_ptr<typename SeriesFamily<Handle>::Data> data) {
    return std::unique_ptr<SeriesFamily<Handle>>(new SeriesFamily<Handle>(std::move(data)));
  }
};

template <typename Handle>
SeriesFamily<Handle>& Registry::Data::Declare(const FamilySpec& spec,
                                              const std::vector<double>& buckets) {
  CheckSpec(spec, std::is_same_v<Handle, Counter>);
  const bool bounded = over_limit != nullptr && !spec.labels.empty();
  const Counter limit = bounded ? over_limit->With({spec.name}) : Counter();
  std::lock_guard lock(mutex);
  if (const auto found = families.find(spec.name); found != families.end()) {
    const auto* same = std::get_if<std::unique_ptr<SeriesFamily<Handle>>>(&found->second);
    if (same == nullptr || (*same)->data_->spec.labels != spec.labels ||
        (*same)->data_->buckets != buckets) {
      StopForBug(spec.name, "was declared before with another type, labels or buckets");
    }
    return **same;
  }
  auto& native_family =
      BuilderFor<typename Handle::Native>().Name(spec.name).Help(spec.help).Register(native);
  using FamilyData = typename SeriesFamily<Handle>::Data;
  auto family = Make<Handle>(
      std::unique_ptr<FamilyData>(new FamilyData{spec, buckets, native_family, limit, {}, {}}));
  SeriesFamily<Handle>& result = *family;
  families.emplace(spec.name, std::move(family));
  return result;
}

std::vector<std::shared_ptr<Registry::Data::Hook>> Registry::Data::LiveHooks() {
  std::lock_guard lock(mutex);
  std::vector<std::shared_ptr<Hook>> live;
  std::erase_if(hooks, [&](const std::weak_ptr<Hook>& hook) {
    if (auto alive = hook.lock()) live.push_back(std::move(alive));
    return hook.expired();
  });
  return live;
}

Registry::Registry() : data_(std::make_unique<Data>()) {
  data_->over_limit = &DeclareCounter(
      {kOverLimit, "Times a series beyond its family's bound was asked for.", {"family"}, 1000});
}

Registry::~Registry() = default;

CounterFamily& Registry::DeclareCounter(const FamilySpec& spec) {
  return data_->Declare<Counter>(spec, {});
}

GaugeFamily& Registry::DeclareGauge(const FamilySpec& spec) {
  return data_->Declare<Gauge>(spec, {});
}

HistogramFamily& Registry::DeclareHistogram(const FamilySpec& spec,
                                            const std::vector<double>& buckets) {
  CheckBuckets(spec.name, buckets);
  return data_->Declare<Histogram>(spec, buckets);
}

Counter Registry::DeclarePlainCounter(std::string name, std::string help) {
  return DeclareCounter({std::move(name), std::move(help), {}}).With(LabelValues());
}

Gauge Registry::DeclarePlainGauge(std::string name, std::string help) {
  return DeclareGauge({std::move(name), std::move(help), {}}).With(LabelValues());
}

Histogram Registry::DeclarePlainHistogram(std::string name, std::string help,
                                          const std::vector<double>& buckets) {
  return DeclareHistogram({std::move(name), std::move(help), {}}, buckets).With(LabelValues());
}

Registry::ScrapeHook Registry::BeforeScrape(std::function<void()> update) {
  auto hook = std::make_shared<Data::Hook>();
  hook->update = std::move(update);
  {
    std::lock_guard lock(data_->mutex);
    data_->hooks.push_back(hook);
  }
  // The token holds the hook; letting it go waits for a running call and forbids further ones.
  return ScrapeHook(hook.get(), [hook](void*) {
    std::lock_guard lock(hook->mutex);
    hook->update = nullptr;
  });
}

std::string Registry::Expose() const {
  for (const auto& hook : data_->LiveHooks()) {
    std::lock_guard lock(hook->mutex);
    if (hook->update) hook->update();
  }
  return WriteFamilies(data_->native.Collect());
}

}  // namespace leadline
