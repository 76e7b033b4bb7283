#include "exec_credential.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "files.h"
#include "program.h"
#include "rfc3339.h"

namespace leadline {
namespace {

namespace json = boost::json;

Error Wrong(std::string_view what) {
  return Error(ErrorCode::kInvalidArgument, "ExecCredential: " + std::string(what));
}

std::string Text(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

}  // namespace

std::string MakeExecInfo(const ClientConfig& config) {
  json::object spec{{"interactive", false}};
  if (config.exec->provide_cluster_info) {
    json::object cluster{{"server", config.server}};
    if (!config.tls.server_name.empty()) cluster["tls-server-name"] = config.tls.server_name;
    if (config.tls.insecure_skip_verify) cluster["insecure-skip-tls-verify"] = true;
    if (!config.tls.ca_pem.empty()) {
      cluster["certificate-authority-data"] = EncodeBase64(config.tls.ca_pem);
    }
    spec["cluster"] = std::move(cluster);
  }
  return json::serialize(json::object{{"apiVersion", config.exec->api_version},
                                      {"kind", "ExecCredential"},
                                      {"spec", std::move(spec)}});
}

Result<Credential> ParseExecCredential(std::string_view text, std::string_view api_version) {
  boost::system::error_code code;
  const json::value value = json::parse(text, code);
  if (code || !value.is_object()) {
    return Wrong("what the program printed is not a JSON object");
  }
  const json::object& object = value.get_object();
  if (Text(object, "kind") != "ExecCredential" || Text(object, "apiVersion") != api_version) {
    return Wrong("expected kind ExecCredential and apiVersion " + std::string(api_version));
  }
  const json::value* const status = object.if_contains("status");
  if (status == nullptr || !status->is_object()) {
    return Wrong("status is missing");
  }
  const json::object& fields = status->get_object();
  Credential credential{Text(fields, "token"),
                        Text(fields, "clientCertificateData"),
                        Text(fields, "clientKeyData"),
                        {}};
  if (credential.certificate_pem.empty() != credential.key_pem.empty()) {
    return Wrong("status.clientCertificateData and status.clientKeyData belong together");
  }
  if (credential.token.empty() && credential.key_pem.empty()) {
    return Wrong("status has neither token nor clientCertificateData");
  }
  const std::string expires = Text(fields, "expirationTimestamp");
  if (!expires.empty()) {
    credential.expires = ParseRfc3339(expires);
    if (!credential.expires) {
      return Wrong("status.expirationTimestamp: expected an RFC 3339 time");
    }
  }
  return credential;
}

Result<Credential> RunExecPlugin(const ClientConfig& config, int cancel_descriptor) {
  const ExecPlugin& plugin = *config.exec;
  Program program;
  program.command.push_back(plugin.command);
  program.command.insert(program.command.end(), plugin.arguments.begin(), plugin.arguments.end());
  program.environment = plugin.environment;
  program.environment.emplace_back("KUBERNETES_EXEC_INFO", MakeExecInfo(config));
  program.timeout = plugin.timeout;
  const std::string context = "credential plugin " + plugin.command;
  const auto output = RunProgram(program, cancel_descriptor);
  if (!output) {
    const bool missing = output.error().code() == ErrorCode::kNotFound;
    const Error error = output.error().WithContext(context);
    return missing && !plugin.install_hint.empty()
               ? Error(error.code(), error.message() + "; " + plugin.install_hint)
               : error;
  }
  auto credential = ParseExecCredential(*output, plugin.api_version);
  if (!credential) {
    return credential.error().WithContext(context);
  }
  return credential;
}

}  // namespace leadline
