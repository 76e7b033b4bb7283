// rest_client_* as every Kubernetes component has them.
#pragma once

#include "leadline/exporter/registry.h"
#include "leadline/kubernetes/api_client.h"

namespace leadline {

// An observer for ApiClientOptions; `registry` must outlive it.
std::function<void(const ApiExchange&)> RestClientMetrics(Registry& registry);

}  // namespace leadline
