"""The network of the demo: 12 probe agents, behind real delays where this machine allows it."""

import pathlib
import subprocess

from leadline_testbed import agents, paths, wait_for

import namespaces
import workload

MATRIX = pathlib.Path(__file__).parent / "data" / "latency.tsv"
ZONES = ("zone-a", "zone-b", "zone-c")

# The agents' addresses on the delayed link; see namespaces._WAY_IN for the range.
_LINK = "198.18.78"
_DEVICE = "leadline0"
_PROBE_PORT, _HTTP_PORT = 7946, 9273

# The summary that the scheduler reads as well: a node's mean round trip to its peers.
LATENCY_QUERY = "leadline_probe_node_rtt_seconds"


class Network:
    """Where the agents are. `note` says in the table what was measured."""

    def __init__(self, plane, places, prefixes, note):
        self.zones = [ZONES[index * len(ZONES) // workload.NODES]
                      for index in range(workload.NODES)]
        self.note = note
        self.addresses = [probe.partition(":")[0] for probe, _ in places]
        nodes = [workload.node_name(index) for index in range(workload.NODES)]
        self.scrape_targets = agents.start_agents(plane, nodes, places, prefixes)

    def latency(self, plane):
        """{node: mean round trip in seconds} as measured over the last while."""
        return plane.prometheus.by_label(f"avg_over_time({LATENCY_QUERY}[20s])")

    def wait_measured(self, plane):
        wait_for("a measured latency of every node",
                 lambda: len(self.latency(plane)) == workload.NODES)


def _behind_delays(plane, progress):
    spaces = namespaces.create(workload.NODES)
    progress.step(f"{len(spaces)} network namespaces, joined by links with measured delays")
    plane.run("netlab", [
        paths.program("leadline-netlab"), "--matrix", MATRIX, "--device", _DEVICE,
        "--subnet", f"{_LINK}.0/24", *(space.name for space in spaces)])
    places = [(f"{_LINK}.{index + 1}:{_PROBE_PORT}", f"{space.address}:{_HTTP_PORT}")
              for index, space in enumerate(spaces)]

    def up():
        plane.process["netlab"].require_running()
        return all(f"{_LINK}.{index + 1}/" in subprocess.run(
            ["ip", "-netns", space.name, "address", "show"], check=True, capture_output=True,
            text=True).stdout for index, space in enumerate(spaces))
    wait_for("the delayed links to be up", up)
    return Network(plane, places, [space.prefix for space in spaces],
                   f"agents in {len(spaces)} namespaces, delays from {MATRIX.name}")


def _on_loopback(plane, progress, reason):
    progress.step(f"agents on loopback, without delays: {reason}")
    return Network(plane, agents.loopback_places(workload.NODES), None,
                   f"agents on loopback, so they say nothing of a network: {reason}")


def start(plane, progress):
    """Starts the agents, and returns as soon as they run; wait_measured() waits for numbers."""
    try:
        return _behind_delays(plane, progress)
    except namespaces.Missing as missing:
        return _on_loopback(plane, progress, missing)
