// Time spans in the words of Go, which Kubernetes' messages use.
#pragma once

#include <string>

#include "leadline/base/clock.h"

namespace leadline {

// As time.Duration prints itself: "15m0s", "1.5s", "20ms", "0s".
std::string FormatGoDuration(Duration span);

}  // namespace leadline
