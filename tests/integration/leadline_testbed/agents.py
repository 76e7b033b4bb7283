"""Real probe agents, one a node, each with all others as its peers."""

import json

from . import paths
from .ports import free_port

JOB = "leadline-probe-agent"


def loopback_places(count):
    """Addresses for that many agents on this machine: [(probe address, HTTP address)]."""
    return [(f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}") for _ in range(count)]


def start_agents(plane, nodes, places, prefixes=None, interval="500ms"):
    """Starts an agent for each node at its place, by its prefix such as `ip netns exec NAME`.

    Returns what plane.set_scrape_targets() needs to know of them.
    """
    for index, (node, (probe, http)) in enumerate(zip(nodes, places)):
        config = plane.directory / f"probe-agent-{node}.yaml"
        # JSON is YAML as well.
        config.write_text(json.dumps({
            "node": node, "listen": probe, "interval": interval,
            "peers": [{"node": other, "address": address}
                      for other, (address, _) in zip(nodes, places) if other != node]}, indent=1))
        plane.run(f"probe-agent-{node}",
                  [paths.program("leadline-probe-agent"), "--config", config,
                   "--http-address", http],
                  prefix=prefixes[index] if prefixes else ())
    return [(JOB, http, {"node": node}) for node, (_, http) in zip(nodes, places)]
