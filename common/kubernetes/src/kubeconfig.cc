#include <algorithm>
#include <cstdlib>

#include "files.h"
#include "leadline/kubernetes/client_config.h"
#include "leadline/yaml/document.h"

namespace leadline {
namespace {

// The `context: {...}` of the entry of `list` whose name is `name`.
YamlNode FindNamed(const YamlNode& root, std::string_view list, std::string_view field,
                   const std::string& name) {
  for (const YamlNode& item : root.Get(list).Items()) {
    std::string found;
    item.Get("name").Read(&found);
    if (found == name) {
      const YamlNode entry = item.Get(field);
      if (!entry.exists()) {
        entry.Expected("a map");
      }
      return entry;
    }
  }
  root.Get(list).Mistake("has no entry named \"" + name + "\"");
  return YamlNode::Absent();
}

void Refuse(const YamlNode& node, std::string_view key, std::string_view instead) {
  const YamlNode found = node.Get(key);
  if (found.exists()) {
    found.Mistake("is not supported; " + std::string(instead));
  }
}

// `key` names a file, `key`-data holds it in base64 and wins.
void ReadPem(const YamlDocument& document, const YamlNode& node, const std::string& key,
             std::string* out) {
  std::string text;
  const YamlNode data = node.Get(key + "-data");
  if (data.Read(&text) && !text.empty()) {
    const auto decoded = DecodeBase64(text);
    if (!decoded) {
      return data.Expected("base64");
    }
    *out = *decoded;
    return;
  }
  const YamlNode file = node.Get(key);
  if (!file.Read(&text) || text.empty()) {
    return;
  }
  const auto content = ReadFile(document.ResolvePath(text));
  if (!content) {
    return file.Mistake("cannot be read: " + content.error().message());
  }
  *out = *content;
}

void ReadCluster(const YamlDocument& document, const YamlNode& cluster, ClientConfig& config) {
  if (cluster.Get("server").Require(&config.server)) {
    const bool known =
        config.server.rfind("https://", 0) == 0 || config.server.rfind("http://", 0) == 0;
    if (!known) {
      cluster.Get("server").Expected("a URL that starts with https:// or http://");
    }
    while (!config.server.empty() && config.server.back() == '/') {
      config.server.pop_back();
    }
  }
  ReadPem(document, cluster, "certificate-authority", &config.tls.ca_pem);
  cluster.Get("tls-server-name").Read(&config.tls.server_name);
  cluster.Get("insecure-skip-tls-verify").Read(&config.tls.insecure_skip_verify);
  if (config.tls.insecure_skip_verify && !config.tls.ca_pem.empty()) {
    cluster.Get("insecure-skip-tls-verify").Mistake("contradicts certificate-authority");
  }
  Refuse(cluster, "proxy-url", "set https_proxy in the environment");
}

void ReadExec(const YamlDocument& document, const YamlNode& node, ClientConfig& config) {
  if (!node.exists()) {
    return;
  }
  ExecPlugin plugin;
  if (node.Get("apiVersion").Require(&plugin.api_version) &&
      plugin.api_version != "client.authentication.k8s.io/v1" &&
      plugin.api_version != "client.authentication.k8s.io/v1beta1") {
    node.Get("apiVersion")
        .Expected("client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1");
  }
  node.Get("command").Require(&plugin.command);
  if (plugin.command.find('/') != std::string::npos) {
    plugin.command = document.ResolvePath(plugin.command);
  }
  node.Get("args").Read(&plugin.arguments);
  for (const YamlNode& item : node.Get("env").Items()) {
    std::pair<std::string, std::string> variable;
    item.Get("name").Require(&variable.first);
    item.Get("value").Read(&variable.second);
    plugin.environment.push_back(std::move(variable));
  }
  node.Get("installHint").Read(&plugin.install_hint);
  node.Get("provideClusterInfo").Read(&plugin.provide_cluster_info);
  std::string mode;
  if (node.Get("interactiveMode").Read(&mode) && mode == "Always") {
    node.Get("interactiveMode").Mistake("is Always, but there is nobody to ask");
  }
  config.exec = std::move(plugin);
}

void ReadUser(const YamlDocument& document, const YamlNode& user, ClientConfig& config) {
  user.Get("token").Read(&config.token);
  if (user.Get("tokenFile").Read(&config.token_file) && !config.token_file.empty()) {
    config.token_file = document.ResolvePath(config.token_file);
  }
  ReadPem(document, user, "client-certificate", &config.tls.client_cert_pem);
  ReadPem(document, user, "client-key", &config.tls.client_key_pem);
  if (config.tls.client_cert_pem.empty() != config.tls.client_key_pem.empty()) {
    user.Mistake("client-certificate and client-key belong together; one is missing");
  }
  ReadExec(document, user.Get("exec"), config);
  Refuse(user, "username", "use a token or a client certificate");
  Refuse(user, "auth-provider", "use exec");
  for (const char* key : {"as", "as-uid", "as-groups", "as-user-extra"}) {
    Refuse(user, key, "use a context of the user itself");
  }
}

}  // namespace

Result<ClientConfig> LoadKubeconfig(const std::string& file, const std::string& context) {
  auto document = YamlDocument::Load(file);
  if (!document) {
    return document.error().WithContext("kubeconfig");
  }
  const YamlNode root = document->root();
  std::string name = context;
  if (name.empty()) {
    root.Get("current-context").Require(&name);
  }
  ClientConfig config;
  const YamlNode entry =
      name.empty() ? YamlNode::Absent() : FindNamed(root, "contexts", "context", name);
  if (entry.exists()) {
    std::string cluster;
    std::string user;
    entry.Get("namespace").Read(&config.namespace_name);
    if (entry.Get("cluster").Require(&cluster)) {
      ReadCluster(*document, FindNamed(root, "clusters", "cluster", cluster), config);
    }
    if (entry.Get("user").Read(&user) && !user.empty()) {
      ReadUser(*document, FindNamed(root, "users", "user", user), config);
    }
  }
  if (const Result<void> good = document->Check(); !good) {
    return good.error().WithContext("kubeconfig");
  }
  return config;
}

std::string DefaultKubeconfig(const std::string& flag) {
  if (!flag.empty()) {
    return flag;
  }
  if (const char* const variable = std::getenv("KUBECONFIG"); variable != nullptr && *variable) {
    const std::string list = variable;
    return list.substr(0, list.find(':'));
  }
  const char* const home = std::getenv("HOME");
  return std::string(home == nullptr ? "" : home) + "/.kube/config";
}

}  // namespace leadline
