"""Runs a command beside a control plane: python3 -m leadline_testbed --nodes 3 -- COMMAND ...

The command sees KUBECONFIG, PROMETHEUS_URL, and kubectl on its PATH; its exit code is ours.
"""

import argparse
import os
import subprocess
import sys

from .control_plane import ALL, ControlPlane
from .paths import tools


def main():
    parser = argparse.ArgumentParser(prog="leadline_testbed", description=__doc__.split("\n")[0])
    parser.add_argument("--components", default=",".join(ALL), help="default: %(default)s")
    parser.add_argument("--nodes", type=int, default=0, help="how many kwok nodes to make")
    parser.add_argument("command", nargs="+", help="what to run, after --")
    arguments = parser.parse_args()
    components = arguments.components.split(",")
    unknown = set(components) - set(ALL)
    if unknown:
        parser.error(f"no such component: {', '.join(sorted(unknown))}")
    with ControlPlane(components) as plane:
        if arguments.nodes:
            plane.add_nodes(arguments.nodes)
        environment = dict(os.environ, KUBECONFIG=str(plane.kubeconfig()),
                           PROMETHEUS_URL=plane.prometheus.url,
                           PATH=f"{tools()}:{os.environ['PATH']}")
        return subprocess.run(arguments.command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
