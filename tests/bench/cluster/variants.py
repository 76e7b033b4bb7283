"""The Pods to place. Labels and constraints as in kube-scheduler's own performance tests."""

from leadline_testbed import objects

ZONE, HOST = objects.ZONE_LABEL, "kubernetes.io/hostname"


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


VARIANTS = {"plain": _plain, "spread": _spread, "affinity": _affinity,
            "anti-affinity": _anti_affinity}


def pod(variant, index, nodes):
    labels, spec = VARIANTS[variant](index, nodes)
    return objects.pod(f"pod-{index}", scheduler="default-scheduler", labels=labels, **spec)
