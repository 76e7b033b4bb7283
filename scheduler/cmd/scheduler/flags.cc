#include "flags.h"

#include <CLI/CLI.hpp>

#include "leadline/base/exit_codes.h"
#include "leadline/yaml/document.h"

namespace leadline {

namespace {

// kube-scheduler's flags, with its forms: --leader-elect=false, 15s, 1m30s.
void AddLeaderElection(CLI::App* app, SchedulerFlags* flags) {
  const auto duration = [app](const char* name, auto* out, const char* what) {
    const auto read = [out, name](const std::string& text) {
      const auto parsed = ParseGoDuration(text);
      if (!parsed) throw CLI::ValidationError(name, parsed.error().message());
      *out = *parsed;
    };
    app->add_option_function<std::string>(name, read, what)->type_name("DURATION");
  };
  app->add_flag_function(
      "--leader-elect", [flags](std::int64_t given) { flags->leader_elect = given > 0; },
      "whether to schedule only while holding a Lease, so that one of several replicas does "
      "(default true; --leader-elect=false: a single replica)");
  duration("--leader-elect-lease-duration", &flags->leader_elect_lease_duration,
           "how long a Lease holds that is not renewed (default 15s)");
  duration("--leader-elect-renew-deadline", &flags->leader_elect_renew_deadline,
           "a leader that could not renew for so long stops (default 10s)");
  duration("--leader-elect-retry-period", &flags->leader_elect_retry_period,
           "between two attempts (default 2s)");
  app->add_option("--leader-elect-resource-lock", "what is used as the lock: leases")
      ->check(CLI::IsMember({"leases"}));
  app->add_option("--leader-elect-resource-name", flags->leader_elect_resource_name,
                  "of the Lease (default leadline-scheduler)");
  app->add_option("--leader-elect-resource-namespace", flags->leader_elect_resource_namespace,
                  "of the Lease (default kube-system)");
}

}  // namespace

ParsedFlags ParseFlags(int argc, const char* const* argv) {
  SchedulerFlags flags;
  CLI::App app(
      "Leadline's scheduler: binds the Pods whose spec.schedulerName is one of its profiles",
      "leadline-scheduler");
  app.set_version_flag("--version", "leadline-scheduler " LEADLINE_VERSION);
  app.add_option("--config", flags.config,
                 "KubeSchedulerConfiguration v1 file; without it the defaults: one profile, "
                 "dqn-scheduler")
      ->type_name("FILE");
  app.add_option("--kubeconfig", flags.kubeconfig,
                 "how to reach the API server; without it the Pod's service account")
      ->type_name("FILE");
  app.add_option("--http-address", flags.http_address,
                 "metrics, health and extender; \":PORT\" listens on all addresses")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  CLI::Option* const cert =
      app.add_option("--tls-cert-file", flags.tls_cert_file,
                     "serve HTTPS with this certificate (PEM, with its chain); read again when it "
                     "changes")
          ->type_name("FILE");
  cert->needs(app.add_option("--tls-private-key-file", flags.tls_private_key_file, "its key (PEM)")
                  ->type_name("FILE")
                  ->needs(cert));
  app.add_option("--client-ca-file", flags.client_ca_file,
                 "the extender's callers need a certificate of this authority (PEM)")
      ->type_name("FILE")
      ->needs(cert);
  app.add_option("--extender-token-file", flags.extender_token_file,
                 "or a bearer token, the one in this file")
      ->type_name("FILE");
  app.add_option("--log-level", flags.log_level, "trace, debug, info, warn or error")
      ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error"}))
      ->capture_default_str();
  AddLeaderElection(&app, &flags);
  app.add_flag("--dry-run", flags.dry_run,
               "decide and log, but never write anything to the API server");
  app.add_flag("--check", flags.check,
               "read the whole configuration, report, and exit: 0 when it is right, 2 when not");
  app.footer(kExitCodesHelp);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return {std::nullopt, app.exit(e) == 0 ? 0 : kWrongConfiguration};
  }
  return {flags, 0};
}

}  // namespace leadline
