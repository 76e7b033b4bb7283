#include "leadline/exporter/metric.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <cmath>

namespace leadline {

void Counter::Increment(double step) const {
  if (native_ != nullptr && std::isfinite(step) && step >= 0) native_->Increment(step);
}

double Counter::Value() const { return native_ == nullptr ? 0 : native_->Value(); }

void Gauge::Set(double value) const {
  if (native_ != nullptr) native_->Set(value);
}

void Gauge::Add(double step) const {
  if (native_ != nullptr) native_->Increment(step);
}

double Gauge::Value() const { return native_ == nullptr ? 0 : native_->Value(); }

void Histogram::Observe(double value) const {
  if (native_ != nullptr && !std::isnan(value)) native_->Observe(value);
}

}  // namespace leadline
