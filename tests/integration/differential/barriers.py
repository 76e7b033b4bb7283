"""Pods whose verdicts prove that a judge has seen a world to its end.

The last objects of each kind that a world makes are its markers, and watches keep their order: who
has seen the markers has seen everything. All barrier Pods may go to the marker node only.
"""

import dataclasses

PORT = 65001
RESOURCE = "test.leadline/marker"  # a resource of the marker node only
NAMESPACE = "default"

LIMIT = "node(s) exceed max volume count"
SPACE = "node(s) did not have enough free storage"
PORTS = "node(s) didn't have free ports for the requested pod ports"
SELECTOR = "node(s) didn't match Pod's node affinity/selector"


@dataclasses.dataclass
class Barrier:
    """A Pod, and the reason that the marker node has to have against it, or may not have.

    Without the plugin `needs` it proves nothing.
    """
    pod: dict
    reason: str
    present: bool
    needs: str

    def passed(self, reasons):
        """By the text of all reasons; until the marker's label is seen they name the selector."""
        return (self.reason in reasons) == self.present and (self.present or
                                                             SELECTOR not in reasons)


def marker_pod(stamp, name, ports=False, amount=0, claim=None):
    container = {"name": "c", "image": "any"}
    spec = {"tolerations": [{"operator": "Exists"}], "containers": [container]}
    if ports:
        container["ports"] = [{"containerPort": PORT, "hostPort": PORT}]
    if amount:
        amounts = {RESOURCE: str(amount)}
        container["resources"] = {"requests": amounts, "limits": amounts}
    if claim:
        spec["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": claim}}]
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"{stamp}-{name}", "namespace": NAMESPACE}, "spec": spec}


def barriers(stamp, stored):
    """In the order in which they have to be passed, each until its verdict is as expected.

    What the last filters may say on the marker node does not matter: other Pods of a random world
    may object.
    """
    def barrier(name, needs, reason, present=True, **pod):
        item = marker_pod(stamp, name, **pod)
        item["spec"]["nodeSelector"] = {"world": stamp}
        return Barrier(item, reason, present, needs)

    full = f"Insufficient {RESOURCE}"
    found = [
        barrier("port", "NodePorts", PORTS, ports=True),
        barrier("one", "NodeResourcesFit", full, present=False, amount=1),  # the node's resource
        barrier("two", "NodeResourcesFit", full, amount=2),  # the marker Pod, which has the other
    ]
    if stored:
        found += [
            # Claim, volume, CSINode and VolumeAttachment.
            barrier("full", "NodeVolumeLimits", LIMIT, claim=f"{stamp}-bound"),
            # Class and driver; then the capacity, which only counts with the driver.
            barrier("big", "VolumeBinding", SPACE, claim=f"{stamp}-big"),
            barrier("small", "VolumeBinding", SPACE, present=False, claim=f"{stamp}-small"),
        ]
    return found


def storage_markers(stamp):
    """The last storage objects of a world (the marker node's CSINode is made elsewhere)."""
    driver, storage = f"{stamp}.space.example.com", "storage.k8s.io/v1"

    def volume(name):
        return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
                "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                         "csi": {"driver": _limited(stamp), "volumeHandle": name}}}

    def claim(name, size, **spec):
        return {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "metadata": {"name": name, "namespace": NAMESPACE,
                             "annotations": {"pv.kubernetes.io/bind-completed": "yes"}
                             if "volumeName" in spec else {}},
                "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": stamp,
                         "resources": {"requests": {"storage": size}}, **spec}}
    return [
        {"apiVersion": storage, "kind": "CSIDriver", "metadata": {"name": driver},
         "spec": {"storageCapacity": True}},
        {"apiVersion": storage, "kind": "StorageClass", "metadata": {"name": stamp},
         "provisioner": driver, "volumeBindingMode": "WaitForFirstConsumer"},
        {"apiVersion": storage, "kind": "CSIStorageCapacity",
         "metadata": {"name": stamp, "namespace": NAMESPACE}, "storageClassName": stamp,
         "capacity": "2Gi", "nodeTopology": {}},
        volume(f"{stamp}-attached"), volume(f"{stamp}-bound"),
        claim(f"{stamp}-big", "5Gi"), claim(f"{stamp}-small", "1Gi"),
        claim(f"{stamp}-bound", "1Gi", volumeName=f"{stamp}-bound"),
    ]


def _limited(stamp):
    """The driver of which the marker node takes one volume; another has the capacity."""
    return f"{stamp}.limit.example.com"


def storage_last(stamp, node):
    """The attachment that fills the marker node for the marker driver."""
    return {"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
            "metadata": {"name": stamp},
            "spec": {"attacher": _limited(stamp), "nodeName": node,
                     "source": {"persistentVolumeName": f"{stamp}-attached"}}}


def marker_driver(stamp):
    """The marker node's room for volumes of the marker driver: one, which the attachment takes."""
    return {"name": _limited(stamp), "nodeID": "marker", "topologyKeys": [],
            "allocatable": {"count": 1}}
