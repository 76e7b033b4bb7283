// What the programs end with beside 0.
#pragma once

namespace leadline {

inline constexpr int kRanAndFailed = 1, kWrongConfiguration = 2, kInterrupted = 130;
inline constexpr const char* kExitCodesHelp =
    "Exit codes: 0 done; 1 ran and failed; 2 wrong configuration or arguments; 130 interrupted.";

}  // namespace leadline
