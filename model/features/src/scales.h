// Quantities of many orders of magnitude, on a scale from 0 to 1.
#pragma once

#include <algorithm>
#include <cmath>

namespace leadline {

inline double Clamp01(double value) {
  return std::isnan(value) ? 0.5 : std::clamp(value, 0.0, 1.0);
}

// Of nothing, everything is taken: a node that offers 0 of a resource is full of it.
inline double Share(double part, double whole) { return whole > 0 ? Clamp01(part / whole) : 1.0; }

// log(value / low) / log(high / low), clamped.
inline double LogScale(double value, double low, double high) {
  if (!(value > low)) return 0.0;
  return Clamp01(std::log(value / low) / std::log(high / low));
}

// 10 us to 1 s: differences inside a site count as much as those between continents.
inline double LogLatency(double ms) { return LogScale(ms, 0.01, 1000.0); }
inline double LogCpu(double milli) { return LogScale(milli, 10.0, 1e6); }  // 10 m to 1,000 cores
inline double LogMemory(double bytes) { return LogScale(bytes, 0x1p20, 0x1p42); }  // to 4 TiB
inline double LogNodes(double nodes) { return LogScale(nodes, 1.0, 10000.0); }

}  // namespace leadline
