#!/usr/bin/env python3
"""The demo: 70 Pods on 12 nodes, placed by our scheduler and by kube-scheduler in one world."""

import argparse
import fcntl
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "integration"))

from leadline_testbed import ApiClient, paths  # noqa: E402

import comparison  # noqa: E402
import network as networks  # noqa: E402
import report  # noqa: E402
import scheduler as schedulers  # noqa: E402
import workload  # noqa: E402
import world  # noqa: E402
from progress import Progress  # noqa: E402

OURS, THEIRS = "dqn-scheduler", "default-scheduler"
CLUSTER_FILE = world.DIRECTORY / "cluster.json"


def parse():
    parser = argparse.ArgumentParser(prog="./run demo", description=__doc__)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--keep", action="store_true", help="stay up after the table, until Ctrl-C")
    mode.add_argument("--shell", action="store_true", help="a shell in the cluster, nothing else")
    mode.add_argument("--cluster-only", action="store_true",
                      help="no scheduler of ours and no Pods: for one under a debugger")
    mode.add_argument("--pods", action="store_true",
                      help="create the Pods in the demo cluster that is up already")
    return parser.parse_args()


def only_one():
    """The demo's ports and addresses are fixed, so that others find them."""
    lock = open(pathlib.Path(tempfile.gettempdir()) / f"leadline-demo-{os.getuid()}.lock", "w",
                encoding="ascii")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SystemExit("./run: another demo is up; end it first") from None
    return lock


def start_cluster(plane, progress):
    print("== starting the demo cluster", flush=True)
    progress.step("etcd, API server, controller manager, kube-scheduler, kwok, Prometheus")
    plane.start()
    network = networks.start(plane, progress)
    progress.step(f"{workload.NODES} nodes in {len(set(network.zones))} zones")
    world.populate(plane, network.zones, network.addresses)
    plane.set_scrape_targets(network.scrape_targets + [schedulers.scrape_target()])
    CLUSTER_FILE.write_text(json.dumps({
        "server": plane.server, "token": plane.credentials.token(),
        "ca": str(plane.credentials.ca_file)}))
    schedulers.write_configuration(plane)
    progress.step("waiting for measurements of every node")
    network.wait_measured(plane)
    world.wait_only_background(plane)
    return network


def compare(plane, network, progress):
    ours = schedulers.start(plane)
    results = [comparison.take_turn(plane, network, OURS, progress,
                                    lambda: schedulers.counters(ours))]
    progress.step("the Pods leave again")
    world.remove_pods(plane)
    world.wait_only_background(plane)
    results.append(comparison.take_turn(plane, network, THEIRS, progress))
    total = workload.NGINX + workload.SPARK
    progress.step("done")
    print(f"\n{report.table(total, results)}\n\nround trips: {network.note}")
    return all(len(result.bindings) == total for result in results)


def say_where(plane, also=()):
    rows = [("logs", plane.directory), ("cluster", f"KUBECONFIG={plane.kubeconfig()}"),
            ("kubectl", paths.tool("kubectl")), ("Prometheus", plane.prometheus.url), *also]
    for what, where in rows:
        print(f"{what:>12}  {where}")
    sys.stdout.flush()


def shell(plane):
    environment = dict(os.environ, KUBECONFIG=str(plane.kubeconfig()),
                       PATH=f"{paths.tools()}:{os.environ['PATH']}")
    print('Try: kubectl get nodes; kubectl -n demo run web --image nginx '
          f"""--overrides '{{"spec":{{"schedulerName":"{OURS}"}}}}'""", flush=True)
    subprocess.run([os.environ.get("SHELL", "/bin/bash")], env=environment, check=False)


def create_pods():
    if not CLUSTER_FILE.exists():
        raise SystemExit("./run: no demo cluster is up")
    cluster = json.loads(CLUSTER_FILE.read_text())
    api = ApiClient(cluster["server"], cluster["token"], cluster["ca"])
    api.delete_all("Pod", workload.NAMESPACE)
    for pod in workload.pods(OURS):
        api.create(pod)
    print("70 Pods created: kubectl -n demo get pods")


def use(arguments, plane, progress):
    """Does what was asked for in the cluster. Returns the exit code."""
    network = start_cluster(plane, progress)
    if arguments.cluster_only:
        say_where(plane)
        print("== the demo cluster is up; Ctrl-C takes it down", flush=True)
        signal.pause()
    if arguments.shell:
        schedulers.start(plane)
        say_where(plane, schedulers.where())
        shell(plane)
        return 0
    succeeded = compare(plane, network, progress)
    if arguments.keep:
        say_where(plane, schedulers.where())
        print("Everything stays up until Ctrl-C.", flush=True)
        signal.pause()
    print(f"logs: {plane.directory}; with --keep all of it stays up: metrics, API, Prometheus")
    return 0 if succeeded else 1


def main():
    arguments = parse()
    if arguments.pods:
        create_pods()
        return 0
    lock = only_one()
    plane = world.control_plane()
    try:
        return use(arguments, plane, Progress())
    except KeyboardInterrupt:
        return 0 if arguments.keep or arguments.cluster_only else 130
    finally:
        plane.stop()
        CLUSTER_FILE.unlink(missing_ok=True)
        lock.close()


if __name__ == "__main__":
    sys.exit(main())
