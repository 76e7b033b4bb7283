// Handles to single series: what the hot path holds.
//
// A handle is a pointer: copy it freely, keep it, and count without looking anything up. It stays
// valid as long as its Registry (for gauges: until ReplaceAll() of its family). A handle made by
// default is not connected and counts nothing, so that a class works without a registry.
// Thread-safe. Counting takes one atomic operation (Histogram: a mutex of that one series, which a
// scrape holds only while it copies the buckets).
#pragma once

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace leadline {

// Goes up only: events, bytes, seconds spent.
class Counter {
 public:
  using Native = prometheus::Counter;
  Counter() = default;
  explicit Counter(Native* native) : native_(native) {}

  // A negative or non-finite step is ignored.
  void Increment(double step = 1) const;
  double Value() const;

 private:
  Native* native_ = nullptr;
};

// A value that goes up and down.
class Gauge {
 public:
  using Native = prometheus::Gauge;
  Gauge() = default;
  explicit Gauge(Native* native) : native_(native) {}

  void Set(double value) const;
  void Add(double step) const;
  double Value() const;

 private:
  Native* native_ = nullptr;
};

// Counts observations in the buckets of its family. Durations are observed in seconds.
class Histogram {
 public:
  using Native = prometheus::Histogram;
  Histogram() = default;
  explicit Histogram(Native* native) : native_(native) {}

  // NaN is ignored: it would spoil the sum for good.
  void Observe(double value) const;

 private:
  Native* native_ = nullptr;
};

}  // namespace leadline
