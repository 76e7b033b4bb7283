// Collected families as text; private to the module.
#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <vector>

namespace leadline {

// Families by name, series by labels: equal states give equal pages.
std::string WriteFamilies(std::vector<prometheus::MetricFamily> families);

}  // namespace leadline
