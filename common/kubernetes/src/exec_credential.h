// The exchange with a credential plugin.
// https://kubernetes.io/docs/reference/config-api/client-authentication.v1/
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "leadline/base/clock.h"
#include "leadline/base/result.h"
#include "leadline/kubernetes/client_config.h"

namespace leadline {

struct Credential {
  std::string token;
  std::string certificate_pem;  // with key_pem; empty: those of the configuration
  std::string key_pem;
  std::optional<SystemTime> expires;
};

// For the plugin's KUBERNETES_EXEC_INFO.
std::string MakeExecInfo(const ClientConfig& config);
// kInvalidArgument naming the field; never quotes what it read.
Result<Credential> ParseExecCredential(std::string_view json, std::string_view api_version);
// Runs the plugin; blocks.
Result<Credential> RunExecPlugin(const ClientConfig& config, int cancel_descriptor);

}  // namespace leadline
