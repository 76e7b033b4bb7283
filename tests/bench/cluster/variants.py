"""The Pods to place. Labels and constraints as in kube-scheduler's own performance tests."""

from leadline_testbed import objects

ZONE, HOST = objects.ZONE_LABEL, "kubernetes.io/hostname"
IMPORTANT = "important"
NODE_CPU = 64


def _plain(_index, _nodes):
    return {}, {}


def _spread(_index, _nodes):
    return {"color": "blue"}, {"topologySpreadConstraints": [{
        "topologyKey": ZONE, "maxSkew": 5, "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"color": "blue"}}}]}


def _term(key, labels):
    return {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": key, "labelSelector": {"matchLabels": labels}}]}


def _affinity(_index, _nodes):
    labels = {"color": "blue"}
    return labels, {"affinity": {"podAffinity": _term(ZONE, labels)}}


def _anti_affinity(index, nodes):
    """Groups that need half as many nodes as there are, so that every Pod finds one."""
    labels = {"group": f"g{index // max(nodes // 2, 1)}"}
    return labels, {"affinity": {"podAntiAffinity": _term(HOST, labels)}}


def _preemption(_index, _nodes):
    return {}, {"priorityClassName": IMPORTANT}


VARIANTS = {"plain": _plain, "spread": _spread, "affinity": _affinity,
            "anti-affinity": _anti_affinity, "preemption": _preemption}

PRIORITY_CLASS = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                  "metadata": {"name": IMPORTANT}, "value": 1000}


def _room(pods, nodes):
    """How many of the Pods a node has to take, and the CPU of each that then fills it."""
    each = -(-pods // nodes)
    return each, f"{1000 * NODE_CPU // each}m"


def pod(variant, index, pods, nodes):
    labels, spec = VARIANTS[variant](index, nodes)
    if variant == "preemption":
        spec["cpu"] = _room(pods, nodes)[1]
    return objects.pod(f"pod-{index}", scheduler="default-scheduler", labels=labels, **spec)


def residents(variant, pods, nodes):
    """The Pods that are there before: for preemption so many that each of `pods` has to evict one.
    They go at once, as nobody is here to stop them."""
    if variant != "preemption":
        return []
    each, cpu = _room(pods, nodes)
    return [objects.pod(f"resident-{node}-{index}", cpu=cpu, node_name=f"node-{node}",
                        terminationGracePeriodSeconds=0)
            for node in range(nodes) for index in range(each)]
