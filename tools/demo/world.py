"""The cluster of the demo: a control plane, 12 nodes in 3 zones, and what they carry already."""

from leadline_testbed import ControlPlane, objects, paths, wait_for

import workload

DIRECTORY = paths.build_directory() / "demo"

# Long enough for a rate over the scrapes, short enough to see a Pod's use soon.
RATE = "10s"


def control_plane():
    """Not started yet. Its logs and kubeconfigs stay in DIRECTORY, also when it is gone."""
    return ControlPlane(directory=DIRECTORY, scrape_interval="1s")


def populate(plane, zones, addresses):
    """Makes the nodes with their background Pods; `zones` and `addresses` have one entry a node."""
    names = [workload.node_name(index) for index in range(workload.NODES)]
    for index, name in enumerate(names):
        plane.api.create(workload.node(index, zones[index], addresses[index]))
    plane.wait_nodes(names)
    plane.api.create(objects.namespace(workload.NAMESPACE))
    for namespace in (workload.NAMESPACE, "kube-system"):
        wait_for(f"the ServiceAccount of {namespace}", lambda where=namespace: plane.api.find(
            "ServiceAccount", "default", where))
    for index in range(workload.NODES):
        plane.api.create(workload.background(index))
    return names


def usage(plane):
    """({node: CPU ratio}, {node: memory ratio}) as Prometheus has them now."""
    cpu = plane.prometheus.by_label(f"rate(node_cpu_usage_seconds_total[{RATE}])")
    memory = plane.prometheus.by_label("node_memory_working_set_bytes")
    return ({node: value * 1000 / workload.CPU_MILLICORES for node, value in cpu.items()},
            {node: value / 2**20 / workload.MEMORY_MIB for node, value in memory.items()})


def wait_only_background(plane):
    """Until the measured use is what BACKGROUND says, so that every scheduler meets one world."""
    def calm():
        cpu, memory = usage(plane)
        return all(abs(cpu.get(workload.node_name(index), -1) - expected[0]) < 0.02
                   and abs(memory.get(workload.node_name(index), -1) - expected[1]) < 0.02
                   for index, expected in enumerate(workload.BACKGROUND))
    wait_for("the measured use of the nodes to be the background alone", calm)


def remove_pods(plane):
    plane.api.delete_all("Pod", workload.NAMESPACE)
    wait_for("the Pods to be gone", lambda: not plane.api.list("Pod", workload.NAMESPACE))
