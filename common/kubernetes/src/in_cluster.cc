#include <cstdlib>

#include "files.h"
#include "leadline/kubernetes/client_config.h"

namespace leadline {
namespace {

// https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/
constexpr char kServiceAccount[] = "/var/run/secrets/kubernetes.io/serviceaccount";

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<ClientConfig> InClusterConfig() {
  return InClusterConfig(kServiceAccount, Variable("KUBERNETES_SERVICE_HOST"),
                         Variable("KUBERNETES_SERVICE_PORT"));
}

Result<ClientConfig> InClusterConfig(const std::string& directory, const std::string& host,
                                     const std::string& port) {
  if (host.empty() || port.empty()) {
    return Error(ErrorCode::kNotFound,
                 "in-cluster configuration: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT "
                 "are not set; outside a Pod a kubeconfig is needed");
  }
  ClientConfig config;
  const bool v6 = host.find(':') != std::string::npos;
  config.server = "https://" + (v6 ? "[" + host + "]" : host) + ":" + port;
  config.token_file = directory + "/token";
  if (const auto token = ReadFile(config.token_file); !token) {
    return token.error().WithContext("in-cluster configuration");
  }
  auto authority = ReadFile(directory + "/ca.crt");
  if (!authority) {
    return authority.error().WithContext("in-cluster configuration");
  }
  config.tls.ca_pem = std::move(*authority);
  if (const auto name = ReadFile(directory + "/namespace"); name && !TrimSpace(*name).empty()) {
    config.namespace_name = TrimSpace(*name);
  }
  return config;
}

}  // namespace leadline
