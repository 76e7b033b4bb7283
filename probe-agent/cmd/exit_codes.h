// What the program ends with beside 0.
#pragma once

namespace leadline {

inline constexpr int kRanAndFailed = 1, kWrongConfiguration = 2, kInterrupted = 130;

}  // namespace leadline
