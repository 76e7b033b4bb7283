#include "flags.h"

#include <CLI/CLI.hpp>

#include "leadline/base/exit_codes.h"

namespace leadline {

ParsedAgentFlags ParseAgentFlags(int argc, const char* const* argv) {
  AgentFlags flags;
  CLI::App app("Measures the network between nodes and exports it to Prometheus",
               "leadline-probe-agent");
  app.set_version_flag("--version", "leadline-probe-agent " LEADLINE_VERSION);
  app.add_option("--config", flags.config, "configuration (config/probe-agent.yaml)")
      ->type_name("FILE");
  app.add_option("--node-name", flags.node,
                 "this node's name; else the configuration's, $NODE_NAME, or the host's")
      ->type_name("NAME");
  app.add_option("--peers", flags.peers, "probe these instead of the configured peers")
      ->type_name("ADDRESS[:PORT],...")
      ->delimiter(',');
  app.add_option("--http-address", flags.http_address,
                 "metrics and health; \":PORT\" listens on all addresses")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  app.add_option("--samples", flags.samples, "append every measurement to this file, as JSON lines")
      ->type_name("FILE");
  app.add_flag("--once", flags.once,
               "answer nobody, probe for ten intervals, print a table, and exit");
  app.add_flag("--check", flags.check, "read the configuration, report, and exit: 0 or 2");
  app.footer(kExitCodesHelp);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return {std::nullopt, app.exit(e) == 0 ? 0 : kWrongConfiguration};
  }
  return {flags, 0};
}

}  // namespace leadline
