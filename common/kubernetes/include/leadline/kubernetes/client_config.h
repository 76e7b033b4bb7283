// Where the API server is and who we are to it.
// https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/http/client.h"

namespace leadline {

// A program that prints an ExecCredential.
struct ExecPlugin {
  std::string api_version;  // client.authentication.k8s.io/v1 or v1beta1
  std::string command;      // absolute, or looked up in PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // beside our own
  std::string install_hint;
  bool provide_cluster_info = false;
  std::chrono::milliseconds timeout{std::chrono::seconds(60)};
};

// At most one of `token`, `token_file` and `exec` is used: the last one that is set.
struct ClientConfig {
  std::string server;  // "https://host:port", perhaps with a path; no slash at the end
  HttpTlsOptions tls;
  std::string namespace_name = "default";
  std::string token;
  std::string token_file;  // read again about once a minute and after a 401
  std::optional<ExecPlugin> exec;
};

// Reads one context of a kubeconfig; `context` empty: its current-context. kNotFound or
// kPermissionDenied for the file, kInvalidArgument naming file, line and key otherwise, also for
// settings that would change who we are or where we go and that are not supported.
Result<ClientConfig> LoadKubeconfig(const std::string& file, const std::string& context = "");

// The file that kubectl would read: `flag` when not empty, else $KUBECONFIG (its first entry),
// else ~/.kube/config.
std::string DefaultKubeconfig(const std::string& flag = "");

// What Kubernetes gives every Pod. kNotFound when not in a Pod, saying what is missing.
Result<ClientConfig> InClusterConfig();
// The same with the directory of the service account named, for tests.
Result<ClientConfig> InClusterConfig(const std::string& directory, const std::string& host,
                                     const std::string& port);

}  // namespace leadline
