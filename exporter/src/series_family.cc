#include "series_family.h"

#include <spdlog/spdlog.h>

#include <cstdlib>
#include <type_traits>
#include <unordered_set>

#include "leadline/exporter/exposition.h"

namespace leadline {
namespace {

// No valid UTF-8 holds this byte, so that different values never join to the same key.
constexpr char kSeparator = '\xFF';

template <typename Values>
LabelValues Cleaned(const Values& values) {
  LabelValues cleaned;
  for (const auto& value : values) cleaned.push_back(ToValidUtf8(value));
  return cleaned;
}

std::string Join(const LabelValues& values) {
  std::string key;
  for (const std::string& value : values) (key += value) += kSeparator;
  return key;
}

}  // namespace

void StopForBug(const std::string& family, const std::string& what) {
  spdlog::critical("metric family \"{}\": {}", family, what);
  std::abort();
}

template <typename Handle>
SeriesFamily<Handle>::SeriesFamily(std::unique_ptr<Data> data) : data_(std::move(data)) {}
template <typename Handle>
SeriesFamily<Handle>::~SeriesFamily() = default;

template <typename Handle>
typename Handle::Native* SeriesFamily<Handle>::Data::Add(const std::string& key,
                                                         const LabelValues& values) {
  prometheus::Labels labels;
  for (std::size_t i = 0; i < values.size(); ++i) labels[spec.labels[i]] = values[i];
  Native* native = nullptr;
  if constexpr (std::is_same_v<Handle, Histogram>) {
    native = &family.Add(labels, buckets);
  } else {
    native = &family.Add(labels);
  }
  series.emplace(key, native);
  return native;
}

template <typename Handle>
Handle SeriesFamily<Handle>::Data::OverLimit() {
  over_limit.Increment();
  if constexpr (std::is_same_v<Handle, Gauge>) return Handle();
  const LabelValues other(spec.labels.size(), "other");
  const auto found = series.find(Join(other));
  return Handle(found != series.end() ? found->second : Add(Join(other), other));
}

template <typename Handle>
Handle SeriesFamily<Handle>::With(const LabelValues& values) {
  if (values.size() != data_->spec.labels.size()) {
    StopForBug(data_->spec.name, "got " + std::to_string(values.size()) + " label values, has " +
                                     std::to_string(data_->spec.labels.size()) + " labels");
  }
  const LabelValues cleaned = Cleaned(values);
  const std::string key = Join(cleaned);
  std::lock_guard lock(data_->mutex);
  const auto found = data_->series.find(key);
  if (found != data_->series.end()) return Handle(found->second);
  if (data_->series.size() >= data_->spec.max_series) return data_->OverLimit();
  return Handle(data_->Add(key, cleaned));
}

template <typename Handle>
Handle SeriesFamily<Handle>::With(std::initializer_list<std::string_view> values) {
  return With(LabelValues(values.begin(), values.end()));
}

template <typename Handle>
void SeriesFamily<Handle>::Remove(const LabelValues& values) {
  std::lock_guard lock(data_->mutex);
  const auto found = data_->series.find(Join(Cleaned(values)));
  if (found == data_->series.end()) return;
  data_->family.Remove(found->second);
  data_->series.erase(found);
}

template <typename Handle>
void SeriesFamily<Handle>::ReplaceAll(const std::vector<std::pair<LabelValues, double>>&
                                          series) requires std::is_same_v<Handle, Gauge> {
  std::unordered_set<std::string> wanted;
  for (const auto& [values, value] : series) wanted.insert(Join(Cleaned(values)));
  {
    std::lock_guard lock(data_->mutex);
    std::erase_if(data_->series, [&](const auto& entry) {
      if (wanted.count(entry.first) != 0) return false;
      data_->family.Remove(entry.second);
      return true;
    });
  }
  // Clang 14 instantiates it for the other families as well.
  if constexpr (std::is_same_v<Handle, Gauge>) {
    for (const auto& [values, value] : series) With(values).Set(value);
  }
}

template class SeriesFamily<Histogram>;
template class SeriesFamily<Counter>;
template class SeriesFamily<Gauge>;

}  // namespace leadline
