// `--once`: measure for a short while, print a table.
#pragma once

#include <boost/asio/io_context.hpp>

#include "leadline/probe/agent.h"

namespace leadline {

// `agent` measures already. Returns the program's exit code: 1 when no peer answered.
int RunOnce(boost::asio::io_context& io, const AgentConfig& config, ProbeAgent& agent,
            const bool& interrupted);

}  // namespace leadline
