"""Which plugin refused what, by kube-scheduler's own messages."""

import collections
import re

# The first pattern that is found in a reason names its plugin.
_PLUGINS = tuple((re.compile(pattern), plugin) for pattern, plugin in (
    (r"untolerated taint", "TaintToleration"),
    (r"were unschedulable", "NodeUnschedulable"),
    (r"node affinity/selector|pod affinity terms conflict|satisfy plugin", "NodeAffinity"),
    (r"free ports", "NodePorts"),
    (r"^Insufficient |^Too many pods", "NodeResourcesFit"),
    (r"available disk|ReadWriteOncePod|^persistentvolumeclaim \S+ not found", "VolumeRestrictions"),
    (r"max volume count|driver is not installed|^looking up PVC", "NodeVolumeLimits"),
    (r"ephemeral volume controller|^persistentvolumeclaim \S+ bound to|being deleted"
     r"|pod is not owner|unbound immediate|bound to non-existent pv|persistent volumes to bind"
     r"|PersistentVolume's node affinity|enough free storage", "VolumeBinding"),
    (r"volume zone|^persistentvolume \S+ not found|^PersistentVolume(Claim)? had no"
     r"|^storageclass", "VolumeZone"),
    (r"topology spread", "PodTopologySpread"),
    (r"affinity rules", "InterPodAffinity"),
    (r"required features", "NodeDeclaredFeatures"),
))
PLUGINS = tuple(dict.fromkeys(plugin for _, plugin in _PLUGINS))
_HEAD = re.compile(r"^0/\d+ nodes are available: ")


def plugin_of(reason):
    for pattern, plugin in _PLUGINS:
        if pattern.search(reason):
            return plugin
    return None


def reasons(message, nodes):
    """[(how many nodes, reason)] of a message; a reason without a count stands for all nodes."""
    found = []
    for part in _HEAD.sub("", message).removesuffix(".").split(", "):
        match = re.match(r"(\d+) (.*)", part)
        found.append((int(match[1]), match[2]) if match else (nodes, part))
    return found


class Coverage:
    """Counts verdicts, one for each Pod and node, and what each plugin and reason has of them."""

    def __init__(self):
        self.pods = 0
        self.verdicts = 0
        self.errors = 0
        self.refused = collections.Counter()  # verdicts, by plugin
        self.touched = collections.Counter()  # Pods, by plugin
        self.by_reason = collections.Counter()  # Pods
        self.unknown = set()  # reasons that belong to nobody

    def add(self, verdict, nodes):
        self.pods += 1
        self.verdicts += nodes
        if verdict.error:
            self.errors += 1
            return
        plugins = set()
        for count, reason in reasons(verdict.message, nodes):
            if reason == verdict.REFUSAL:
                continue
            plugin = plugin_of(reason)
            if plugin is None:
                self.unknown.add(reason)
                continue
            plugins.add(plugin)
            self.refused[plugin] += count
            self.by_reason[plugin, re.sub(r'"[^"]*"|PVC \S+|pod \S+/\S+', "...", reason)] += 1
        self.touched.update(plugins)

    def table(self):
        lines = [f"{'plugin':22} {'of verdicts':>11} {'of Pods':>8}"]
        for plugin in PLUGINS:
            lines.append(f"{plugin:22} {self.refused[plugin] / max(self.verdicts, 1):11.2%} "
                         f"{self.touched[plugin] / max(self.pods, 1):8.2%}")
            for (owner, reason), pods in self.by_reason.most_common():
                if owner == plugin:
                    lines.append(f"    {pods / max(self.pods, 1):8.2%} of Pods: {reason}")
        lines.append(f"errors: {self.errors} Pods")
        return "\n".join(lines)
