// The command line of leadline-scheduler.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace leadline {

struct SchedulerFlags {
  std::string config;      // empty: the defaults
  std::string kubeconfig;  // empty: in-cluster
  std::string http_address = "127.0.0.1:10350";
  std::string tls_cert_file;  // empty: plain HTTP
  std::string tls_private_key_file;
  std::string client_ca_file;
  std::string extender_token_file;
  std::string log_level = "info";
  // What of the configuration's leaderElection they replace.
  std::optional<bool> leader_elect;
  std::optional<std::chrono::nanoseconds> leader_elect_lease_duration;
  std::optional<std::chrono::nanoseconds> leader_elect_renew_deadline;
  std::optional<std::chrono::nanoseconds> leader_elect_retry_period;
  std::string leader_elect_resource_name;
  std::string leader_elect_resource_namespace;
  bool dry_run = false;
  bool check = false;
};

// The flags, or the exit code to leave with at once (0 after --help and --version, 2 for a
// mistake, which has been told on stderr).
struct ParsedFlags {
  std::optional<SchedulerFlags> flags;
  int exit_code = 0;
};
ParsedFlags ParseFlags(int argc, const char* const* argv);

}  // namespace leadline
