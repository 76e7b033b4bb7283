"""The Pods of the demo, and what the nodes carry before they come."""

import random

from leadline_testbed import objects

NGINX, SPARK = 50, 20
NODES = 12
CPU_MILLICORES, MEMORY_MIB = 8000, 32768

# What each node uses already, as a share of its CPU and memory. Its Pods request next to none of
# it, so only a scheduler that looks at measurements can know.
BACKGROUND = [(0.10, 0.20), (0.55, 0.35), (0.15, 0.60), (0.35, 0.30),
              (0.60, 0.55), (0.10, 0.15), (0.30, 0.45), (0.20, 0.25),
              (0.45, 0.20), (0.05, 0.40), (0.50, 0.60), (0.25, 0.10)]

NAMESPACE = "demo"


def node_name(index):
    return f"node-{index}"


def node(index, zone, address):
    return objects.node(node_name(index), zone=zone, cpu=f"{CPU_MILLICORES}m",
                        memory=f"{MEMORY_MIB}Mi", address=address)


def background(index):
    """The Pod that makes a node as busy as BACKGROUND says."""
    cpu, memory = BACKGROUND[index]
    return objects.pod(
        f"background-{index}", namespace="kube-system", node_name=node_name(index), cpu="50m",
        memory="64Mi", usage_cpu=f"{int(cpu * CPU_MILLICORES)}m",
        usage_memory=f"{int(memory * MEMORY_MIB)}Mi", tolerations=[{"operator": "Exists"}])


def pods(scheduler, seed=1):
    """50 nginx and 20 Spark drivers in a random order that is the same for every scheduler."""
    items = [objects.pod(f"nginx-{i}", scheduler, NAMESPACE, cpu="100m", memory="128Mi",
                         usage_cpu="150m", usage_memory="192Mi", labels={"app": "nginx"})
             for i in range(NGINX)]
    items += [objects.pod(f"spark-driver-{i}", scheduler, NAMESPACE, cpu="1", memory="1Gi",
                          usage_cpu="1200m", usage_memory="1536Mi", image="spark",
                          labels={"app": "spark", "spark-role": "driver"})
              for i in range(SPARK)]
    random.Random(seed).shuffle(items)
    return items
