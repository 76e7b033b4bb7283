// Metric families of one exposition page, over prometheus-cpp's registry. What a careless caller
// could do to break a whole scrape is checked here: names, label names, invalid UTF-8, unbounded
// series. https://prometheus.io/docs/instrumenting/writing_clientlibs/
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "leadline/exporter/metric.h"

namespace leadline {

struct FamilySpec {
  std::string name;                 // [a-zA-Z_:][a-zA-Z0-9_:]*; counters end in _total
  std::string help;                 // one line for people; escaped when written
  std::vector<std::string> labels;  // [a-zA-Z_][a-zA-Z0-9_]*, no `le`, no double, no leading __
  std::size_t max_series = 1000;    // at most this many beside `other`; see With()
};

using LabelValues = std::vector<std::string>;

// The series of one name. Thread-safe; owned by its Registry.
template <typename Handle>
class SeriesFamily {
 public:
  ~SeriesFamily();
  SeriesFamily(const SeriesFamily&) = delete;
  SeriesFamily& operator=(const SeriesFamily&) = delete;

  // The series with these label values, in the order of FamilySpec::labels; made at first use.
  // Looks up under a mutex: keep the handle where it matters. Another number of values than labels
  // is a bug and stops the program. Invalid UTF-8 becomes U+FFFD.
  // Once max_series exist, a new combination is counted in
  // leadline_exporter_series_over_limit_total{family} and folded into the one series whose label
  // values are all "other"; for a gauge, where a sum of strangers means nothing, it is dropped.
  Handle With(std::initializer_list<std::string_view> values);
  Handle With(const LabelValues& values);

  // Ends a series, for label values that come and go; nothing when there is none. Its handles are
  // invalid afterwards. With() begins it anew, at 0.
  void Remove(const LabelValues& values);

  // Gauges only: makes the family consist of exactly these series, for label values that come
  // and go (nodes). Handles from With() on such a family are invalid afterwards.
  void ReplaceAll(const std::vector<std::pair<LabelValues, double>>& series) requires
      std::is_same_v<Handle, Gauge>;

 private:
  friend class Registry;
  struct Data;
  explicit SeriesFamily(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

using CounterFamily = SeriesFamily<Counter>;
using GaugeFamily = SeriesFamily<Gauge>;
using HistogramFamily = SeriesFamily<Histogram>;

// Owns families for the life of the program; must outlive every handle. Thread-safe.
// A wrong specification, or one name declared twice differently, is a bug and stops the program;
// the same one twice gives the same family.
class Registry {
 public:
  Registry();
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  CounterFamily& DeclareCounter(const FamilySpec& spec);
  GaugeFamily& DeclareGauge(const FamilySpec& spec);
  // `buckets`: upper bounds, ascending, without +Inf (buckets.h).
  HistogramFamily& DeclareHistogram(const FamilySpec& spec, const std::vector<double>& buckets);

  // Families without labels: their one series is there from the start.
  Counter DeclarePlainCounter(std::string name, std::string help);
  Gauge DeclarePlainGauge(std::string name, std::string help);
  Histogram DeclarePlainHistogram(std::string name, std::string help,
                                  const std::vector<double>& buckets);

  // `update` is called at the start of every exposition, one at a time, for values that are
  // cheaper to read when asked (process, ages). It must not block. What it uses must outlive the
  // returned token; dropping the token waits for a running call and ends them.
  using ScrapeHook = std::shared_ptr<void>;
  [[nodiscard]] ScrapeHook BeforeScrape(std::function<void()> update);

  // All families in text format 0.0.4, sorted, so that equal states give equal pages.
  std::string Expose() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace leadline
