// The command line of leadline-probe-agent.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace leadline {

struct AgentFlags {
  std::string config;
  std::string node;
  std::vector<std::string> peers;  // ADDRESS or ADDRESS:PORT
  std::string http_address = "127.0.0.1:9273";
  std::string samples;
  bool once = false;
  bool check = false;
};

struct ParsedAgentFlags {
  std::optional<AgentFlags> flags;
  int exit_code = 0;  // to leave with when there are no flags
};
ParsedAgentFlags ParseAgentFlags(int argc, const char* const* argv);

}  // namespace leadline
