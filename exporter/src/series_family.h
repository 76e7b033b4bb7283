// What lies behind SeriesFamily: private to the module.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <mutex>
#include <unordered_map>

#include "leadline/exporter/registry.h"

namespace leadline {

template <typename Handle>
struct SeriesFamily<Handle>::Data {
  using Native = typename Handle::Native;

  FamilySpec spec;
  std::vector<double> buckets;  // histograms only
  prometheus::Family<Native>& family;
  Counter over_limit;

  std::mutex mutex;
  std::unordered_map<std::string, Native*> series;  // by joined label values

  // Registers and remembers a series; the mutex is held.
  Native* Add(const std::string& key, const LabelValues& values);
  // The series for a combination beyond max_series.
  Handle OverLimit();
};

// Stops the program with what is wrong: the caller's code must change.
[[noreturn]] void StopForBug(const std::string& family, const std::string& what);

}  // namespace leadline
